"""What the monitors are shown: every clean call, and beside some of them the same call with a fault in its result.

Which calls get a fault is settled by a stable hash of where they stand, so that the same traces always give the same cases.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from outcome_monitors.features.walk import fold_of, task_name
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.mining.observations import DEFAULT_PROFILE
from outcome_monitors.model import Call, Json

from .faults import NOT_APPLICABLE, SUITES, Corpus, Fault, Subject

T = TypeVar("T")

TRIES = 10
"""For a limit of so many results of a fault, so many times as many calls are tried: most faults suit some tools only."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an audit is asked for; the same settings and traces give the same figures."""

    folds: int = 5
    suites: tuple[str, ...] = tuple(SUITES)
    profile: str = DEFAULT_PROFILE
    budget: float = BUDGET
    """The share of clean results that may be flagged; mining in profile `full` keeps to it."""
    limit: int = 400
    """Corrupted results of each kind of fault, at most; 0 is no limit."""


class Corrupted(NamedTuple):
    """What the caller would have seen, had the tool failed silently."""

    fault: str
    result: Json


class Case(NamedTuple):
    """A clean call, and what faults make of its result."""

    call: Call
    task: str
    fold: int
    corrupted: tuple[Corrupted, ...]


class Ticker(Protocol):
    """Yields items as they come, to show progress; `noun` says what they are, `then` what work follows the last."""

    def __call__(self, items: Iterable[T], noun: str, then: str = "") -> Iterable[T]:
        """Yield the items."""


def unwatched(items: Iterable[T], noun: str, then: str = "") -> Iterable[T]:  # noqa: ARG001 - as `Ticker` has it
    """Show nothing."""
    return items


class _Moment(NamedTuple):
    """A place in a session."""

    session: list[Call]
    position: int


def make_cases(
    calls: Sequence[Call], wanted: Sequence[Fault], folds: int, limit: int, watch: Ticker = unwatched
) -> list[Case]:
    """Return a case for each call, in order, with at most `limit` results of each fault among all (0: no limit)."""
    moments = _moments(calls)
    order = sorted(range(len(calls)), key=lambda index: _draw(calls[index], moments[index]))
    tried = watch(order[: TRIES * limit] if limit else order, "call tried", "mining and checking the folds")
    corrupted: list[list[Corrupted]] = [[] for _ in calls]
    corpus = Corpus.of(calls)
    made: Counter[str] = Counter()
    for index in tried:
        moment = moments[index]
        subject = Subject(calls[index], tuple(moment.session[: moment.position]), corpus)
        for fault in wanted:
            if limit and made[fault.name] >= limit:
                continue
            result = fault.apply(subject)
            if result is not NOT_APPLICABLE:
                corrupted[index].append(Corrupted(fault.name, result))
                made[fault.name] += 1
    return [
        Case(call, task_name(call), fold_of(call, folds), tuple(found))
        for call, found in zip(calls, corrupted, strict=True)
    ]


def _moments(calls: Iterable[Call]) -> list[_Moment]:
    sessions: dict[str, list[Call]] = {}
    moments = []
    for call in calls:
        # A call that names no session is one by itself.
        session = sessions.setdefault(call.session, []) if call.session is not None else []
        moments.append(_Moment(session, len(session)))
        session.append(call)
    return moments


def _draw(call: Call, moment: _Moment) -> int:
    return stable_hash(f"{task_name(call)}\0{call.session}\0{moment.position}\0{call.tool}")
