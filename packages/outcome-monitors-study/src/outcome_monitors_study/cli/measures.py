"""`study audit`, `organic`, `fetch`, `arms` and `prices`: what needs no frozen study."""

import json
from pathlib import Path
from typing import Any

import click

from outcome_monitors.cli._output import count, table, warn, write
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import write_atomically
from outcome_monitors.reports import percent, span
from outcome_monitors.traces.reader import read_traces
from outcome_monitors_study.arms import ARMS, INTERFACE
from outcome_monitors_study.detector import audit_detector, audit_tables, world_tasks
from outcome_monitors_study.environments import environment
from outcome_monitors_study.fetch import SOURCES, fetch
from outcome_monitors_study.inventory import inventory, package, studies_in
from outcome_monitors_study.organic import as_json as organic_json, organic, read_cache
from outcome_monitors_study.paper import paper_table
from outcome_monitors_study.prices import PRICES
from outcome_monitors_study.statistics import minimum_detectable_effect
from outcome_monitors_study.tables import as_json
from outcome_monitors_study.world.toolmaze import Task, load_tasks

from .options import PATH, POSITIVE, json_option, option, print_line, print_tables, profile_option


@click.command("audit", epilog="\b\nExample:\n  outcome-monitors study audit --checkout ToolMaze")
@option("--checkout", default="", metavar="FOLDER", help="ToolMaze's checkout; default the tool world.")
@option("--data", default="", metavar="FOLDER", help="ToolMaze's perturbed_tasks, if elsewhere.")
@option("--workflows", type=click.IntRange(8), default=400, metavar="N", help="Of the tool world.")
@option("--seed", type=int, default=0, metavar="N", help="Of the tool world.")
@option("--folds", type=click.IntRange(2), default=5, metavar="N", help="Cross-validation folds.")
@profile_option("paper")
@json_option
def audit_command(
    checkout: str, data: str, workflows: int, seed: int, folds: int, profile: str, json_file: str | None
) -> None:
    """Measure detection of ToolMaze's silent faults, beside the published figures."""
    if checkout or data:
        tasks, schemas, place = _from_toolmaze(checkout, data)
    else:
        tasks = world_tasks(workflows, seed)
        world = environment({"environment": "world", "workflows": workflows, "seed": seed})
        schemas = world.schema_contracts()
        place = f"the tool world, {count(workflows, 'workflow')}, its own faults: no ToolMaze task is in it"
    found = audit_detector(tasks, schemas, folds=folds, profile=profile)
    made, construction = audit_tables(found), found.construction
    assert construction is not None
    if json_file:
        document = {"construction": construction._asdict(), "tables": as_json(made)}
        write_atomically(json_file, json.dumps(document, indent=1) + "\n")
    clean = count(found.gates["learned, C3 and C4"].clean, "clean result")
    print_line(f"{place}, {clean}; profile {profile}, {count(folds, 'fold')}; published figures in brackets")
    print_line(
        f"contracts of C3 and C4: {construction.sentence} (ToolMaze: 400, 1,800, 15,551, 15,041, 96.7%)"
    )
    write("\n")
    print_tables(made)


def _from_toolmaze(checkout: str, data: str) -> tuple[tuple[Task, ...], Registry | None, str]:
    folder = Path(data) if data else Path(checkout) / "data" / "perturbed_tasks"
    if not folder.is_dir():
        raise OutcomeMonitorsError(
            f"there is no folder {folder}; get the dataset dongsheng/ToolMaze, and give its perturbed_tasks with --data"
        )
    tasks, schemas = tuple(load_tasks(folder)), None
    if checkout:
        given = {"environment": "toolmaze", "checkout": checkout, "data": data}
        schemas = environment(given).schema_contracts()
    return tasks, schemas, f"ToolMaze, {count(len(tasks), 'task file')}"


