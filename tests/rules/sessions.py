"""What the tests of kinds share that hold a result against its session: runs, and what a kind suggests of them."""

from collections.abc import Iterable, Mapping
from typing import Any

from outcome_monitors import Call
from outcome_monitors.features.walk import look
from outcome_monitors.mining.full import FullObservations
from outcome_monitors.rules import KINDS, Candidate
from outcome_monitors.rules.evidence.evidence import Evidence

Step = tuple[str, Mapping[str, Any], Any]
"""A tool, its arguments and its result."""


def run(number: int, *steps: Step) -> list[Call]:
    """Return the calls of one session, which is a task of its own."""
    return [
        Call(tool, asked, result, task=f"task {number}", session=f"session {number}")
        for tool, asked, result in steps
    ]


def suggested(kind: str, sessions: Iterable[Iterable[Call]], tool: str) -> list[Candidate]:
    """Return what a kind suggests of all parts of the evidence together."""
    learned = FullObservations()
    for session in sessions:
        for call in session:
            learned.add(look(call))
    whole = Evidence()
    for part in learned.parts:
        whole.merge(part.get(tool, Evidence()))
    found = list(KINDS[kind].suggest(whole))
    for candidate in found:
        KINDS[kind].validate(candidate.clause.params, "here")
    return found
