"""`study`: controlled studies, frozen before they are run."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import click

from .._files import write_atomically
from .._mining import PROFILES
from ..exceptions import OutcomeMonitorsError
from ..sources._documents import read_json
from ..study._analysis import analyse, as_json
from ..study._manifest import STRATA, Design, Study, amend, freeze, load
from ..study._run import Progress, run
from ..study._tables import SCRIPTED, latex, report, tables, title
from ..study.arms import ARMS
from ..study.environments import ENVIRONMENTS
from ..study.scripted import is_scripted
from ._output import count, fail, printable, show_progress, table, warn, write
from ._study_fetch import fetch_command
from ._study_organic import organic_command

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors study freeze trial
  outcome-monitors study run trial
  outcome-monitors study analyze trial --html trial/report.html"""


@click.group("study", invoke_without_command=True, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Run controlled studies: arms, injected faults, frozen protocols, paired statistics."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("name what to do: fetch, freeze, run, amend, analyze, arms or organic")


command.add_command(fetch_command)
command.add_command(organic_command)


def _names(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


@command.command(
    "freeze", epilog="\b\nExample:\n  outcome-monitors study freeze trial --arms baseline,advisory-v2,generic"
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--environment", type=click.Choice(list(ENVIRONMENTS)), default="world", show_default=True, help="Where."
)
@click.option(
    "--workflows", metavar="N", type=click.IntRange(8), default=400, show_default=True, help="Of the world."
)
@click.option(
    "--suites",
    metavar="NAMES",
    callback=_names,
    default="toolmaze",
    show_default=True,
    help="Faults of the world.",
)
@click.option(
    "--checkout", metavar="FOLDER", default="", help="ToolMaze's or tau-bench's checkout, or AppWorld's root."
)
@click.option(
    "--data",
    metavar="FOLDER",
    default="",
    help="ToolMaze's folder perturbed_tasks or tau-bench's tables, if not in the checkout.",
)
@click.option(
    "--split", metavar="NAME", default="", help="Of tau-bench's tasks (test) or of AppWorld's (dev)."
)
@click.option(
    "--traces", metavar="FILE", default="", help="Recorded runs in tau-bench's shop to learn from as well."
)
@click.option("--server", metavar="URLS", default="", help="AppWorld's servers (http://127.0.0.1:8000).")
@click.option(
    "--user-model",
    metavar="NAME",
    default="",
    help="The model that plays tau-bench's user; otherwise a script that reads the request out and leaves.",
)
@click.option(
    "--agents",
    metavar="NAMES",
    callback=_names,
    default="scripted-follows:0.7",
    show_default=True,
    help="Scripts, or models as inspect_ai names them.",
)
@click.option(
    "--arms",
    metavar="NAMES",
    callback=_names,
    default="baseline,advisory-v2",
    show_default=True,
    help="The baseline first, then the primary treatment, then others.",
)
@click.option(
    "--strata",
    metavar="NAMES",
    callback=_names,
    default=",".join(STRATA),
    show_default=True,
    help="Levels and modes to sample from.",
)
@click.option(
    "--per-stratum", metavar="N", type=click.IntRange(1), default=20, show_default=True, help="Tasks of each."
)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Of sampling and order.")
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default="full",
    show_default=True,
    help="Which clauses to learn.",
)
@click.option(
    "--contracts",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Contracts to take; otherwise they are mined from clean runs of other tasks.",
)
@click.option(
    "--relations", metavar="FILE", type=click.Path(path_type=Path), help="Recovery relations to take."
)
@click.option(
    "--prices",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help='{"model": {"input": 0.27, "output": 1.1, "date": "2026-11-01"}}, per million tokens.',
)
@click.option(
    "--system-prompt",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The system prompt of all arms; otherwise our own.",
)
def freeze_command(folder: Path, **given: Any) -> None:
    """Sample tasks, learn contracts from the others, and write it all down in FOLDER before any outcome is seen."""
    place = _place(given)
    where = ENVIRONMENTS[given["environment"]]
    if given["strata"] == STRATA:
        given["strata"] = getattr(where, "STRATA", STRATA)
    settings = _settings(given)
    if hasattr(where, "MOST_STEPS"):
        settings["most_steps"] = where.MOST_STEPS
    named = ("agents", "arms", "strata", "per_stratum", "seed", "profile", "contracts", "relations")
    study = freeze(
        folder, Design(environment=place, settings=settings, **{name: given[name] for name in named})
    )
    _tell_frozen(study)


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of models."""
    settings: dict[str, Any] = {}
    if given["user_model"]:
        settings["user_model"] = given["user_model"]
    elif given["environment"] == "tau-retail" and not all(map(is_scripted, given["agents"])):
        warn("without --user-model the user is a script, which leaves at the agent's first words")
    if given["prices"]:
        settings["prices"] = read_json(given["prices"])
    if given["system_prompt"]:
        settings["system_prompt"] = given["system_prompt"].read_text("utf-8")
    return settings


_TAKES = {
    "world": ("workflows", "seed", "suites"),
    "toolmaze": ("checkout", "data"),
    "tau-retail": ("checkout", "data", "split", "traces"),
    "appworld": ("checkout", "split", "server"),
}
"""The options of each environment."""


def _place(given: dict[str, Any]) -> dict[str, Any]:
    """Return an environment's settings; an option that is not given is left to it."""
    name = given["environment"]
    taken = {option: given[option] for option in _TAKES[name] if given[option] != ""}
    if "checkout" in _TAKES[name] and "checkout" not in taken:
        raise OutcomeMonitorsError(f"environment {name} needs --checkout FOLDER; study fetch can get one")
    return {"environment": name, **taken, **({"suites": list(given["suites"])} if name == "world" else {})}


def _tell_frozen(study: Study) -> None:
    arms, agents = study.manifest["arms"], study.manifest["agents"]
    planned = sum(1 for _ in study.episodes())
    write(
        printable(
            f"{study.folder}: frozen, {count(len({cell.task for cell in study.cells}), 'task')}, {count(len(arms), 'arm')},"
            f" {count(len(agents), 'agent')}, {count(planned, 'episode')}"
        )
        + "\n"
    )
    write(printable(f"primary: {arms[1]} against {arms[0]}, paired completion") + "\n")
    if study.manifest["scripted"]:
        write(SCRIPTED + "\n")


@command.command("run", epilog="\b\nExample:\n  outcome-monitors study run trial --max-cost 5")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--max-cost", metavar="AMOUNT", type=click.FloatRange(0), help="Stop before more than this is spent."
)
def run_command(folder: Path, max_cost: float | None) -> int:
    """Run the episodes of a frozen study that are missing; refuse where anything differs from what was frozen."""
    done = run(folder, max_cost=max_cost, tell=_teller())
    write(
        printable(f"{folder}: {done.done:,} of {count(done.planned, 'episode')} done, cost {done.spent:.2f}")
        + "\n"
    )
    if done.done < done.planned:
        fail("not all episodes were run: a limit was reached or an endpoint failed; run it again to go on")
        return 2
    return 0


