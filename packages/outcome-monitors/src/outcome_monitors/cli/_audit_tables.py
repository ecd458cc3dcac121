"""What `audit` says: false alarms, coverage, recall by kind, alarms by code, and what to do next."""

from collections.abc import Iterable, Iterator, Sequence

from outcome_monitors.audit import LEAST, Audit, KindFigures, Settings, advice
from outcome_monitors.reports import Share, percent, span

from ._output import count, printable, table, write

__all__ = ["write_audit"]

MOST_TOOLS = 10


def write_audit(audit: Audit, settings: Settings, traces: Sequence[str], failed_openly: int) -> None:
    """Write the figures as tables and sentences."""
    for line in _head(audit, settings, traces, failed_openly):
        write(printable(line) + "\n")
    write("\n")
    for suite in settings.suites:
        _write_suite(audit, suite)
    if any(_starred(kind) for kind in audit.kinds):
        write(f"* suits fewer than {LEAST} calls: not in the mean\n\n")
    if audit.codes:
        _write_codes(audit)
    write(printable(advice(audit, settings)) + "\n")


def _head(audit: Audit, settings: Settings, traces: Sequence[str], failed_openly: int) -> Iterator[str]:
    yield (
        f"{', '.join(traces)}: {count(audit.clean.whole, 'clean call')} of {count(len(audit.tools), 'tool')} in"
        f" {count(audit.tasks.whole, 'task')}, {settings.folds} folds"
    )
    if failed_openly:
        yield f"left out: {count(failed_openly, 'call')} that failed openly"
    if settings.label_noise:
        yield f"learned from traces with dirt: {settings.label_noise:.2%} of the calls have a fault"
    yield f"clean results flagged: {_false_alarms(audit.clean)}"
    yield f"  in {audit.tasks} tasks; budget {settings.budget:.2%}"
    yield f"calls of a tool with a contract: {audit.covered} ({percent(audit.covered.value)})"
    bare = {
        name: tool.calls - tool.covered for name, tool in audit.tools.items() if tool.calls > tool.covered
    }
    if bare:
        yield f"without a contract: {_by_calls(bare)}"


def _by_calls(tools: dict[str, int]) -> str:
    ranked = sorted(tools.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{name} ({calls:,})" for name, calls in ranked[:MOST_TOOLS])
    more = len(ranked) - MOST_TOOLS
    return f"{named} and {count(more, 'more tool')}" if more > 0 else named


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


def _write_codes(audit: Audit) -> None:
    write("results that bear each violation code, and those that bear it alone\n")
    rows = [
        (code, *(f"{number:,}" for number in (a.clean, a.clean_alone, a.faulted, a.faulted_alone)))
        for code, a in audit.codes.items()
    ]
    table(("code", ">clean", ">alone", ">faulted", ">alone"), rows)


def _false_alarms(share: Share) -> str:
    low, high = share.interval or (0.0, 1.0)
    return f"{share} ({share.value or 0.0:.2%}; 95% interval {low:.2%} to {high:.2%})"
