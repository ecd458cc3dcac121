"""What `mine` says at the end: what each source gave, and what of it could not be used."""

from collections.abc import Iterator, Sequence

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.sources import Report

from ._mine_sources import FromTraces
from ._output import count, printable, table, warn, write

__all__ = ["summarise"]

LEAST_TASKS = 5
"""A tool seen in fewer tasks has clauses that chance alone could explain."""
MOST_NAMED = 10

Row = tuple[str, str, str, str, str]


def summarise(
    output: str, registries: Sequence[Registry], learned: FromTraces, reports: Sequence[Report]
) -> None:
    """Write the table of sources and what was left out; warn of tools with little evidence."""
    tools = {tool for registry in registries for tool in registry.contracts}
    clauses = sum(len(contract.clauses) for contract in registries[0].contracts.values())
    folds = f", {len(registries)} folds" if len(registries) > 1 else f", {count(clauses, 'clause')}"
    write(printable(f"{output}: contracts for {count(len(tools), 'tool')}{folds}") + "\n")
    rows = [*_trace_rows(learned), *map(_report_row, reports)]
    table(("source", ">calls", ">tools", ">candidates", ">clauses"), rows)
    for line in (*_left_out(learned), *(text for report in reports for text in _refused(report))):
        write(printable(line) + "\n")
    _warn_of_little_evidence(registries, learned)


def _trace_rows(learned: FromTraces) -> Iterator[Row]:
    for fold, mined in enumerate(learned.mined):
        name = "traces" if len(learned.mined) == 1 else f"traces without fold {fold}"
        yield (
            name,
            f"{mined.calls:,}",
            f"{len(mined.registry.contracts):,}",
            f"{mined.candidates:,}",
            f"{mined.accepted:,}",
        )


def _report_row(report: Report) -> Row:
    clauses = sum(len(contract.clauses) for contract in report.accepted)
    return (report.source, "", f"{len(report.accepted):,} of {report.candidates:,}", "", f"{clauses:,}")


def _left_out(learned: FromTraces) -> Iterator[str]:
    # With folds, each call is in all registries but one.
    if passed := sum(mined.left_out for mined in learned.mined) // max(len(learned.mined) - 1, 1):
        yield f"passed over: {count(passed, 'call')} of tasks that are not in the share"
    private = max((mined.private for mined in learned.mined), default=0)
    if private:
        yield f"left out as private: {count(private, 'candidate')}, whole or in part"
    if learned.failed_openly:
        yield f"not learned from: {count(learned.failed_openly, 'call')} that failed openly"
    for why, (lines, first) in sorted(learned.skipped.items(), key=lambda item: (-item[1][0], item[0])):
        yield f"skipped: {count(lines, 'line')}, {why} (first at {first})"


def _refused(report: Report) -> Iterator[str]:
    if report.refused:
        first = report.refused[0]
        place = f"{first.tool} {first.where}".strip()
        yield (
            f"{report.source}: {count(len(report.refused), 'place')} gave no clause (first: {place}: {first.why})"
        )
    if report.unused:
        named = ", ".join(f"{keyword} ({places:,})" for keyword, places in report.unused.items())
        yield f"{report.source}: keywords that no clause carries: {named}"


def _warn_of_little_evidence(registries: Sequence[Registry], learned: FromTraces) -> None:
    for fold, mined in enumerate(learned.mined):
        if not mined.calls:
            warn(
                f"nothing was learned without fold {fold}: all tasks are in it; use fewer folds or more tasks"
            )
    tasks: dict[str, int] = {}
    for registry in registries:
        for tool, contract in registry.contracts.items():
            seen = [clause.tasks for clause in contract.clauses if clause.source == "traces"]
            if seen:
                tasks[tool] = max(*seen, tasks.get(tool, 0))
    weak = sorted((seen, tool) for tool, seen in tasks.items() if seen < LEAST_TASKS)
    if weak:
        named = ", ".join(f"{tool} ({seen})" for seen, tool in weak[:MOST_NAMED])
        more = f" and {count(len(weak) - MOST_NAMED, 'more tool')}" if len(weak) > MOST_NAMED else ""
        warn(f"little evidence, fewer than {LEAST_TASKS} tasks: {named}{more}")
