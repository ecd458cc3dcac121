"""`mine`: contracts from clean traces, and from what is public about the tools."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from outcome_monitors.contracts.folds import FoldIndex
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.mining.observations import DEFAULT_PROFILE, PROFILES, Observations
from outcome_monitors.mining.state import load_state, save_state, state_beside
from outcome_monitors.model import Contract
from outcome_monitors.storage.address import is_address
from outcome_monitors.traces.private import private_paths
from outcome_monitors.traces.stores import Query

from ._inputs import (
    POSITIVE_SHARE,
    SHARE,
    TraceInputs,
    engine_option,
    master_option,
    overrides_option,
    query_options,
    refuse_output,
    with_query,
    workers_option,
)
from ._mining import ALL_CORES, FromTraces, learn, read_public, summarise

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors mine traces.jsonl -o contracts.json"""


def _tool_and_file(
    _ctx: click.Context, option: click.Parameter, values: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """Read option values of the form TOOL=FILE."""
    pairs = []
    for value in values:
        tool, _, file = value.partition("=")
        if not tool or not file:
            raise click.BadParameter(f"{value!r} is not of the form {option.metavar}")
        pairs.append((tool, file))
    return tuple(pairs)


@click.command("mine", epilog=EPILOG)
@click.argument("traces", nargs=-1)
@click.option("-o", "--output", metavar="FILE", help="The contract file to write; required without --update.")
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    help=f"Which kinds of clauses to learn from traces.  [default: {DEFAULT_PROFILE}]",
)
@click.option(
    "--budget",
    metavar="SHARE",
    type=SHARE,
    help=f"The share of clean results that profile full may flag.  [default: {BUDGET}]",
)
@click.option(
    "--share",
    metavar="SHARE",
    type=POSITIVE_SHARE,
    default=1.0,
    help="Learn from this share of the tasks, chosen by hash.",
)
@click.option(
    "--folds",
    metavar="K",
    type=click.IntRange(2, 1000),
    help="Also write K cross-fitted registries; FILE is their index.",
)
@click.option("--strict", is_flag=True, help="Fail on the first bad line.")
@click.option(
    "--schema",
    multiple=True,
    metavar="TOOL=FILE",
    callback=_tool_and_file,
    help="A JSON Schema of a tool's result.",
)
@click.option("--openapi", multiple=True, metavar="FILE", help="An OpenAPI document, JSON or YAML.")
@click.option("--mcp-tools", multiple=True, metavar="FILE", help="An MCP server's tools/list response.")
@click.option("--appworld", multiple=True, metavar="PATH", help="AppWorld's API documentation.")
@click.option(
    "--database",
    multiple=True,
    metavar="TOOL=FILE[#TABLE]",
    callback=_tool_and_file,
    help="The records a tool returns one of: a JSON, CSV or SQLite table.",
)
@overrides_option("Decisions of `review`: muted clauses are dropped, pinned ones kept.")
@query_options
@click.option("--update", metavar="FILE", help="Add the traces to those of this contract file.")
@click.option(
    "--state",
    metavar="FILE",
    help="Save the mining state for --update.  [default: FILE.state.json.gz]",
)
@click.option(
    "--private",
    multiple=True,
    metavar="PATH",
    help="A path whose values are never kept: customer.email, @password. Repeatable.",
)
@workers_option
@engine_option
@master_option
def command(
    traces: tuple[str, ...],
    output: str | None,
    profile: str | None,
    budget: float | None,
    share: float,
    folds: int | None,
    strict: bool,
    overrides: Overrides,
    sql: str | None,
    dsn: str | None,
    update: str | None,
    state: str | None,
    private: tuple[str, ...],
    workers: int,
    engine: str,
    master: str | None,
    **public: tuple[Any, ...],
) -> None:
    """Mine contracts from clean TRACES and public sources into one file.

    TRACES are .jsonl files (.gz, .zst), Parquet, or - for stdin. Options that name a source can be repeated.
    """
    inputs = TraceInputs(with_query(traces, sql, dsn), strict)
    if not inputs.files and not any(public.values()):
        raise click.UsageError("name trace files, or a public source such as --openapi")
    if folds is not None and not inputs.files:
        raise click.UsageError("--folds splits the tasks of traces: name trace files")
    target = _target(output, update)
    state_file = Path(state) if state is not None else state_beside(update) if update is not None else None
    if not inputs.files and (state_file or private or workers > 1 or engine != "local"):
        raise click.UsageError(
            "--update, --state, --private, --workers and --engine are for traces: name some"
        )
    if folds is not None and (state_file or engine != "local"):
        raise click.UsageError("--folds goes with none of --update, --state and --engine spark")
    if engine == "spark":
        _refuse_for_spark(inputs.files, workers)
    elif master is not None:
        raise click.UsageError("--master is where Spark runs: add --engine spark")
    refuse_output(target, inputs.files)
    if state_file is not None:
        refuse_output(state_file, inputs.files)
    if update is not None and state_file is not None:
        observations = _continued(update, state_file, profile, budget, private)
    else:
        observations = Observations(profile or DEFAULT_PROFILE, BUDGET if budget is None else budget, private)
    if budget is not None:
        _refuse_budget(observations.profile, inputs.files)
    # Of tasks that come later, whatever it was before.
    observations.share = share
    reports, theirs = read_public(public)
    if update is not None:
        theirs = _not_from_traces(update).merge(theirs)
    spark = (master or ALL_CORES) if engine == "spark" else None
    learned = learn(inputs, observations, folds, workers, spark) if inputs.files else FromTraces()
    registries = [mined.registry.merge(theirs) for mined in learned.mined] or [theirs]
    if overrides.entries:
        registries = [overrides.apply(registry) for registry in registries]
    if folds is None:
        registries[0].save(target)
    else:
        _save_folds(Path(target), registries, learned.tasks)
    if state_file is not None:
        # After the contracts, so that an update cut short can be run again.
        save_state(state_file, observations)
    summarise(target, registries, learned, reports)


