"""Built-in rules: clauses that every tool has from its first call, without learning.

Most look at one call and its result. `Truncated` is information, not an alarm. The kinds of `proofs` say what earlier calls of a
session prove of each other, and `History` looks for it.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from outcome_monitors.jsonvalue.canonical import canonical
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.jsonvalue.text import words
from outcome_monitors.model import Clause, Json

from .base import OFF, BuiltIn, is_command
from .claims import OwnClaims, of_the_whole
from .content import MissingContent
from .echo import WriteApplied
from .failure import FailedItems, ReportedFailure
from .garbled import GarbledText
from .proofs import PROOFS
from .quick import is_clean, rows_are_clean
from .reading import data_of
from .request import RequestHonored
from .truncated import Truncated
from .values import ImpossibleValue

__all__ = [
    "BUILT_IN",
    "BUILT_IN_KINDS",
    "CLAUSES",
    "OFF",
    "PRIORS",
    "SOURCE",
    "BuiltIn",
    "clauses_for",
    "finds_nothing",
]

LOGS = frozenset({"log", "logs", "console", "stdout", "stderr"})
"""Words of the names of tools that read what programs write down."""
SOURCE = "built-in"
"""Where a built-in clause comes from."""

_OF_A_RESULT: tuple[BuiltIn, ...] = (
    ReportedFailure(),
    FailedItems(),
    MissingContent(),
    GarbledText(),
    RequestHonored(),
    WriteApplied(),
    OwnClaims(),
    ImpossibleValue(),
)
_OF_THE_WHOLE = tuple(
    [
        kind
        for kind in _OF_A_RESULT
        if not isinstance(kind, FailedItems | OwnClaims | GarbledText | ImpossibleValue)
    ]
)
_OF_TEXTS = tuple([kind for kind in _OF_A_RESULT if kind.reads_texts])
_OF_VALUES = tuple([kind for kind in _OF_A_RESULT if isinstance(kind, GarbledText | ImpossibleValue)])
BUILT_IN_KINDS: Mapping[str, BuiltIn] = {kind.name: kind for kind in (*_OF_A_RESULT, *PROOFS, Truncated())}
"""The kinds by name."""

PRIORS = Path(__file__).with_name("priors.json")
"""On how many recorded results each kind was tried, and how many it flagged (`python -m bench.built_in --write`)."""


def _clauses() -> Iterator[Clause]:
    try:
        priors = json.loads(PRIORS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        priors = {"results": 0, "flagged": {}}
    for name in BUILT_IN_KINDS:
        held = priors["results"] - priors["flagged"].get(name, 0)
        yield Clause(name, ROOT, {}, held, 0, SOURCE)


CLAUSES: Mapping[str, Clause] = {clause.kind: clause for clause in _clauses()}
"""The one clause of each kind; its samples are the recorded results that it held on."""

BUILT_IN: tuple[Clause, ...] = tuple(CLAUSES[kind.name] for kind in _OF_A_RESULT)
"""The clauses that are held against each result."""
_OF_A_LOG = tuple(clause for clause in BUILT_IN if clause.kind != ReportedFailure.name)


@lru_cache(maxsize=16384)
def clauses_for(tool: str) -> tuple[Clause, ...]:
    """Return the clauses that are held against a tool's results: what a log says is no failure of the call that reads it."""
    return BUILT_IN if LOGS.isdisjoint(words(tool)) else _OF_A_LOG


def finds_nothing(arguments: Mapping[str, Json], result: Json) -> bool:
    """Say whether no built-in rule finds anything in a result; a text of JSON is what stands in it."""
    kinds = _OF_A_RESULT
    if type(result) is str:
        result = canonical(result)
    if type(result) is str:
        if any(next(kind.find(arguments, result), None) for kind in _OF_A_RESULT):
            return False
        result = None if is_command(arguments) else data_of(result)
        if result is None:
            return True
        kinds = _OF_TEXTS
    if type(result) is dict and is_clean(arguments, result):
        return True
    if not rows_are_clean(result):
        return not any(next(kind.find(arguments, result), None) for kind in kinds)
    # What could be wrong with a row by itself is settled.
    outer = {} if type(result) is list else {n: v for n, v in result.items() if type(v) not in (dict, list)}
    whole = any(next(kind.find(arguments, result), None) for kind in _OF_THE_WHOLE)
    return not (
        whole
        or next(of_the_whole(arguments, result), None)
        or any(next(kind.find(arguments, outer), None) for kind in _OF_VALUES)
    )
