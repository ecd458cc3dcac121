"""The figures of an audit, or of a backtest, for people: sections of sentences and tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from outcome_monitors.model import Json
from outcome_monitors.reports import Share, count, percent, ranked, span

from .figures import LEAST, Figures

MOST_CHANGES = 20


class Section(NamedTuple):
    """A part of a report."""

    title: str = ""
    lines: Sequence[str] = ()
    columns: Sequence[str] = ()
    """Of the table below the lines; one named with a leading `>` is of numbers."""
    rows: Sequence[Sequence[str]] = ()


def audit_report(found: Figures) -> Iterator[Section]:
    """Yield false alarms and coverage, recall by kind of fault, alarms by code, and what to do next."""
    yield Section(lines=[*_audit_head(found)])
    yield _with_and_without_contracts(found)
    for suite, figures in found["suites"].items():
        kinds = [row for row in found["faults"] if row["suite"] == suite]
        title = (
            f"{suite}: mean recall {percent(figures['recall'])}, net {percent(figures['net_recall'])},"
            f" over {count(figures['kinds_in_mean'], 'kind')}"
        )
        yield _recall(title, [row for row in kinds if not row["variant"]])
        if variants := [row for row in kinds if row["variant"]]:
            yield _recall(f"{suite}, variants: not in the mean", variants)
    if any(_starred(row) for row in found["faults"]):
        yield Section(lines=[f"* suits fewer than {LEAST} calls: not in the mean"])
    yield Section(
        "results with each violation code, and those with that code alone",
        columns=("code", ">clean", ">alone", ">faulted", ">alone"),
        rows=[
            (code, *(f"{number:,}" for number in alarms.values())) for code, alarms in found["codes"].items()
        ],
    )
    yield Section(lines=[found["advice"]])


def _audit_head(found: Figures) -> Iterator[str]:
    clean, settings = found["clean"], found["settings"]
    tasks = clean["tasks"]
    yield (
        f"{', '.join(found['traces'])}: {count(clean['calls'], 'clean call')} of {count(len(found['tools']), 'tool')}"
        f" in {count(tasks['tasks'], 'task')}, {settings['folds']} folds"
    )
    if failed := found["calls"]["failed_openly"]:
        yield f"left out: {count(failed, 'call')} that failed openly"
    low, high = clean["interval"] or (0.0, 1.0)
    rate = f"{clean['rate'] or 0.0:.2%}; 95% interval {low:.2%} to {high:.2%}"
    yield f"clean results flagged: {Share(clean['flagged'], clean['calls'])} ({rate})"
    yield f"  in {Share(tasks['flagged'], tasks['tasks'])} tasks; budget {settings['budget']:.2%}"
    yield _coverage(found)
    bare = {
        name: tool["calls"] - tool["covered"]
        for name, tool in found["tools"].items()
        if tool["calls"] > tool["covered"]
    }
    if bare:
        yield f"without a contract: {ranked(bare)}"


def _with_and_without_contracts(found: Figures) -> Section:
    """Compare what contracts flag with what built-in rules flag alone."""
    recalls = {suite: figures["recall"] for suite, figures in found["suites"].items()}
    name = "contracts" if found["settings"]["profile"] == "paper" else "contracts and built-in rules"
    return Section(
        "mean recall, with contracts and without",
        columns=("rules", ">clean flagged", *(f">{suite}" for suite in recalls)),
        rows=[
            (rules, str(Share(clean["flagged"], clean["calls"])), *map(percent, recall.values()))
            for rules, clean, recall in (
                (name, found["clean"], recalls),
                ("built-in alone", found["built_in"]["clean"], found["built_in"]["suites"]),
            )
        ],
    )


def _coverage(found: Figures) -> str:
    covered = found["coverage"]
    share = Share(covered["covered"], covered["calls"])
    return f"calls of a tool with a contract: {share} ({percent(share.value)})"


def _recall(title: str, kinds: Sequence[Figures]) -> Section:
    return Section(
        title,
        columns=("fault", ">n", ">recall", ">95% interval", ">net"),
        rows=[
            (
                row["fault"] + (" *" if _starred(row) else ""),
                f"{row['n']:,}",
                percent(row["recall"]),
                span(row["interval"]),
                percent(row["net_recall"]),
            )
            for row in kinds
        ],
    )


def _starred(row: Figures) -> bool:
    return not row["in_mean"] and not row["variant"]


def backtest_report(found: Figures) -> Iterator[Section]:
    """Yield right results, what changed, wrong results, whether the odds are calibrated, and what to do next."""
    draws = count(found["settings"]["draws"], "draw")
    right, tools = (
        count(found["right"]["told"]["results"], "right result"),
        count(len(found["tools"]), "tool"),
    )
    yield Section(
        lines=[
            f"learned from {', '.join(found['traces'])}: {count(found['clauses'], 'clause')}",
            f"then {', '.join(found['then'])}: {right} of {tools}, in order, as if live",
            _coverage(found),
        ]
    )
    yield Section(
        columns=("right results", ">n", ">flagged", ">alerted", ">alerted, second half"),
        rows=[
            (
                name,
                f"{row['told']['results']:,}",
                *(_rate(row[key]) for key in ("flagged", "told", "told_late")),
            )
            for name, row in (
                ("as they are", found["right"]),
                (f"beside faults, {draws}", found["right_beside_faults"]),
            )
        ],
    )
    yield Section(lines=[*_changes(found)])
    suites = [{"fault": name, **row} for name, row in found["suites"].items()]
    yield _faults(
        f"wrong results, over {draws} of faults", "suite", [*suites, {"fault": "all", **found["wrong"]}]
    )
    for suite in found["suites"]:
        kinds = [row for row in found["faults"] if row["suite"] == suite and row["n"]]
        if kinds:
            yield _faults(suite, "fault", kinds)
    if found["reliability"]:
        yield Section(
            "results with violations, by their odds of being wrong",
            columns=("odds", ">mean", ">n", ">wrong", ">95% interval"),
            rows=[
                (
                    f"{percent(row['from'])} to {percent(row['to'])}",
                    percent(row["said"]),
                    f"{row['results']:,}",
                    percent(row["rate"]),
                    span(row["interval"]),
                )
                for row in found["reliability"]
            ],
        )
        unbroken = found["unbroken"]
        wrong = Share(unbroken["wrong"], unbroken["results"])
        yield Section(lines=[f"of results without violations, {wrong} are wrong"])
    yield Section(lines=[found["advice"]])


def _changes(found: Figures) -> Iterator[str]:
    if untold := found["right"]["untold"]:
        reasons = ", ".join(f"{why} {number:,}" for why, number in untold.items())
        yield f"flagged, but suppressed: {reasons}"
    changes = found["changes"]
    yield "what changed:" if changes else "what changed: nothing"
    yield from (f"  {sentence}" for sentence in changes[:MOST_CHANGES])
    if len(changes) > MOST_CHANGES:
        yield f"  and {count(len(changes) - MOST_CHANGES, 'more change')}"


def _rate(share: Mapping[str, Json]) -> str:
    # Two decimals: a rate of false alarms is compared with a budget of about a hundredth.
    return "-" if share["rate"] is None else f"{share['rate']:.2%}"


def _faults(title: str, name: str, rows: Sequence[Figures]) -> Section:
    return Section(
        title,
        columns=(name, ">n", ">flagged", ">alerted", ">95% interval"),
        rows=[
            (
                row["fault"],
                f"{row['n']:,}",
                percent(row["flagged_rate"]),
                percent(row["told_rate"]),
                span(row["interval"]),
            )
            for row in rows
        ],
    )
