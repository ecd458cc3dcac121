"""An alarm explains itself: what names the cause comes first (`Cause`), and each violation has its support and the closest clean value.

All of it is done on violations alone; a clean result never comes here.
"""

from collections.abc import Iterable
from dataclasses import replace

from outcome_monitors.model import Broken, Clause, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Cause
from outcome_monitors.values.display import clip

__all__ = ["explained"]


def explained(broken: Iterable[tuple[Clause, Violation]]) -> Broken:
    """Return the same violations, the most telling first, each with its support and the closest clean value."""
    ranked = sorted(broken, key=lambda pair: _cause(pair[0]))
    return tuple(
        (clause, replace(violation, tasks=clause.tasks, closest=_closest(clause, violation.observed)))
        for clause, violation in ranked
    )


def _cause(clause: Clause) -> Cause:
    """Return what a broken clause says of the cause; that of no kind is `origin`'s."""
    kind = KINDS.get(clause.kind)
    return Cause.ANOTHER_TOOL if kind is None else kind.cause


def _closest(clause: Clause, observed: Json) -> Json:
    try:
        return clip(KINDS[clause.kind].closest(clause, observed))
    except Exception:  # noqa: BLE001 - an alarm that lacks a hint is better than none
        return None
