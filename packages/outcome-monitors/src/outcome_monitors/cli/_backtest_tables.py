"""What `audit --then` says: right results, what changed, wrong results, and whether the odds hold."""

from collections.abc import Iterator, Sequence

from outcome_monitors.audit import Backtest, FaultFigures, Settings, backtest_advice
from outcome_monitors.reports import Share, percent, span

from ._output import count, printable, table, write

__all__ = ["write_backtest"]

MOST_CHANGES = 20


def write_backtest(found: Backtest, settings: Settings, traces: Sequence[str], then: Sequence[str]) -> None:
    """Write the figures as tables and sentences."""
    for line in _head(found, settings, traces, then):
        write(printable(line) + "\n")
    write("\n")
    _write_right(found)
    for line in _changes(found):
        write(printable(line) + "\n")
    write("\n")
    _write_wrong(found)
    if found.reliability:
        _write_reliability(found)
    write(printable(backtest_advice(found, settings.budget)) + "\n")


def _head(found: Backtest, settings: Settings, traces: Sequence[str], then: Sequence[str]) -> Iterator[str]:
    yield f"learned from {', '.join(traces)}: {count(found.clauses, 'clause')}"
    if settings.label_noise:
        yield f"  with dirt: {settings.label_noise:.2%} of the calls have a fault"
    yield (
        f"then {', '.join(then)}: {count(found.right.told.whole, 'right result')} of {count(len(found.tools), 'tool')},"
        " in order, as if live"
    )
    yield f"calls of a tool with a contract: {found.covered} ({percent(found.covered.value)})"


def _write_right(found: Backtest) -> None:
    rows = [
        (name, f"{right.told.whole:,}", _rate(right.flagged), _rate(right.told), _rate(right.late))
        for name, right in (
            ("as they are", found.right),
            (f"beside faults, {count(found.draws, 'draw')}", found.beside),
        )
    ]
    table(("right results", ">n", ">flagged", ">told", ">told, second half"), rows)
    if found.right.untold:
        said = ", ".join(f"{why} {number:,}" for why, number in found.right.untold.items())
        write(f"flagged and not told: {said}\n")


def _changes(found: Backtest) -> Iterator[str]:
    if not found.changes:
        yield "what changed: nothing that broke a clause has become usual"
        return
    yield "what changed:"
    yield from (f"  {sentence}" for sentence in found.changes[:MOST_CHANGES])
    more = len(found.changes) - MOST_CHANGES
    if more > 0:
        yield f"  and {count(more, 'more change')}"


def _write_wrong(found: Backtest) -> None:
    write(f"wrong results, over {count(found.draws, 'draw')} of faults\n")
    _write_faults("suite", [*found.suites, found.wrong])
    for suite in found.suites:
        kinds = [kind for kind in found.kinds if kind.suite == suite.name and kind.told.whole]
        if kinds:
            write(f"{suite.name}\n")
            _write_faults("fault", kinds)


def _write_faults(name: str, faults: Sequence[FaultFigures]) -> None:
    rows = [
        (
            fault.name,
            f"{fault.told.whole:,}",
            percent(fault.flagged.value),
            percent(fault.told.value),
            span(fault.told.interval),
        )
        for fault in faults
    ]
    table((name, ">n", ">flagged", ">told", ">95% interval"), rows)


def _write_reliability(found: Backtest) -> None:
    write("results that break something, by the odds of being wrong that they are given\n")
    rows = [
        (
            f"{percent(one.low)} to {percent(one.high)}",
            percent(one.said),
            f"{one.wrong.whole:,}",
            percent(one.wrong.value),
            span(one.wrong.interval),
        )
        for one in found.reliability
    ]
    table(("odds", ">mean", ">n", ">wrong", ">95% interval"), rows)
    write(f"of results that break nothing, {found.unbroken} are wrong\n\n")


def _rate(share: Share) -> str:
    return "-" if share.value is None else f"{share.value:.2%}"
