"""Dirt: a share of the calls to learn from whose results are silently wrong, as in traces that were taken to be clean.

Which calls, and which of their faults, is settled by a stable hash, so that the same traces always get the same dirt.
"""

from collections.abc import Sequence
from dataclasses import replace

from outcome_monitors.model import Call
from outcome_monitors.values.hashing import stable_hash

from .cases import Case

__all__ = ["with_dirt"]


def with_dirt(cases: Sequence[Case], share: float) -> list[Call]:
    """Return the calls of cases, in order, a share of them with one of their faults; fewer where no fault suits so many."""
    calls = [case.call for case in cases]
    faulted = [index for index, case in enumerate(cases) if case.corrupted]
    faulted.sort(key=lambda index: stable_hash(f"{cases[index].task}\0{index}"))
    for index in faulted[: round(share * len(cases))]:
        found = cases[index].corrupted
        calls[index] = replace(calls[index], result=found[stable_hash(str(index)) % len(found)].result)
    return calls
