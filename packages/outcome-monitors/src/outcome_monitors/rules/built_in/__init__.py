"""Built-in rules: clauses that every tool has from its first call, without learning."""

from collections.abc import Mapping

from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.model import Clause

from .base import BuiltIn
from .claims import OwnClaims
from .content import GarbledText, MissingContent
from .echo import WriteApplied
from .failure import FailedItems, ReportedFailure
from .request import RequestHonored
from .truncated import Truncated
from .values import ImpossibleValue

__all__ = ["BUILT_IN", "BUILT_IN_KINDS", "SOURCE", "BuiltIn"]

SOURCE = "built-in"

BUILT_IN_KINDS: Mapping[str, BuiltIn] = {
    kind.name: kind
    for kind in (
        ReportedFailure(),
        FailedItems(),
        MissingContent(),
        GarbledText(),
        RequestHonored(),
        WriteApplied(),
        OwnClaims(),
        ImpossibleValue(),
        Truncated(),
    )
}
"""The kinds by name."""

BUILT_IN: tuple[Clause, ...] = tuple(Clause(name, ROOT, {}, 0, 0, SOURCE) for name in BUILT_IN_KINDS)
"""One clause of each."""
