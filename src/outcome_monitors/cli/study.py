"""`study`: controlled studies, frozen before they are run."""

from pathlib import Path
from typing import Any

import click

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mining.observations import PROFILES
from outcome_monitors.study.environments import ENVIRONMENTS
from outcome_monitors.study.manifest import STRATA, Design, Study, amend, freeze
from outcome_monitors.study.scripted import is_scripted
from outcome_monitors.study.tables import SCRIPTED
from outcome_monitors.values.documents import read_json

from ._output import count, printable, warn, write
from ._study_analyze import analyze_command, arms_command
from ._study_audit import audit_command, prices_command
from ._study_fetch import fetch_command
from ._study_organic import organic_command
from ._study_probe import probe_command
from ._study_run import run_command

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
        raise click.UsageError(
            "name what to do: fetch, freeze, run, amend, analyze, arms, probe, organic, audit or prices"
        )


for _each in (
    fetch_command,
    run_command,
    analyze_command,
    arms_command,
    organic_command,
    probe_command,
    audit_command,
    prices_command,
):
    command.add_command(_each)


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
    "--contrasts",
    metavar="NAMES",
    callback=_names,
    default="",
    help="More than each arm against the first: treatment:baseline.",
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
    help='{"model": {"input": 0.27, "output": 1.1, "date": "2026-11-01"}}, per million tokens; before the table.',
)
@click.option(
    "--system-prompt",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The system prompt of all arms; otherwise our own.",
)
@click.option(
    "--reasoning-tokens",
    metavar="N",
    type=click.IntRange(1),
    help="A model's budget for thinking; else its default.",
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
    named = (
        "agents",
        "arms",
        "contrasts",
        "strata",
        "per_stratum",
        "seed",
        "profile",
        "contracts",
        "relations",
    )
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
    if given["reasoning_tokens"]:
        settings["reasoning_tokens"] = given["reasoning_tokens"]
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
    for agent, price in study.manifest["settings"]["prices"].items():
        asked = f"{price['input']:g} in, {price['output']:g} out per million tokens, as of {price['date']}"
        write(printable(f"price of {agent}: {asked}; {price.get('source', 'your own')}") + "\n")
    for agent in study.unpriced:
        warn(
            printable(
                f"no price known for {agent}: its cost will be unknown, and --max-cost refused; give --prices FILE"
            )
        )


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
