"""The work of `check`: every call of the traces against the contracts that may judge it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from outcome_monitors.alerting.policy import Policy, alert_always
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.replay import MonitorOf, Replay
from outcome_monitors.contracts.folds import FoldIndex, load_contracts
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Call, Outcome
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.traces.reader import Located, Skipped, TraceReport, read_located
from outcome_monitors.values.files import FilePath

from ._output import progress, warn

__all__ = ["CheckTally", "Checked", "as_it_is", "calls_in", "check_all", "monitor_of"]

Change = Callable[[Registry], Registry]


class Checked(NamedTuple):
    """One call, and what became of its result."""

    position: int
    """Its place among the calls read, over all files; lines that are no call do not count."""
    located: Located
    covered: bool
    outcome: Outcome

    @property
    def failed_openly(self) -> bool:
        """The call says so itself: there is no result to check."""
        return self.outcome.why == "an open failure"

    @property
    def failure(self) -> str:
        """What went wrong inside, where something did: the result was not checked, or not in full."""
        return self.outcome.failures[-1] if self.outcome.failures else ""


@dataclass(slots=True)
class CheckTally:
    """What became of all calls."""

    calls: int = 0
    checked: int = 0
    flagged: int = 0
    failed_openly: int = 0
    could_not: int = 0
    not_covered: Counter[str] = field(default_factory=Counter)
    """Calls without a contract, by tool."""
    with_alternative: int = 0
    """Flagged results whose receipt names at least two admissible actions."""
    skipped: list[Skipped] = field(default_factory=list)
    """Lines that are no call."""

    def add(self, checked: Checked) -> None:
        """Count one call."""
        self.calls += 1
        if checked.failed_openly:
            self.failed_openly += 1
        elif not checked.covered:
            self.not_covered[checked.located.call.tool] += 1
        elif checked.failure:
            self.could_not += 1
        else:
            self.checked += 1
        if checked.outcome.broken:
            self.flagged += 1
            self.with_alternative += len(checked.outcome.recovery) >= 2


def calls_in(traces: tuple[FilePath, ...], strict: bool, tally: CheckTally) -> Iterator[Located]:
    """Yield the calls of traces, with progress; a line that is none is told and counted, or, if `strict`, the end of it."""

    def skip(line: Skipped) -> None:
        tally.skipped.append(line)
        warn(f"{line}; the line is skipped")

    report = TraceReport(on_skip=None if strict else skip)
    yield from progress(read_located(traces, strict=strict, report=report), "call")
    report.require_calls()


def as_it_is(registry: Registry) -> Registry:
    """Change nothing."""
    return registry


def monitor_of(
    contracts: str | None, folds: str | None, relations: Relations | None = None, change: Change = as_it_is
) -> MonitorOf:
    """Return what picks the monitor of a call; `change` is done to all contracts first.

    A task that a fold index knows is judged by the registry that never saw it, any other by the
    contracts, or, without
    any, by the registry of the fold it would have had.
    """
    whole = load_contracts(contracts) if contracts is not None else None
    index = FoldIndex.load(folds) if folds is not None else None
    if isinstance(whole, FoldIndex):
        whole, index = None, index or whole
    if index is None:
        one = Monitor(change(Registry() if whole is None else whole), relations)
        return lambda _: one
    by_fold = [Monitor(change(registry), relations) for registry in index.load_registries()]
    rest = Monitor(change(whole), relations) if whole is not None else None

    def pick(call: Call) -> Monitor:
        return rest if rest is not None and not index.knows(call) else by_fold[index.fold(call)]

    return pick


def check_all(
    calls: Iterable[Located], monitors: MonitorOf, tally: CheckTally, policy: Policy = alert_always
) -> Iterator[Checked]:
    """Check calls in order, counting them in `tally`."""
    replay = Replay(monitors)
    with quiet():
        for position, located in enumerate(calls):
            outcome = replay.judge(located.call, policy)
            checked = Checked(position, located, _covered(outcome, located.call, monitors), outcome)
            tally.add(checked)
            yield checked


def _covered(outcome: Outcome, call: Call, monitors: MonitorOf) -> bool:
    # Of a call that failed openly nobody has asked yet.
    return monitors(call).covers(call.tool, call.result) if call.error else outcome.why != "no contract"
