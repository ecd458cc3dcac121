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
    help=f"Where: {', '.join(ENVIRONMENTS)}, or the name of a plugin.",
)
@click.option(
    "--option",
    metavar="NAME=VALUE",
    multiple=True,
    help="Of a plugin's environment; a value is JSON, or text.",
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
    help="Faults of the world and of MCP servers; of ToolMaze its own, or incident.",
)
@click.option(
    "--checkout",
    metavar="FOLDER",
    default="",
    help="ToolMaze's, tau-bench's or tau2-bench's checkout, or AppWorld's root.",
)
@click.option(
    "--data",
    metavar="FOLDER",
    default="",
    help="ToolMaze's folder perturbed_tasks or tau-bench's tables, if not in the checkout.",
)
@click.option(
    "--split",
    metavar="NAME",
    default="",
    help="Of tau-bench's tasks (test), tau2-bench's (base) or AppWorld's (dev).",
)
@click.option(
    "--traces",
    metavar="FILE",
    default="",
    help="Recorded runs in tau-bench or tau2-bench to learn from as well.",
)
@click.option("--server", metavar="URLS", default="", help="AppWorld's servers (http://127.0.0.1:8000).")
@click.option("--command", metavar="TEXT", default="", help="What starts the MCP server, as in a shell.")
@click.option("--tasks", metavar="FILE", default="", help="Tasks for the MCP server.")
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
@click.option("--judge", metavar="NAME", help="A plugin that judges episodes in place of the environment.")
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
    help="Levels and modes to sample from; C3/P4:15 has its own number of tasks.",
)
@click.option(
    "--per-stratum", metavar="N", type=click.IntRange(1), default=20, show_default=True, help="Tasks of each."
)
@click.option(
    "--repeats",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How often each episode is run; analyze then tells pass^k.",
)
@click.option(
    "--without",
    metavar="FOLDER",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A study whose tasks are not to be taken; as often as needed.",
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
    "--folds",
    metavar="N",
    type=click.IntRange(1),
    help="Registries, each learned without some of the tasks; 5 in profile paper, else 1 without the sampled ones.",
)
@click.option(
    "--distinctive",
    metavar="N",
    type=click.IntRange(1),
    help="Signs of a wrong value that is looked for later on; 8 in profile paper, else 4.",
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
@model_options
def freeze_command(folder: Path, **given: Any) -> None:
    """Sample tasks, learn contracts from the others, and write it all down in FOLDER before any outcome is seen."""
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
