"""From clean calls to contracts: observe, merge, accept.

`Observations` is all that mining keeps. It is small, it merges, and what it yields depends on the calls alone, not on
their order or on how they were split. The two profiles keep different things: `paper` and `full`.
"""

import gc
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry, in_order
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.features.limits import RESULT_DEPTH
from outcome_monitors.features.walk import look, task_name
from outcome_monitors.files import FilePath
from outcome_monitors.jsonvalue.display import refuse_one, refuse_unknown
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Call, Contract, Profile
from outcome_monitors.rules import Candidate
from outcome_monitors.traces.private import Hide, hider, private_paths
from outcome_monitors.traces.reader import FLAGGED, has_no_text, plain_call

from .budget import BUDGET
from .full import FullObservations
from .paper import PaperObservations
from .verification import Again

PROFILES: dict[str, int] = {"full": RESULT_DEPTH, "paper": 1}
"""Each profile, and how deep into a result it looks."""
DEFAULT_PROFILE: Profile = "full"


@dataclass(frozen=True, slots=True)
class Mined:
    """Contracts, and how they came about."""

    registry: Registry
    calls: int
    candidates: int
    accepted: int
    left_out: int = 0
    """Calls of tasks that are not in the share that was learned from."""
    private: int = 0
    """Candidates that were refused, or have lost a part, since what they say is private."""


