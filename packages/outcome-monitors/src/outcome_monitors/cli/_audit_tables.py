"""What `audit` and `audit --then` write as text: tables and sentences."""

from collections.abc import Iterable, Iterator, Sequence

from outcome_monitors.evaluation import (
    LEAST,
    Audit,
    Backtest,
    FaultFigures,
    KindFigures,
    Settings,
    advice,
    backtest_advice,
)
from outcome_monitors.reports import Share, percent, span

from ._output import count, ranked, table, write, write_line

__all__ = ["write_audit", "write_backtest"]

MOST_CHANGES = 20


def write_audit(audit: Audit, settings: Settings, traces: Sequence[str], failed_openly: int) -> None:
    """Write false alarms, coverage, recall by kind, alarms by code, and what to do next."""
    for line in _audit_head(audit, settings, traces, failed_openly):
        write_line(line)
    write("\n")
    for suite in settings.suites:
        _write_suite(audit, suite)
    if any(_starred(kind) for kind in audit.kinds):
        write(f"* suits fewer than {LEAST} calls: not in the mean\n\n")
    if audit.codes:
        write("results that bear each violation code, and those that bear it alone\n")
        rows = [
            (code, *(f"{number:,}" for number in (a.clean, a.clean_alone, a.faulted, a.faulted_alone)))
            for code, a in audit.codes.items()
        ]
        table(("code", ">clean", ">alone", ">faulted", ">alone"), rows)
    write_line(advice(audit, settings))


def _audit_head(audit: Audit, settings: Settings, traces: Sequence[str], failed_openly: int) -> Iterator[str]:
    yield (
        f"{', '.join(traces)}: {count(audit.clean.whole, 'clean call')} of {count(len(audit.tools), 'tool')} in"
        f" {count(audit.tasks.whole, 'task')}, {settings.folds} folds"
    )
    if failed_openly:
        yield f"left out: {count(failed_openly, 'call')} that failed openly"
    if settings.label_noise:
        yield f"learned from traces with dirt: {settings.label_noise:.2%} of the calls have a fault"
    low, high = audit.clean.interval or (0.0, 1.0)
    rate = f"{audit.clean.value or 0.0:.2%}; 95% interval {low:.2%} to {high:.2%}"
    yield f"clean results flagged: {audit.clean} ({rate})"
    yield f"  in {audit.tasks} tasks; budget {settings.budget:.2%}"
    yield _coverage(audit.covered)
    bare = {
        name: tool.calls - tool.covered for name, tool in audit.tools.items() if tool.calls > tool.covered
    }
    if bare:
        yield f"without a contract: {ranked(bare)}"


def _coverage(covered: Share) -> str:
    return f"calls of a tool with a contract: {covered} ({percent(covered.value)})"


def _write_suite(audit: Audit, suite: str) -> None:
    kinds = audit.of(suite)
    counted = sum(kind.in_mean for kind in kinds)
    write(
        f"{suite}: mean recall {percent(audit.recall(suite))}, net {percent(audit.net_recall(suite))},"
        f" over {count(counted, 'kind')}\n"
    )
    _write_kinds(kind for kind in kinds if not kind.variant)
    variants = [kind for kind in kinds if kind.variant]
    if variants:
        write(f"{suite}, variants: not in the mean\n")
        _write_kinds(variants)


def _write_kinds(kinds: Iterable[KindFigures]) -> None:
    rows = [
        (
            kind.fault.name + (" *" if _starred(kind) else ""),
            f"{kind.caught.whole:,}",
            percent(kind.caught.value),
            span(kind.caught.interval),
            percent(kind.net.value),
        )
        for kind in kinds
    ]
    table(("fault", ">n", ">recall", ">95% interval", ">net"), rows)


def _starred(kind: KindFigures) -> bool:
    return not kind.in_mean and not kind.variant


def write_backtest(found: Backtest, settings: Settings, traces: Sequence[str], then: Sequence[str]) -> None:
    """Write right results, what changed, wrong results, and whether the odds hold."""
    for line in _backtest_head(found, settings, traces, then):
        write_line(line)
    write("\n")
    _write_right(found)
    _write_changes(found.changes)
    _write_wrong(found)
    if found.reliability:
        _write_reliability(found)
    write_line(backtest_advice(found, settings.budget))


def _backtest_head(
    found: Backtest, settings: Settings, traces: Sequence[str], then: Sequence[str]
) -> Iterator[str]:
    yield f"learned from {', '.join(traces)}: {count(found.clauses, 'clause')}"
    if settings.label_noise:
        yield f"  with dirt: {settings.label_noise:.2%} of the calls have a fault"
    yield (
        f"then {', '.join(then)}: {count(found.right.told.whole, 'right result')} of {count(len(found.tools), 'tool')},"
        " in order, as if live"
    )
    yield _coverage(found.covered)


def _write_right(found: Backtest) -> None:
    beside = f"beside faults, {count(found.draws, 'draw')}"
    rows = [
        (name, f"{right.told.whole:,}", _rate(right.flagged), _rate(right.told), _rate(right.late))
        for name, right in (("as they are", found.right), (beside, found.beside))
    ]
    table(("right results", ">n", ">flagged", ">told", ">told, second half"), rows)
    if found.right.untold:
        said = ", ".join(f"{why} {number:,}" for why, number in found.right.untold.items())
        write(f"flagged and not told: {said}\n")


def _rate(share: Share) -> str:
    return "-" if share.value is None else f"{share.value:.2%}"


def _write_changes(changes: Sequence[str]) -> None:
    none = "" if changes else " nothing that broke a clause has become usual"
    write(f"what changed:{none}\n")
    for sentence in changes[:MOST_CHANGES]:
        write_line(f"  {sentence}")
    if len(changes) > MOST_CHANGES:
        write(f"  and {count(len(changes) - MOST_CHANGES, 'more change')}\n")
    write("\n")


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
