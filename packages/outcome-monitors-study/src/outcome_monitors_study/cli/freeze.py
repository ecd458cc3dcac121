"""`study freeze`: what a study is, written down before any outcome is seen."""

from pathlib import Path
from typing import Any

import click

from outcome_monitors.cli._output import count, printable, warn, write
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mining.observations import PROFILES
from outcome_monitors_study.environments import ENVIRONMENTS, environment_class
from outcome_monitors_study.manifest import STRATA, Design, Study, freeze
from outcome_monitors_study.tables import SCRIPTED

from .settings import model_options, model_settings, named_value

__all__ = ["freeze_command"]


def _names(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


@click.command(
    "freeze", epilog="\b\nExample:\n  outcome-monitors study freeze trial --arms baseline,advisory-v2,generic"
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--environment",
    metavar="NAME",
    default="world",
    show_default=True,
    help=f"{', '.join(ENVIRONMENTS)}, or a plugin.",
)
@click.option(
    "--option",
    metavar="NAME=VALUE",
    multiple=True,
    help="An option of a plugin, JSON or text. Repeatable.",
)
@click.option(
    "--workflows",
    metavar="N",
    type=click.IntRange(8),
    default=400,
    show_default=True,
    help="Of the tool world.",
)
@click.option(
    "--suites",
    metavar="NAMES",
    callback=_names,
    default="toolmaze",
    show_default=True,
    help="Fault suites.",
)
@click.option(
    "--checkout",
    metavar="FOLDER",
    default="",
    help="The environment's checkout.",
)
@click.option(
    "--data",
    metavar="FOLDER",
    default="",
    help="ToolMaze's perturbed_tasks or tau-bench's tables, if elsewhere.",
)
@click.option(
    "--split",
    metavar="NAME",
    default="",
    help="The task split: test (tau-bench), base (tau2-bench), dev (AppWorld).",
)
@click.option(
    "--traces",
    metavar="FILE",
    default="",
    help="More runs of tau-bench or tau2-bench to learn from.",
)
@click.option(
    "--server", metavar="URLS", default="", help="AppWorld's servers; default http://127.0.0.1:8000."
)
@click.option("--command", metavar="TEXT", default="", help="The command that starts the MCP server.")
@click.option("--tasks", metavar="FILE", default="", help="Tasks for the MCP server.")
@click.option(
    "--agents",
    metavar="NAMES",
    callback=_names,
    default="scripted-follows:0.7",
    show_default=True,
    help="Scripts, or models by inspect_ai's name.",
)
@click.option(
    "--arms",
    metavar="NAMES",
    callback=_names,
    default="baseline,advisory-v2",
    show_default=True,
    help="Baseline, primary treatment, others.",
)
@click.option("--judge", metavar="NAME", help="A plugin that judges episodes.")
@click.option(
    "--contrasts",
    metavar="NAMES",
    callback=_names,
    default="",
    help="More contrasts: treatment:baseline.",
)
@click.option(
    "--strata",
    metavar="NAMES",
    callback=_names,
    default=",".join(STRATA),
    show_default=True,
    help="Strata; C3/P4:15 with its own number of tasks.",
)
@click.option(
    "--per-stratum",
    metavar="N",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Tasks a stratum.",
)
@click.option(
    "--repeats",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Runs of each episode; more than 1 gives pass^k.",
)
@click.option(
    "--without",
    metavar="FOLDER",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Exclude the tasks of this study. Repeatable.",
)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="The random seed.")
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default="full",
    show_default=True,
    help="The mining profile.",
)
@click.option(
    "--folds",
    metavar="N",
    type=click.IntRange(1),
    help="Cross-fitted registries; default 5 in profile paper, else 1.",
)
@click.option(
    "--distinctive",
    metavar="N",
    type=click.IntRange(1),
    help="Length of a wrong value to track; default 8 in profile paper, else 4.",
)
@click.option(
    "--contracts",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A contract file; default mined from other tasks.",
)
@click.option("--relations", metavar="FILE", type=click.Path(path_type=Path), help="Recovery relations.")
@model_options
def freeze_command(folder: Path, **given: Any) -> None:
    """Sample tasks, mine contracts from the others, and freeze it all in FOLDER before any outcome."""
    place = _place(given)
    where = environment_class(given["environment"])
    if given["strata"] == STRATA:
        given["strata"] = getattr(where, "STRATA", STRATA)
    settings = model_settings(given)
    if hasattr(where, "MOST_STEPS"):
        settings["most_steps"] = where.MOST_STEPS
    named = (
        "agents",
        "arms",
        "contrasts",
        "strata",
        "per_stratum",
        "repeats",
        "without",
        "seed",
        "profile",
        "folds",
        "distinctive",
        "contracts",
        "relations",
        "judge",
    )
    study = freeze(
        folder, Design(environment=place, settings=settings, **{name: given[name] for name in named})
    )
    _tell_frozen(study)


_TAKES = {
    "world": ("workflows", "seed", "suites"),
    "toolmaze": ("checkout", "data", "suites"),
    "mcp": ("command", "tasks", "suites"),
    "tau-retail": ("checkout", "data", "split", "traces"),
    "tau2-airline": ("checkout", "split", "traces"),
    "tau2-retail": ("checkout", "split", "traces"),
    "appworld": ("checkout", "split", "server"),
}
"""The options of each environment."""
_OFFERED = ("checkout", "data", "split", "traces", "server")
"""Those that a plugin's environment may take as well."""


def _place(given: dict[str, Any]) -> dict[str, Any]:
    """Return an environment's settings; an option that is not given is left to it."""
    name = given["environment"]
    takes = _TAKES.get(name, _OFFERED)
    taken = {option: given[option] for option in takes if given[option] != ""}
    if name not in _TAKES:
        return {
            **taken,
            **dict(named_value("--option", text) for text in given["option"]),
            "environment": name,
        }
    if given["option"]:
        raise OutcomeMonitorsError(f"--option is for a plugin's environment, and {name} is none")
    if "checkout" in takes and "checkout" not in taken:
        raise OutcomeMonitorsError(f"environment {name} needs --checkout FOLDER; study fetch can get one")
    if "command" in takes and not {"command", "tasks"} <= taken.keys():
        raise OutcomeMonitorsError(f"environment {name} needs --command TEXT and --tasks FILE")
    return {
        "environment": name,
        **taken,
        **({"suites": list(given["suites"])} if "suites" in takes else {}),
    }


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
    pairs = ", pairs with a fault" if study.manifest["clean"] and study.faulted else ""
    write(printable(f"primary: {arms[1]} against {arms[0]}, paired completion{pairs}") + "\n")
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
