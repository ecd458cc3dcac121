"""The figures as a page."""

import json

from outcome_monitors.model import Json
from outcome_monitors.reports import (
    Dots,
    Estimate,
    Mark,
    Markup,
    Series,
    Share,
    bars,
    code,
    dots,
    element,
    lines,
    page,
    paragraph,
    percent,
    section,
    span,
    table,
    tiles,
)
from outcome_monitors.rules import explain

from .examples import Example, describe
from .figures import Caught, Figures, by_suite
from .rows import caught_table, completed_table, learning_table

__all__ = ["draw"]


def draw(figures: Figures) -> str:
    """Return the page."""
    return page(
        "What the tools got wrong, and who noticed",
        f"{figures.settings.workflows:,} workflows in a made-up world of tools, {figures.overall.without.whole:,} runs"
        " under silent faults, with contracts that never saw the workflow they judge."
        " The agents are scripts, not models.",
        *map(_example, figures.examples[:1]),
        _tiles(figures),
        *map(_example, figures.examples[1:]),
        _caught(figures),
        _completed(figures),
        _learning(figures),
        _contract(figures),
        _measured(figures),
    )


def _tiles(figures: Figures) -> Markup:
    overall, flagged = figures.overall, figures.flagged_results
    return tiles(
        [
            (percent(figures.caught.value), f"of silently wrong results caught: {figures.caught} runs"),
            (percent(flagged.value), f"of clean results flagged: {flagged}"),
            (percent(overall.without.value), f"of runs completed without the monitor: {overall.without}"),
            (percent(overall.monitored.value), f"of the same runs completed with it: {overall.monitored}"),
        ]
    )


def _example(example: Example) -> Markup:
    strikes = "every time" if example.permanent else "once"
    return section(
        f"One run: {example.story}",
        element("h3", "The question"),
        paragraph(element("q", example.request)),
        element("h3", "The wrong result"),
        paragraph(
            f"The agent calls {example.tool} with ",
            element("code", json.dumps(example.arguments)),
            f". A fault strikes {strikes}, and the call still succeeds: {describe(example.differences)}.",
        ),
        element(
            "div",
            code(_pretty(example.result), "What the tool seems to say"),
            code(
                _pretty(example.envelope["outcome_contract"]), "The receipt that the monitor puts beside it"
            ),
            class_="pair",
        ),
        element("h3", "What the agent did"),
        paragraph(example.did),
        table(
            ("", "how the task ended"),
            [
                ("without the monitor", example.without),
                ("with the monitor", example.monitored),
            ],
        ),
        paragraph(
            f"The fault is {example.fault}: {example.summary} The result itself is passed on unaltered, and the receipt"
            " orders nothing. Of many such runs this one is shown because it is short."
        ),
    )


def _pretty(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _caught(figures: Figures) -> Markup:
    return section(
        "What was caught",
        paragraph(
            "Each row is one kind of silent fault. The bar is the share of runs in which the first corrupted result was"
            " flagged; the whisker is the 95% Wilson interval. Within a kind, no workflow counts twice."
        ),
        *(
            part
            for suite, rows in by_suite(figures.faults).items()
            for part in (
                element("h3", suite),
                bars(f"Faults of the suite {suite} that were caught", list(map(_mark, rows))),
            )
        ),
        _all_faults(figures),
    )


def _mark(row: Caught) -> Mark:
    return Mark(row.fault, _estimate(row.share, row.interval), _counted(row.share), row.summary)


def _all_faults(figures: Figures) -> Markup:
    shown = [row for rows in by_suite(figures.faults).values() for row in rows]
    (first, *columns), rows = caught_table(shown)
    nowhere = ", ".join(figures.without_place)
    return element(
        "details",
        element("summary", "All faults in a table, with what each does"),
        table(
            (first, "what it does", *columns),
            [(name, row.summary, *rest) for row, (name, *rest) in zip(shown, rows, strict=True)],
        ),
        *([paragraph(f"Without a place in any result of this world: {nowhere}.")] if nowhere else []),
    )


def _completed(figures: Figures) -> Markup:
    names = ("without the monitor", "with the monitor")
    return section(
        "What became of the tasks",
        paragraph(
            "A run is completed when the world and the answer are what they are after a clean run. The first script takes"
            " every result at face value. The second acts on each receipt: it calls what the receipt lists until a result"
            " comes without one."
        ),
        dots(
            "Completed runs without and with the monitor",
            names,
            [
                Dots(
                    row.group,
                    (_estimate(row.without), _estimate(row.monitored)),
                    f"{percent(row.without.value)} → {percent(row.monitored.value)}",
                )
                for row in figures.completed
            ],
        ),
        table(*completed_table(figures.completed)),
        paragraph(
            "Rescued runs were completed with the monitor alone, broken ones without it alone. The script heeds receipts"
            " blindly: where calling a tool again acts twice, as a second order does, that is harm. A receipt does not"
            " bind, so that an agent can judge better."
        ),
    )


def _learning(figures: Figures) -> Markup:
    return section(
        "How many workflows it takes",
        paragraph(
            "Contracts learned from fewer workflows, judged on the same ones, from which none was learned: the share of"
            " corrupted results caught, and of clean results flagged."
        ),
        lines(
            "Caught and flagged by the number of workflows learned from",
            [
                Series(
                    "clean results flagged", [(p.workflows, _estimate(p.flagged)) for p in figures.learning]
                ),
                Series(
                    "wrong results caught", [(p.workflows, _estimate(p.caught)) for p in figures.learning]
                ),
            ],
            across="workflows learned from",
        ),
        table(*learning_table(figures.learning)),
    )


def _contract(figures: Figures) -> Markup:
    words = figures.contract
    return section(
        f"A contract in words: {words.tool}",
        paragraph(
            f"{figures.clauses:,} clauses of {figures.kinds} kinds were learned for {figures.contracts} tools from"
            f" {figures.calls:,} clean calls. Of the {words.of} about {words.tool}, here is the first of each kind."
        ),
        table(
            ("clause", ">samples", ">tasks"),
            [(explain(clause), f"{clause.samples:,}", f"{clause.tasks:,}") for clause in words.clauses],
        ),
    )


def _measured(figures: Figures) -> Markup:
    settings = figures.settings
    clean = figures.flagged_workflows
    return section(
        "How this was measured",
        paragraph(
            f"Profile {settings.profile}, seed {settings.seed}, suites {', '.join(settings.suites)}. The workflows were"
            f" split into {settings.folds} folds; each is judged by contracts learned from the other folds alone. All"
            " workflows play in one world, so that contracts may know a record from another workflow, as they would of a"
            " real system."
        ),
        paragraph(
            f"Each kind of fault was put into at most {settings.runs} workflows, drawn by the seed, at a tool in whose"
            " results it has a place; every second time it strikes every result of that tool, else only the first. It"
            " changes what the caller sees, never the world."
        ),
        paragraph(
            f"Clean results were flagged in {clean} workflows ({percent(clean.value)}, 95% interval"
            f" {span(figures.flagged_interval)}). Totals over several kinds of faults have no interval: their runs share"
            " workflows."
        ),
        paragraph(
            "Both agents are scripts. They show what a wrong value does to a task and what heeding receipts can do about"
            " it, not how often a model would heed them."
        ),
    )


def _estimate(share: Share, interval: tuple[float, float] | None = None) -> Estimate:
    return Estimate(share.value, *((None, None) if interval is None else interval))


def _counted(share: Share) -> str:
    return f"{percent(share.value)}  ({share})"