@click.command(
    "organic", epilog="\b\nExample:\n  outcome-monitors study organic traces.jsonl --learn 45 --hold 20"
)
@click.argument("traces", nargs=-1)
@option(
    "--stabletoolbench",
    "cache",
    type=PATH,
    metavar="FOLDER",
    help="StableToolBench's cache instead of traces.",
)
@option("--learn", type=POSITIVE, default=45, help="Responses a tool to mine.")
@option("--hold", type=POSITIVE, default=20, help="Responses a tool to check.")
@option("--seeds", type=POSITIVE, default=5, metavar="N", help="Random draws.")
@profile_option("paper")
@json_option
def organic_command(
    traces: tuple[str, ...], cache: Path | None, json_file: str | None, *, seeds: int, **given: Any
) -> None:
    """Measure how often contracts fire on held-out recorded traffic."""
    if bool(traces) == bool(cache):
        raise click.UsageError("give either trace files or --stabletoolbench FOLDER")
    calls = read_cache(cache, warn) if cache else read_traces(traces)
    found = organic(calls, seeds=range(seeds), **given)
    if json_file:
        write_atomically(json_file, json.dumps(organic_json(found), indent=1) + "\n")
    write(
        f"{count(found.tools, 'tool')} with enough responses, {found.too_few:,} without; flagged {found.checked}"
        f" ({percent(found.checked.value)}, 95% interval {span(found.checked.interval)}) in"
        f" {count(len(found.by_tool), 'tool')}\n\n"
    )
    rows = [(code, str(found.by_code[code]), str(n)) for code, n in found.firings.most_common()]
    table(("violation", ">first of a response", ">in all"), rows)


@click.command("fetch", epilog="\b\nExample:\n  outcome-monitors study fetch tau-bench --to tau-bench")
@click.argument("name", type=click.Choice(list(SOURCES)))
@option("--from", "local", type=PATH, metavar="DIR", help="Use a local copy.")
@option("--to", type=PATH, metavar="DIR", help="The target folder; default its name.")
def fetch_command(name: str, local: Path | None, to: Path | None) -> None:
    """Fetch a public source at pinned commits, with git."""
    source, to = SOURCES[name], to or Path(name)
    print_line(f"{source.what} (licence: {source.licence})")
    made = fetch(source, to, local)
    print_line(f"{to}: {made or 'fetched'}")


@click.command("arms", epilog="\b\nExample:\n  outcome-monitors study arms")
def arms_command() -> None:
    """List the arms, and how each speaks to the agent."""
    table(("arm", "what the agent gets"), [(name, arm.summary) for name, arm in ARMS.items()])
    table(("arm", *INTERFACE), [(name, *arm.interface) for name, arm in ARMS.items()])


@click.command("paper", epilog="\b\nExample:\n  outcome-monitors study paper")
@json_option
def paper_command(json_file: str | None) -> None:
    """Work out the paper's figures from its printed counts, beside those it prints."""
    print_tables([made := paper_table()])
    if json_file:
        write_atomically(json_file, json.dumps(as_json([made]), indent=1) + "\n")


@click.command("power", epilog="\b\nExample:\n  outcome-monitors study power 43/114 --tasks 57 --loss")
@click.argument("baseline", metavar="COMPLETED/PAIRS")
@option("--tasks", type=POSITIVE, metavar="N", help="Tasks that the pairs share; default one a pair.")
@option("--loss", is_flag=True, help="The least loss instead of the least gain.")
def power_command(baseline: str, tasks: int | None, *, loss: bool) -> None:
    """Say which effect so many pairs could show with power 0.8."""
    completed, _, pairs = baseline.partition("/")
    if not (completed.isdecimal() and pairs.isdecimal() and 0 < int(pairs) >= int(completed)):
        raise click.UsageError(f"{baseline} is not of the form COMPLETED/PAIRS, as 43/114")
    share = int(completed) / int(pairs)
    found = minimum_detectable_effect(int(pairs), share, clusters=tasks, gain=not loss)
    what = "loss" if loss else "gain"
    print_line(f"no {what} that is left" if found is None else f"{what} of {found * 100:.0f} points")


@click.command(
    "inventory", epilog="\b\nExample:\n  outcome-monitors study inventory studies --package review"
)
@click.argument("folders", nargs=-1, required=True, type=PATH)
@option("--package", "to", type=PATH, metavar="DIR", help="Also write what reviewers can be given.")
def inventory_command(folders: tuple[Path, ...], to: Path | None) -> None:
    """List all studies in FOLDERS."""
    found = studies_in(folders, warn)
    print_tables([made := inventory(found)])
    print_line(f"{len(found):,} in all, {count(sum(row[6] for row in made.rows), 'episode')}")
    if to is not None:
        print_line(f"{to}: {count(len(package(found, to)), 'file')}")


@click.command("prices", epilog="\b\nExample:\n  outcome-monitors study prices")
def prices_command() -> None:
    """List the built-in prices with date and source."""
    rows = [
        (model, f"{price['input']:g}", f"{price['output']:g}", price["date"], price["source"])
        for model, price in PRICES.items()
    ]
    table(("model", ">in", ">out", "as of", "source"), rows)
