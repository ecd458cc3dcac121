"""`study audit` and `study prices`: figures that need no frozen study."""

import json
from pathlib import Path

import click

from outcome_monitors.cli._output import count, printable, table, write
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mining.observations import PROFILES
from outcome_monitors.reports import percent
from outcome_monitors.values.files import write_atomically
from outcome_monitors_study.detector import (
    PUBLISHED,
    PUBLISHED_GIVEN_COVERAGE,
    PUBLISHED_TYPES,
    DetectorAudit,
    as_json,
    audit_detector,
    world_tasks,
)
from outcome_monitors_study.environments import environment
from outcome_monitors_study.prices import PRICES
from outcome_monitors_study.world.toolmaze_tasks import KNOWN_CHECKSUM, Task, checksum, load_tasks

__all__ = ["audit_command", "prices_command"]


@click.command("audit", epilog="\b\nExample:\n  outcome-monitors study audit --checkout ToolMaze")
@click.option("--checkout", metavar="FOLDER", default="", help="ToolMaze's checkout; default the tool world.")
@click.option("--data", metavar="FOLDER", default="", help="ToolMaze's perturbed_tasks, if elsewhere.")
@click.option(
    "--workflows",
    metavar="N",
    type=click.IntRange(8),
    default=400,
    show_default=True,
    help="Of the tool world.",
)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Of the tool world.")
@click.option(
    "--folds",
    metavar="N",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="Cross-validation folds.",
)
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default="paper",
    show_default=True,
    help="The mining profile.",
)
@click.option("--json", "json_file", metavar="FILE", help="Also write JSON.")
def audit_command(
    checkout: str, data: str, workflows: int, seed: int, folds: int, profile: str, json_file: str | None
) -> None:
    """Measure detection of ToolMaze's silent faults, beside the published figures."""
    if checkout or data:
        tasks, schemas, place = _from_toolmaze(checkout, data)
    else:
        tasks = world_tasks(workflows, seed)
        schemas = environment(
            {"environment": "world", "workflows": workflows, "seed": seed}
        ).schema_contracts()
        place = f"the tool world, {count(workflows, 'workflow')}, its own faults: no ToolMaze task is in it"
    found = audit_detector(tasks, schemas, folds=folds, profile=profile)
    if json_file:
        write_atomically(json_file, json.dumps(as_json(found), indent=1) + "\n")
    write(
        printable(f"{place}; profile {profile}, {count(folds, 'fold')}; published figures in brackets")
        + "\n\n"
    )
    _show(found)


def _from_toolmaze(checkout: str, data: str) -> tuple[tuple[Task, ...], Registry | None, str]:
    folder = Path(data) if data else Path(checkout) / "data" / "perturbed_tasks"
    if not folder.is_dir():
        raise OutcomeMonitorsError(
            f"there is no folder {folder}; get the dataset dongsheng/ToolMaze, and give its perturbed_tasks with --data"
        )
    tasks = tuple(load_tasks(folder))
    schemas = None
    if checkout:
        given = {"environment": "toolmaze", "checkout": checkout, "data": data}
        schemas = environment(given).schema_contracts()
    known = "the known revision" if checksum(folder) == KNOWN_CHECKSUM else "not the known revision"
    return tasks, schemas, f"ToolMaze, {count(len(tasks), 'task file')} ({known})"


def _show(found: DetectorAudit) -> None:
    rows = []
    for name, gate in found.gates.items():
        recall, false, covered = PUBLISHED[name]
        rows.append(
            (
                name,
                f"{gate.faults:,}",
                _beside(gate.recall.value, recall),
                _beside(gate.false_alarms.value, false),
                _beside(gate.coverage.value, covered),
            )
        )
    table(("detector", ">faults", ">recall", ">false alarms", ">coverage"), rows)
    hard = found.gates["learned, C3 and C4"]
    write(
        f"of {hard.clean:,} clean results of C3 and C4 {hard.flagged:,} were flagged; where there is a contract,"
    )
    write(f" recall is {_beside(hard.given_coverage.value, PUBLISHED_GIVEN_COVERAGE)}\n")
    write("\n")
    kinds = [
        (
            kind.replace("_", " "),
            f"{gate.faults:,}",
            _beside(gate.recall.value, (PUBLISHED_TYPES.get(kind) or (0, None, None))[1]),
            _beside(gate.coverage.value, (PUBLISHED_TYPES.get(kind) or (0, None, None))[2]),
        )
        for kind, gate in found.types.items()
    ]
    table(("corruption type, C3 and C4", ">faults", ">recall", ">coverage"), kinds)


def _beside(ours: float | None, published: float | None) -> str:
    return percent(ours) if published is None else f"{percent(ours)} ({percent(published)})"


@click.command("prices", epilog="\b\nExample:\n  outcome-monitors study prices")
def prices_command() -> None:
    """List the built-in prices with date and source."""
    rows = [
        (model, f"{price['input']:g}", f"{price['output']:g}", price["date"], price["source"])
        for model, price in PRICES.items()
    ]
    table(("model", ">in", ">out", "as of", "source"), rows)
