"""From counts to figures: shares with their uncertainty, and means over kinds of fault."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from outcome_monitors.reports import Share

from .faults import Fault
from .tally import AuditTally

__all__ = [
    "LEAST",
    "Alarms",
    "Audit",
    "FoldFigures",
    "KindFigures",
    "Point",
    "ToolFigures",
    "figures",
    "point",
]

LEAST = 3
"""A kind of fault that suits fewer calls is shown, but is not in the mean."""


@dataclass(frozen=True, slots=True)
class KindFigures:
    """What became of the results with one kind of fault."""

    fault: Fault
    caught: Share
    net: Share
    """Caught, where the clean result was not flagged already."""

    @property
    def variant(self) -> bool:
        """Whether the fault is a variant of another: its pattern names that one first."""
        return "," in self.fault.pattern

    @property
    def in_mean(self) -> bool:
        """Whether it counts in the mean of its suite."""
        return self.caught.whole >= LEAST and not self.variant


@dataclass(frozen=True, slots=True)
class Alarms:
    """The results that bear a violation code, or that a kind of clause flags."""

    clean: int
    clean_alone: int
    """Those that bear no other code, or that no other kind flags: without the clauses behind it they would not have been flagged."""
    faulted: int
    faulted_alone: int


@dataclass(frozen=True, slots=True)
class ToolFigures:
    """What became of one tool's results."""

    calls: int
    covered: int
    flagged: int
    codes: Mapping[str, int]
    """Clean results that bear each code."""
    caught: Share
    """Of its corrupted results."""


@dataclass(frozen=True, slots=True)
class FoldFigures:
    """A fold, and what was learned without it."""

    tasks: int
    calls: int
    clauses: int


@dataclass(frozen=True, slots=True)
class Point:
    """What comes of one budget."""

    budget: float
    clean: Share
    """Clean results flagged."""
    recall: Mapping[str, float | None]
    """The mean of each suite."""


@dataclass(frozen=True, slots=True)
class Audit:
    """All figures of an audit."""

    clean: Share
    """Clean results flagged: all of them false alarms."""
    tasks: Share
    """Tasks with a flagged clean result."""
    covered: Share
    """Clean calls of a tool that has a contract."""
    in_session: Share
    """Clean calls that name their session."""
    kinds: tuple[KindFigures, ...]
    codes: Mapping[str, Alarms]
    clause_kinds: Mapping[str, Alarms]
    tools: Mapping[str, ToolFigures]
    folds: tuple[FoldFigures, ...]
    failed: int
    """Checks that went wrong inside, and counted as results without an alarm."""
    curve: tuple[Point, ...]
    """By budget; empty where only one was tried."""

    def of(self, suite: str) -> tuple[KindFigures, ...]:
        """Return the kinds of one suite, in its order."""
        return tuple(kind for kind in self.kinds if kind.fault.suite == suite)

    def recall(self, suite: str) -> float | None:
        """Return the mean over a suite's kinds of the share caught."""
        return _mean(kind.caught for kind in self.of(suite) if kind.in_mean)

    def net_recall(self, suite: str) -> float | None:
        """Return the same, without what was flagged anyway."""
        return _mean(kind.net for kind in self.of(suite) if kind.in_mean)


def figures(wanted: Sequence[Fault], folds: Sequence[AuditTally], curve: Sequence[Point] = ()) -> Audit:
    """Return the figures of an audit from the counts of its folds."""
    whole = AuditTally()
    for fold in folds:
        whole.add(fold)
    calls = whole.calls.total()
    return Audit(
        clean=Share(whole.flagged.total(), calls),
        tasks=Share(sum(map(bool, whole.tasks_flagged.values())), len(whole.tasks)),
        covered=Share(whole.covered.total(), calls),
        in_session=Share(whole.in_session.total(), calls),
        kinds=_kinds(wanted, whole.made, whole.caught, whole.net),
        codes={
            code: Alarms(
                whole.clean[code], whole.clean_alone[code], whole.faulted[code], whole.faulted_alone[code]
            )
            for code in sorted({*whole.clean, *whole.faulted})
        },
        clause_kinds=_clause_kinds(whole),
        tools={tool: _tool(tool, whole) for tool in sorted(whole.calls)},
        folds=tuple(FoldFigures(len(fold.tasks), fold.calls.total(), fold.clauses.total()) for fold in folds),
        failed=whole.failed.total(),
        curve=tuple(curve),
    )


def point(wanted: Sequence[Fault], budget: float, folds: Iterable[AuditTally]) -> Point:
    """Return what comes of one budget, on the first results of each fault."""
    whole = AuditTally()
    for fold in folds:
        whole.add(fold)
    kinds = _kinds(wanted, whole.first_made, whole.first_caught, whole.first_caught)
    means = {
        suite: _mean(kind.caught for kind in kinds if kind.fault.suite == suite and kind.in_mean)
        for suite in dict.fromkeys(fault.suite for fault in wanted)
    }
    return Point(budget, Share(whole.flagged.total(), whole.calls.total()), means)


def _kinds(
    wanted: Iterable[Fault], made: Counter[str], caught: Counter[str], net: Counter[str]
) -> tuple[KindFigures, ...]:
    return tuple(
        KindFigures(
            fault, Share(caught[fault.name], made[fault.name]), Share(net[fault.name], made[fault.name])
        )
        for fault in wanted
    )


def _clause_kinds(whole: AuditTally) -> dict[str, Alarms]:
    every = frozenset[str]().union(*whole.clean_kinds, *whole.faulted_kinds)
    return {
        kind: Alarms(
            _with(whole.clean_kinds, kind),
            whole.clean_kinds[frozenset({kind})],
            _with(whole.faulted_kinds, kind),
            whole.faulted_kinds[frozenset({kind})],
        )
        for kind in sorted(every)
    }


def _with(results: Counter[frozenset[str]], kind: str) -> int:
    return sum(number for kinds, number in results.items() if kind in kinds)


def _tool(tool: str, whole: AuditTally) -> ToolFigures:
    return ToolFigures(
        whole.calls[tool],
        whole.covered[tool],
        whole.flagged[tool],
        {code: number for (name, code), number in sorted(whole.alarms.items()) if name == tool},
        Share(whole.tool_caught[tool], whole.tool_made[tool]),
    )


def _mean(shares: Iterable[Share]) -> float | None:
    values = [share.value for share in shares if share.value is not None]
    return fmean(values) if values else None
