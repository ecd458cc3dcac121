"""Built-in rules that a tool's clean results violate: its contract takes them back.

A tool may answer honestly what a rule that knows no tool takes for wrong. Where the traces say so often enough, counted in tasks, the
contract has a clause of that rule that switches it off for the tool; `show` explains it, and its counts are the violations.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.jsonvalue.canonical import canonical
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.model import Clause
from outcome_monitors.rules.built_in import BUILT_IN, BUILT_IN_KINDS, OFF, finds_nothing
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.tasks import count_tasks, join_tasks

from .config import CONFIG


def violated(seen: WalkedCall) -> list[str]:
    """Return the names of the built-in rules that a result violates."""
    try:
        if finds_nothing(seen.arguments, seen.result):
            return []
        result = canonical(seen.result) if isinstance(seen.result, str) else seen.result
        return [
            clause.kind
            for clause in BUILT_IN
            if next(BUILT_IN_KINDS[clause.kind].find(seen.arguments, result), None) is not None
        ]
    except Exception:  # noqa: BLE001 - a form that no rule was written for says nothing
        return []


def taken_back(parts: Iterable[Evidence]) -> Iterator[Clause]:
    """Yield the clauses that take built-in rules back for a tool, of which this is the evidence."""
    calls, results, tasks = 0, Counter[str](), dict[str, set[int]]()
    for evidence in parts:
        calls += evidence.calls
        for kind, (number, theirs) in evidence.violated.items():
            results[kind] += number
            join_tasks(tasks.setdefault(kind, set()), theirs)
    for kind, number in sorted(results.items()):
        witnesses = count_tasks(tasks[kind])
        if witnesses >= CONFIG.tasks_to_take_back and number >= CONFIG.share_to_take_back * calls:
            yield Clause(kind, ROOT, OFF, number, witnesses, "traces")
