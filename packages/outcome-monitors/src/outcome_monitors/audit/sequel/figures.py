"""From the counts of runs to the figures of a sequel."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from outcome_monitors.audit.faults import Fault
from outcome_monitors.audit.reliability import ReliabilityBin, reliability
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.reports import Share

from .runs import SequelTally

__all__ = ["FaultFigures", "RightFigures", "Sequel", "ToolSequel", "sequel_figures"]


@dataclass(frozen=True, slots=True)
class RightFigures:
    """What became of right results: whatever is told of them is told in vain."""

    flagged: Share
    told: Share
    late: Share
    """Told, of those in the second half."""
    untold: Mapping[str, int]
    """Those flagged and not told, by why."""


@dataclass(frozen=True, slots=True)
class FaultFigures:
    """What became of wrong results: of one kind, of a suite, or of all."""

    name: str
    suite: str
    flagged: Share
    told: Share


@dataclass(frozen=True, slots=True)
class ToolSequel:
    """What became of one tool's right results, as they are."""

    results: int
    flagged: int
    told: int
    codes: Mapping[str, int]
    """What is told first."""


@dataclass(frozen=True, slots=True)
class Sequel:
    """All figures of a sequel."""

    clauses: int
    """Learned from the earlier traces."""
    covered: Share
    """Later calls of a tool that has a contract."""
    right: RightFigures
    """Of all later results, as they are."""
    beside: RightFigures
    """Of those that stayed right where faults were put into others, over all draws."""
    draws: int
    wrong: FaultFigures
    """Over all draws, as are the two that follow."""
    suites: tuple[FaultFigures, ...]
    kinds: tuple[FaultFigures, ...]
    reliability: tuple[ReliabilityBin, ...]
    unbroken: Share
    """Wrong ones among the results that break nothing."""
    changes: tuple[str, ...]
    """What has become usual in the later results, and is so at their end."""
    tools: Mapping[str, ToolSequel]
    failed: int
    """Checks that went wrong inside, and counted as results without an alarm."""


def sequel_figures(
    wanted: Sequence[Fault], registry: Registry, as_they_are: SequelTally, draws: Sequence[SequelTally]
) -> Sequel:
    """Return the figures from the run without faults and from those with them."""
    drawn = SequelTally()
    for tally in draws:
        drawn.add(tally)
    suites = dict.fromkeys(fault.suite for fault in wanted)
    return Sequel(
        clauses=sum(len(contract.clauses) for contract in registry.contracts.values()),
        covered=Share(as_they_are.covered.total(), as_they_are.right.total()),
        right=_right(as_they_are),
        beside=_right(drawn),
        draws=len(draws),
        wrong=_faults("all", "", wanted, drawn),
        suites=tuple(
            _faults(suite, suite, (fault for fault in wanted if fault.suite == suite), drawn)
            for suite in suites
        ),
        kinds=tuple(_faults(fault.name, fault.suite, (fault,), drawn) for fault in wanted),
        reliability=reliability(drawn.weighed, drawn.weighed_wrong),
        unbroken=Share(drawn.unbroken[True], drawn.unbroken.total()),
        changes=tuple(as_they_are.changes),
        tools={tool: _tool(tool, as_they_are) for tool in sorted(as_they_are.right)},
        failed=as_they_are.failed.total() + drawn.failed.total(),
    )


def _right(tally: SequelTally) -> RightFigures:
    results = tally.right.total()
    return RightFigures(
        Share(tally.flagged.total(), results),
        Share(tally.told.total(), results),
        Share(tally.late[True], tally.late.total()),
        dict(sorted(tally.untold.items())),
    )


def _faults(name: str, suite: str, faults: Iterable[Fault], tally: SequelTally) -> FaultFigures:
    names = [fault.name for fault in faults]

    def total(counts: Counter[str]) -> int:
        return sum(counts[each] for each in names)

    made = total(tally.made)
    return FaultFigures(
        name, suite, Share(total(tally.fault_flagged), made), Share(total(tally.fault_told), made)
    )


def _tool(tool: str, tally: SequelTally) -> ToolSequel:
    codes = {code: number for (name, code), number in sorted(tally.codes.items()) if name == tool}
    return ToolSequel(tally.right[tool], tally.flagged[tool], tally.told[tool], codes)