def _teller() -> Any:
    """Return what shows progress, no more often than people can read."""
    due = time.monotonic() + 1.0

    def tell(progress: Progress) -> None:
        nonlocal due
        if not sys.stderr.isatty() or time.monotonic() < due:
            return
        due = time.monotonic() + 0.2
        left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
        more = "" if not progress.cost_left else f", about {progress.cost_left:.2f} to come"
        show_progress(
            f"{progress.done:,} of {progress.planned:,} episodes{left}, cost {progress.spent:.2f}{more}"
        )

    return tell


@command.command(
    "amend", epilog='\b\nExample:\n  outcome-monitors study amend trial --reason "a typo in the contracts"'
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--reason", metavar="TEXT", required=True, help="Why; it is kept with the study.")
def amend_command(folder: Path, reason: str) -> None:
    """Take a study as it is now, and disclose what changed, why, and how many outcomes had been seen."""
    made = amend(folder, reason)
    changed = ", ".join(made["changed"]) or "nothing"
    write(printable(f"{folder}: amended ({changed}) after {count(made['episodes seen'], 'episode')}") + "\n")


@command.command("analyze", epilog="\b\nExample:\n  outcome-monitors study analyze trial --html report.html")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "json_file", metavar="FILE", help="Also write all figures as JSON.")
@click.option("--latex", "latex_file", metavar="FILE", help="Also write the tables as LaTeX.")
@click.option("--html", "html_file", metavar="FILE", help="Also write a page with figures.")
def analyze_command(
    folder: Path, json_file: str | None, latex_file: str | None, html_file: str | None
) -> None:
    """Say what a study shows so far."""
    found = analyse(load(folder))
    write(printable(title(found)) + "\n")
    if found.scripted:
        write(SCRIPTED + "\n")
    for entry in found.amendments:
        write(printable(f"amended after {entry['episodes seen']} episodes: {entry['reason']}") + "\n")
    write("\n")
    for heading, columns, rows in tables(found):
        write(heading + "\n")
        table(columns, rows)
    if json_file:
        write_atomically(json_file, json.dumps(as_json(found), indent=1) + "\n")
    if latex_file:
        write_atomically(latex_file, latex(found))
    if html_file:
        write_atomically(html_file, report(found))


@command.command("arms", epilog="\b\nExample:\n  outcome-monitors study arms")
def arms_command() -> None:
    """List the arms."""
    table(("arm", "what the agent gets"), [(arm.name, arm.summary) for arm in ARMS.values()])
