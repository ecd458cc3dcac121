"""`demo`: the main job, start to finish, on the built-in tool world."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from outcome_monitors.cli._output import WIDTH_WHEN_PIPED, count, printable, progress, write
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.mining.observations import PROFILES
from outcome_monitors.model import Profile
from outcome_monitors.proxy.status_server import TOKEN
from outcome_monitors.reports import percent
from outcome_monitors.values.display import clip_text
from outcome_monitors_server.cli.console import LISTEN
from outcome_monitors_study.demo import DemoSettings, Example, Figures, run
from outcome_monitors_study.demo.live import learn_in_advance, world_at_work

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors demo --out demo-out

\b
A world that runs, and the console on it:
  outcome-monitors demo --live"""

USUAL = DemoSettings()


@click.command("demo", epilog=EPILOG)
@click.option("--out", metavar="FOLDER", default="demo-out", show_default=True, help="The output folder.")
@click.option(
    "--workflows",
    metavar="N",
    type=click.IntRange(8, 10_000),
    default=USUAL.workflows,
    show_default=True,
    help="Workflows to generate.",
)
@click.option(
    "--runs",
    metavar="N",
    type=click.IntRange(1, 10_000),
    default=USUAL.runs,
    show_default=True,
    help="Workflows to run for each kind of fault, at most.",
)
@click.option("--seed", metavar="N", type=int, default=USUAL.seed, show_default=True, help="The random seed.")
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default=USUAL.profile,
    show_default=True,
    help="The mining profile.",
)
@click.option("--live", is_flag=True, help="Open the console on a running world.")
@click.option(
    "--listen", metavar="HOST:PORT", default=LISTEN, show_default=True, help="The console's address."
)
def command(out: str, workflows: int, runs: int, seed: int, profile: Profile, live: bool, listen: str) -> int:
    """Run workflows of the tool world under silent faults, with and without the monitor.

    The agents are scripts. Equal options give equal files.
    """
    folder = Path(out)
    if live:
        return _live(folder / "live", listen, workflows)
    figures = run(folder, DemoSettings(workflows=workflows, runs=runs, seed=seed, profile=profile), progress)
    told = [clip_text(line, WIDTH_WHEN_PIPED) for line in (*_first(figures.examples), *_counted(figures))]
    write("".join(f"{line}\n" for line in (*told, *map(printable, _files(folder)))))
    return 0


def _live(folder: Path, listen: str, workflows: int) -> int:
    """Serve the console on a world that runs."""
    from outcome_monitors_server.console.server import serve  # noqa: PLC0415 - an extra

    folder.mkdir(parents=True, exist_ok=True)
    learn_in_advance(folder, workflows, progress)
    click.echo(
        f"outcome-monitors: agents are at work, and some results are wrong; all is in {folder}", err=True
    )
    with world_at_work(folder, workflows):
        return serve(StateFolder(folder), listen, os.environ.get(TOKEN, ""))


def _first(examples: Sequence[Example]) -> Iterator[str]:
    """Yield the first receipt in four lines: what was asked, what came, what the agent was told, and what came of it."""
    for example in examples[:1]:
        broken = example.envelope["outcome_contract"]["violation"]
        place = broken["path"] or "the result"
        expected, observed = (
            json.dumps(broken[name], ensure_ascii=False) for name in ("expected", "observed")
        )
        yield f"{example.tool}({', '.join(map(json.dumps, example.arguments.values()))}): {place} is {observed}"
        yield f"receipt: expected {expected}; can be called now: {', '.join(example.offered)}"
        yield f"without the monitor: {example.without}"
        yield f"with it, a script that heeds receipts: {example.monitored}"


def _counted(figures: Figures) -> Iterator[str]:
    overall, flagged = figures.overall, figures.flagged_results
    yield f"learned: {count(figures.clauses, 'clause')} from {count(figures.calls, 'clean call')} of {count(figures.tools, 'tool')}"
    yield f"wrong results caught: {figures.caught} ({percent(figures.caught.value)}); right ones flagged: {flagged} ({percent(flagged.value)})"
    yield f"runs completed under faults: {overall.without.part:,} of {overall.without.whole:,}, with the monitor {overall.monitored.part:,}"


def _files(folder: Path) -> Iterator[str]:
    yield f"outcome-monitors show {folder / 'contracts.json'}"
    yield f"outcome-monitors check {folder / 'traces.jsonl.gz'} --folds {folder / 'folds.json'}"
    yield f"report: {folder / 'report.html'}"
