"""What the tests of single kinds share: evidence from results, one a task, and the verdict of one clause."""

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

from outcome_monitors import Clause
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.rules import KINDS, Candidate
from outcome_monitors.rules.config import CONFIG
from outcome_monitors.rules.evidence.evidence import Evidence
from tests.rules import relations

MANY = 2 * CONFIG.label_noise_tasks + 20
"""Tasks enough for any kind, and to tell dirt from rare values."""

Flag = tuple[str, str, Any, Any, str]


def task(number: int) -> int:
    """Return the hash of the task that brought the result of this number."""
    return stable_hash(f"task {number}")


def evidence(*results: Any) -> Evidence:
    """Return the evidence of results, each from a task of its own."""
    return relations.evidence(relations.calls(({}, result) for result in results))


def of(*values: Any) -> Evidence:
    """Return the evidence of objects with one field, `x`, that has these values."""
    return evidence(*({"x": value} for value in values))


def candidates(kind: str, found: Evidence, path: str = "x") -> list[Candidate]:
    """Return what a kind suggests for a path, refused or not."""
    return [each for each in KINDS[kind].suggest(found) if each.clause.path == path]


def only(kind: str, found: Evidence, path: str = "x") -> Candidate:
    """Return the one clause that a kind suggests for a path."""
    [candidate] = candidates(kind, found, path)
    assert not candidate.refused
    KINDS[kind].validate(candidate.clause.params, "here")
    return candidate


def flags(clause: Clause, result: Any) -> list[Flag]:
    """Return what a monitor that has one clause says of a result."""
    return [astuple(violation)[:5] for violation in relations.flags(clause, result)]


def clause(kind: str, params: Mapping[str, Any], path: str = "x") -> Clause:
    """Return a clause as a contract file would hold it."""
    return relations.clause(kind, path, **params)


def passes(found: Clause, *values: Any) -> bool:
    """Say whether values at `x` are all let through."""
    return not any(flags(found, {"x": value}) for value in values)


def breaks(found: Clause, *values: Any) -> bool:
    """Say whether values at `x` are all flagged."""
    return all(flags(found, {"x": value}) for value in values)
