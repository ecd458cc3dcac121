"""What the tests of relations share: calls from rows, what a kind suggests of them, what a clause flags."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from outcome_monitors import Call, Clause, Contract, Monitor, Registry, Violation
from outcome_monitors.features.walk import look
from outcome_monitors.rules import KINDS, Candidate
from outcome_monitors.rules.evidence.evidence import Evidence

Row = tuple[Mapping[str, Any], Any]
"""The arguments and the result of a call."""


def calls(rows: Iterable[Row], tool: str = "get") -> list[Call]:
    """Return one call a row, each of its own task."""
    return [Call(tool, arguments, result, task=f"task {i}") for i, (arguments, result) in enumerate(rows)]


def evidence(some: Iterable[Call]) -> Evidence:
    """Return what mining keeps of the calls of one tool."""
    kept = Evidence()
    for call in some:
        kept.observe(look(call))
    return kept


def suggested(kind: str, rows: Iterable[Row]) -> list[Candidate]:
    """Return what a kind suggests of the rows, with nothing refused."""
    found = list(KINDS[kind].suggest(evidence(calls(rows))))
    for candidate in found:
        KINDS[kind].validate(candidate.clause.params, "here")
        assert not candidate.refused
    return found


def params(kind: str, rows: Iterable[Row], path: str = "") -> list[Mapping[str, Any]]:
    """Return the parameters of what a kind suggests at a path."""
    return [c.clause.params for c in suggested(kind, rows) if c.clause.path == path]


def clause(kind: str, path: str = "", **given: Any) -> Clause:
    """Return a clause that a contract file could hold."""
    KINDS[kind].validate(given, "here")
    return Clause(kind, path, given, 10, 10, "traces")


def flags(one: Clause, result: Any, arguments: Mapping[str, Any] | None = None) -> list[Violation]:
    """Return what a monitor with this clause alone says of a result, without what stands behind it."""
    monitor = Monitor(Registry({"get": Contract("get", (one,))}), built_in=False)
    found = list(monitor.check("get", arguments or {}, result))
    assert monitor.counts.failed == 0
    return [replace(violation, tasks=0, closest=None) for violation in found]
