"""`demo`: the main job, start to finish, on the built-in tool world."""

import json
import textwrap
from pathlib import Path

import click

from outcome_monitors.mining.observations import PROFILES
from outcome_monitors.model import Json, Profile
from outcome_monitors.reports import percent, span
from outcome_monitors.study.demo import DemoSettings, Example, Figures, run
from outcome_monitors.study.demo.examples import describe
from outcome_monitors.study.demo.figures import by_suite
from outcome_monitors.study.demo.rows import caught_table, completed_table, learning_table
from outcome_monitors.values.display import clip_text

from ._output import WIDTH_WHEN_PIPED, count, printable, progress, table, write
from .show import clause_table

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors demo --out demo-out"""

USUAL = DemoSettings()


@click.command("demo", epilog=EPILOG)
@click.option(
    "--out", metavar="FOLDER", default="demo-out", show_default=True, help="Where to write all files."
)
@click.option(
    "--workflows",
    metavar="N",
    type=click.IntRange(8, 10_000),
    default=USUAL.workflows,
    show_default=True,
    help="How many workflows to make.",
)
@click.option(
    "--runs",
    metavar="N",
    type=click.IntRange(1, 10_000),
    default=USUAL.runs,
    show_default=True,
    help="How many of them to run under each kind of fault, at most.",
)
@click.option("--seed", metavar="N", type=int, default=USUAL.seed, show_default=True, help="Of all draws.")
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default=USUAL.profile,
    show_default=True,
    help="Which kinds of clauses to learn.",
)
def command(out: str, workflows: int, runs: int, seed: int, profile: Profile) -> None:
    """Trace clean runs, learn contracts, and run workflows under silent faults, without the monitor and with it.

    The agents are scripts, not models. Equal options give equal files.
    """
    folder = Path(out)
    figures = run(folder, DemoSettings(workflows=workflows, runs=runs, seed=seed, profile=profile), progress)
    _tell_contracts(figures, folder)
    for number, example in enumerate(figures.examples, 1):
        _tell_example(number, example)
    _tell_caught(figures)
    _tell_completed(figures)
    _tell_learning(figures)
    _tell_files(folder)


def _tell_contracts(figures: Figures, folder: Path) -> None:
    _heading("Contracts, learned from clean traces")
    _say(
        f"{count(figures.calls, 'clean call')} of {count(figures.tools, 'tool')} in"
        f" {count(figures.settings.workflows, 'workflow')} gave {count(figures.clauses, 'clause')} of {figures.kinds}"
        f" kinds. Below, each workflow is judged by contracts from the other workflows alone ({figures.settings.folds}"
        " folds)."
    )
    words = figures.contract
    _say(f"{words.tool} has {count(words.of, 'clause')}; this is the first of each kind. To see all:")
    write(printable(f"  outcome-monitors show {folder / 'contracts.json'} {words.tool}") + "\n\n")
    clause_table(words.clauses)


def _tell_example(number: int, example: Example) -> None:
    _heading(f"Receipt {number}: {example.story}")
    _say(f'"{example.request}"')
    strikes = "every time" if example.permanent else "once"
    _say(
        f"The agent calls {example.tool} with {json.dumps(example.arguments)}. A fault strikes {strikes}, and the call"
        f" still succeeds: {describe(example.differences)}. What it gets:"
    )
    _say(json.dumps(example.result))
    _say("What it gets with the monitor, the same result and a receipt that orders nothing:")
    _show_json(example.envelope)
    _say(f"Without the monitor: {example.without}. With it: {example.monitored}. (Scripted agents.)")


def _tell_caught(figures: Figures) -> None:
    _heading("What was caught")
    _say("Runs in which a fault had a place, and those whose first wrong result was flagged:")
    for suite, rows in by_suite(figures.faults).items():
        write(f"{suite}\n")
        table(*caught_table(rows))
    if figures.without_place:
        _say(f"Without a place in any result of this world: {', '.join(figures.without_place)}.")
    flagged, struck = figures.flagged_results, figures.flagged_workflows
    _say(
        f"All kinds together: {figures.caught} ({percent(figures.caught.value)}). Clean results flagged: {flagged}"
        f" ({percent(flagged.value)}), in {struck} workflows (95% interval {span(figures.flagged_interval)})."
    )


def _tell_completed(figures: Figures) -> None:
    _heading("Completed workflows, without and with the monitor")
    _say(
        "Scripted agents: one takes every result at face value, the other does what each receipt offers. It does so"
        " blindly, and where calling a tool again acts twice, that is harm."
    )
    table(*completed_table(figures.completed))


def _tell_learning(figures: Figures) -> None:
    _heading("How many workflows it takes")
    table(*learning_table(figures.learning))


def _tell_files(folder: Path) -> None:
    _heading("What to look at now")
    for line in (
        f"outcome-monitors show {folder / 'contracts.json'}",
        f"outcome-monitors check {folder / 'traces.jsonl.gz'} --folds {folder / 'folds.json'}",
        f"report: {folder / 'report.html'}",
    ):
        write(printable(line) + "\n")


def _heading(text: str) -> None:
    write(f"{text}\n{'─' * len(text)}\n")


def _say(text: str) -> None:
    write(textwrap.fill(printable(text), WIDTH_WHEN_PIPED, break_on_hyphens=False) + "\n\n")


def _show_json(value: Json) -> None:
    """Write JSON; a line that is too long is cut."""
    lines = json.dumps(value, indent=2).splitlines()
    write("\n".join(clip_text(line, WIDTH_WHEN_PIPED) for line in lines) + "\n\n")