class Observations:
    """What was observed of a set of calls.

    `budget` is the share of clean results that profile `full` may flag; the published profile has none. Of what stands at
    `private` paths (`traces.private`) nothing is kept but presence and kind. Of the tasks a `share` is learned from.
    """

    def __init__(
        self,
        profile: str = DEFAULT_PROFILE,
        budget: float = BUDGET,
        private: Iterable[str] = (),
        share: float = 1.0,
    ) -> None:
        refuse_unknown("profile", profile, PROFILES)
        if not 0 <= budget <= 1:
            raise OutcomeMonitorsError(f"a budget is a share of clean results, from 0 to 1, not {budget!r}")
        if not 0 < share <= 1:
            raise OutcomeMonitorsError(f"a share of the tasks is above 0 and at most 1, not {share!r}")
        self.profile = profile
        self.budget = budget
        self.share = share
        self.private = private_paths(private)
        self.calls = 0
        self.left_out = 0
        """Calls of tasks that are not in the share."""
        self.kept: PaperObservations | FullObservations = (
            PaperObservations() if profile == "paper" else FullObservations(budget)
        )

    def empty(self) -> "Observations":
        """Return observations of the same sort that have seen nothing."""
        return Observations(self.profile, self.budget, self.private, self.share)

    @property
    def parts(self) -> tuple[dict[str, Any], ...]:
        """What is kept of each tool, in each part: `Evidence` in profile `full`, `Observed` in the published one."""
        return self.kept.parts

    def by_tool(self) -> Iterator[tuple[str, "Observations"]]:
        """Yield the observations of each tool for itself; merged, they are the whole."""
        for tool in sorted(self.kept.tools()):
            one = self.empty()
            for mine, theirs in zip(one.parts, self.parts, strict=True):
                if tool in theirs:
                    mine[tool] = theirs[tool]
                    one.calls += theirs[tool].calls
            yield tool, one

    def add_all(self, calls: Iterable[Call]) -> None:
        """Observe many calls."""
        for call in calls:
            self.add(call)

    def add(self, call: Call) -> None:
        """Observe one call; one that failed openly says nothing about clean results."""
        if not _is_clean(call):
            return
        if self.share < 1 and not _chosen(call, self.share):
            self.left_out += 1
            return
        self.calls += 1
        plain = _plain(call)
        if plain is not None:
            shown = self._hide(plain) if self.private else plain
            seen = look(shown, PROFILES[self.profile])
            seen.hidden = shown is not plain
            self.kept.add(seen)

    def learned_from(self, call: Call) -> Call | None:
        """Return a call as results are checked; None of one that is not learned from."""
        if not _is_clean(call) or (self.share < 1 and not _chosen(call, self.share)):
            return None
        return _plain(call)

    def merge(self, other: "Observations") -> None:
        """Add all that another of the same profile has observed."""
        self.calls += other.calls
        self.left_out += other.left_out
        self.kept.merge(other.kept)  # type: ignore[arg-type]  # of the same profile

    @cached_property
    def _hide(self) -> Hide:
        return hider(self.private)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what a process can make for itself."""
        return {name: value for name, value in vars(self).items() if name != "_hide"}

    def candidates(self, workers: int = 1, again: Again | None = None) -> Iterator[tuple[str, Candidate]]:
        """Yield each clause that the observations suggest, with its tool, accepted or refused."""
        return self.kept.candidates(workers, self.empty().learned_from, again)

    def contracts(self, workers: int = 1, again: Again | Collection[Call] | None = None) -> Mined:
        """Accept what can be accepted, and write it as contracts; with several workers clauses are tried at once.

        `again` shows the calls once more, for what is suggested to be verified on them: the calls, or what adds them to a verification.
        Without it samples have to do.
        """
        with _without_collector():
            return self._contracts(workers, _showing(again) if isinstance(again, Collection) else again)

    def _contracts(self, workers: int, again: Again | None) -> Mined:
        accepted: dict[str, list[Candidate]] = {name: [] for name in sorted(self.kept.tools())}
        count = private = 0
        for name, candidate in self.candidates(workers, again):
            count += 1
            private += candidate.private
            if not candidate.refused:
                accepted[name].append(candidate)
        contracts = {
            name: Contract(
                name, in_order([*(candidate.clause for candidate in found), *self.kept.taken_back(name)])
            )
            for name, found in accepted.items()
        }
        registry = Registry(contracts, self.profile, self.kept.shapes())
        return Mined(registry, self.calls, count, sum(map(len, accepted.values())), self.left_out, private)


def _showing(calls: Iterable[Call]) -> Again:
    return lambda verification: verification.add_all(calls)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Hold the garbage collector off: it would take a third of the time, and what is made here has no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _is_clean(call: Call) -> bool:
    """Say whether a call is evidence; what was flagged when it was recorded is where someone says so, and takes the mark off."""
    return not call.error and call.extra.get(FLAGGED) is not True


def _plain(call: Call) -> Call | None:
    """Return a call in plain JSON; None where it has a number that no file can hold: it would be none of any contract."""
    plain = plain_call(call)
    return None if has_no_text(plain.result) or has_no_text(plain.arguments) else plain


def _chosen(call: Call, share: float) -> bool:
    """Say whether a call's task is in the share: by a hash of its own, since folds, parts and counts of tasks go by the other."""
    return stable_hash(f"share of {task_name(call)}") < share * 2**64


def mine(
    calls: Iterable[Call],
    profile: Profile = DEFAULT_PROFILE,
    *,
    budget: float = BUDGET,
    private: Iterable[str] = (),
    workers: int = 1,
    overrides: Overrides | FilePath | None = None,
    share: float = 1.0,
) -> Registry:
    """Learn contracts from clean calls.

    Args:
        calls: What was called and what came back; those that failed openly are left out.
        profile: `full` learns all kinds of clause at every depth, `paper` what the paper does.
        budget: The share of clean results that profile `full` may flag.
        private: Paths of which nothing is kept but presence and type: `customer.email`, `@password`.
        workers: Processes that try clauses; the contracts are the same, byte for byte.
        overrides: What people decided about clauses, or the file of it.
        share: Of the tasks, chosen by a hash of their names; the calls of the others are passed over.
    """
    refuse_one("mine(read_traces({}))", calls)
    refuse_one("private={}", private)
    observations = Observations(profile, budget, private, share)
    # They are looked at twice.
    calls = calls if isinstance(calls, Collection) else [*calls]
    observations.add_all(calls)
    registry = observations.contracts(workers, calls).registry
    if overrides is None:
        return registry
    decided = overrides if isinstance(overrides, Overrides) else Overrides.load(os.fspath(overrides))
    return decided.apply(registry)