def _target(output: str | None, update: str | None) -> str:
    if update is not None and output is not None:
        raise click.UsageError("--update writes the contracts that it updates: leave out -o")
    target = update or output
    if target is None:
        raise click.UsageError("Missing option '-o' / '--output'.")
    return target


def _refuse_for_spark(files: tuple[FilePath, ...], workers: int) -> None:
    if workers > 1:
        raise click.UsageError(
            "--workers is for --engine local; Spark's cores are named as --master local[4]"
        )
    if any(not isinstance(path, Query) and is_address(path) for path in files):
        raise click.UsageError(
            "Spark reads files: what a fleet has recorded is learned from by `outcome-monitors learn --state ADDRESS --engine spark`"
        )
    if any(isinstance(path, Query) or path == "-" for path in files):
        raise click.UsageError("Spark reads files: a query and standard input are for --engine local")


def _refuse_budget(profile: str, files: tuple[FilePath, ...]) -> None:
    """Refuse a budget that nothing would heed."""
    if not files:
        raise click.UsageError("--budget is for the clauses that traces suggest: name trace files")
    if profile == "paper":
        raise click.UsageError("profile paper has no budget: leave out --budget, or choose --profile full")


def _continued(
    update: str, state: Path, profile: str | None, budget: float | None, private: tuple[str, ...]
) -> Observations:
    """Return what is known from before an update; refuse what an update cannot change."""
    if not state.exists():
        raise OutcomeMonitorsError(
            f"{update} has no state to go on from ({state} is missing); make one from all traces that it was learned"
            f" from, old and new: outcome-monitors mine TRACES... -o {update} --state {state}"
        )
    before = load_state(state)
    if profile is not None and profile != before.profile:
        raise click.UsageError(
            f"the state is of profile {before.profile}: leave out --profile, or mine all traces again"
        )
    if more := set(private_paths(private)) - set(before.private):
        raise click.UsageError(
            f"{', '.join(sorted(more))} was not private before, so its values may be kept: mine all traces again"
        )
    if budget is None:
        return before
    changed = Observations(before.profile, budget, before.private)
    changed.merge(before)
    return changed


def _not_from_traces(contracts: str) -> Registry:
    """Return the clauses of a contract file that do not come from traces: an update leaves them as they are."""
    kept = {
        tool: Contract(tool, tuple(clause for clause in contract.clauses if clause.source != "traces"))
        for tool, contract in Registry.load(contracts).contracts.items()
    }
    return Registry({tool: contract for tool, contract in kept.items() if contract.clauses})


def _save_folds(output: Path, registries: list[Registry], tasks: dict[str, int]) -> None:
    names = [f"{output.stem}.fold{fold}{output.suffix}" for fold in range(len(registries))]
    for name, registry in zip(names, registries, strict=True):
        registry.save(output.with_name(name))
    # The index comes last: whoever finds it finds all it names.
    FoldIndex(tuple(names), tasks).save(output)
