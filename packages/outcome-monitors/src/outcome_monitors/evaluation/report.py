"""An audit, or a backtest, for people: sections of sentences and tables."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import NamedTuple

from outcome_monitors.reports import Share, count, percent, ranked, span

from .backtest_figures import Backtest, FaultFigures, backtest_advice
from .cases import Settings
from .figures import LEAST, Audit, KindFigures, advice

__all__ = ["Section", "audit_report", "backtest_report"]

MOST_CHANGES = 20


class Section(NamedTuple):
    """A part of a report."""

    title: str = ""
    lines: Sequence[str] = ()
    columns: Sequence[str] = ()
    """Of the table below the lines; one named with a leading `>` is of numbers."""
    rows: Sequence[Sequence[str]] = ()


def audit_report(
    audit: Audit, settings: Settings, traces: Sequence[str], failed_openly: int
) -> Iterator[Section]:
    """Yield false alarms and coverage, recall by kind of fault, alarms by code, and what to do next."""
    yield Section(lines=[*_audit_head(audit, settings, traces, failed_openly)])
    yield _beside_built_in(audit, settings)
    for suite in settings.suites:
        kinds = audit.of(suite)
        title = (
            f"{suite}: mean recall {percent(audit.recall(suite))}, net {percent(audit.net_recall(suite))},"
            f" over {count(sum(kind.in_mean for kind in kinds), 'kind')}"
        )
        yield _recall(title, [kind for kind in kinds if not kind.variant])
        if variants := [kind for kind in kinds if kind.variant]:
            yield _recall(f"{suite}, variants: not in the mean", variants)
    if any(_starred(kind) for kind in audit.kinds):
        yield Section(lines=[f"* suits fewer than {LEAST} calls: not in the mean"])
    yield Section(
        "results that bear each violation code, and those that bear it alone",
        columns=("code", ">clean", ">alone", ">faulted", ">alone"),
        rows=[(code, *(f"{number:,}" for number in astuple(alarms))) for code, alarms in audit.codes.items()],
    )
    yield Section(lines=[advice(audit, settings)])


def _audit_head(audit: Audit, settings: Settings, traces: Sequence[str], failed_openly: int) -> Iterator[str]:
    yield (
        f"{', '.join(traces)}: {count(audit.clean.whole, 'clean call')} of {count(len(audit.tools), 'tool')} in"
        f" {count(audit.tasks.whole, 'task')}, {settings.folds} folds"
    )
    if failed_openly:
        yield f"left out: {count(failed_openly, 'call')} that failed openly"
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


def _beside_built_in(audit: Audit, settings: Settings) -> Section:
    """Return what contracts flag beside what built-in rules flag alone."""
    recalls = {suite: audit.recall(suite) for suite in settings.suites}
    name = "contracts" if settings.profile == "paper" else "contracts and built-in rules"
    return Section(
        "mean recall, with contracts and without",
        columns=("rules", ">clean flagged", *(f">{suite}" for suite in settings.suites)),
        rows=[
            (rules, str(clean), *(percent(recall[suite]) for suite in settings.suites))
            for rules, clean, recall in (
                (name, audit.clean, recalls),
                ("built-in alone", audit.built_in.clean, audit.built_in.recall),
            )
        ],
    )


def _coverage(covered: Share) -> str:
    return f"calls of a tool with a contract: {covered} ({percent(covered.value)})"


def _recall(title: str, kinds: Sequence[KindFigures]) -> Section:
    return Section(
        title,
        columns=("fault", ">n", ">recall", ">95% interval", ">net"),
        rows=[
            (
                kind.fault.name + (" *" if _starred(kind) else ""),
                *_caught(kind.caught),
                percent(kind.net.value),
            )
            for kind in kinds
        ],
    )


def _caught(share: Share) -> tuple[str, str, str]:
    return f"{share.whole:,}", percent(share.value), span(share.interval)


def _starred(kind: KindFigures) -> bool:
    return not kind.in_mean and not kind.variant


def backtest_report(
    backtest: Backtest, settings: Settings, traces: Sequence[str], then: Sequence[str]
) -> Iterator[Section]:
    """Yield right results, what changed, wrong results, whether the odds hold, and what to do next."""
    head = [f"learned from {', '.join(traces)}: {count(backtest.clauses, 'clause')}"]
    head.append(
        f"then {', '.join(then)}: {count(backtest.right.told.whole, 'right result')} of"
        f" {count(len(backtest.tools), 'tool')}, in order, as if live"
    )
    yield Section(lines=[*head, _coverage(backtest.covered)])
    beside = f"beside faults, {count(backtest.draws, 'draw')}"
    yield Section(
        columns=("right results", ">n", ">flagged", ">alerted", ">alerted, second half"),
        rows=[
            (name, f"{right.told.whole:,}", _rate(right.flagged), _rate(right.told), _rate(right.late))
            for name, right in (("as they are", backtest.right), (beside, backtest.beside))
        ],
    )
    changes = [f"  {sentence}" for sentence in backtest.changes[:MOST_CHANGES]]
    if len(backtest.changes) > MOST_CHANGES:
        changes.append(f"  and {count(len(backtest.changes) - MOST_CHANGES, 'more change')}")
    none = "" if changes else " nothing that broke a clause has become usual"
    said = ", ".join(f"{why} {number:,}" for why, number in backtest.right.untold.items())
    untold = [f"flagged, but suppressed: {said}"] if said else []
    yield Section(lines=[*untold, f"what changed:{none}", *changes])
    title = f"wrong results, over {count(backtest.draws, 'draw')} of faults"
    yield _faults(title, "suite", [*backtest.suites, backtest.wrong])
    for suite in backtest.suites:
        kinds = [kind for kind in backtest.kinds if kind.suite == suite.name and kind.told.whole]
        if kinds:
            yield _faults(suite.name, "fault", kinds)
    if backtest.reliability:
        yield Section(
            "results that break something, by the odds of being wrong that they are given",
            columns=("odds", ">mean", ">n", ">wrong", ">95% interval"),
            rows=[
                (f"{percent(one.low)} to {percent(one.high)}", percent(one.said), *_caught(one.wrong))
                for one in backtest.reliability
            ],
        )
        yield Section(lines=[f"of results that break nothing, {backtest.unbroken} are wrong"])
    yield Section(lines=[backtest_advice(backtest, settings.budget)])


def _rate(share: Share) -> str:
    # Two decimals: what is flagged in vain is compared with a budget of about a hundredth.
    return "-" if share.value is None else f"{share.value:.2%}"


def _faults(title: str, name: str, faults: Sequence[FaultFigures]) -> Section:
    return Section(
        title,
        columns=(name, ">n", ">flagged", ">alerted", ">95% interval"),
        rows=[
            (
                fault.name,
                f"{fault.told.whole:,}",
                percent(fault.flagged.value),
                percent(fault.told.value),
                span(fault.told.interval),
            )
            for fault in faults
        ],
    )
