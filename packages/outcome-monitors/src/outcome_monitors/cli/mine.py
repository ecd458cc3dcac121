"""`mine`: contracts from clean traces, and from what is public about the tools."""

from pathlib import Path
from typing import Any

import click

from outcome_monitors.contracts.folds import FoldIndex
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import ContractError
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.mining.observations import DEFAULT_PROFILE, PROFILES, Observations
from outcome_monitors.values.files import FilePath

from ._contracts import load_overrides
from ._mine_options import Work, continued, not_from_traces, scale_options
from ._mine_sources import FromTraces, learn, public_contracts, read_public, tool_and_file
from ._share_option import SHARE, SOME
from ._stores import is_same_file, query_options, with_query
from ._summary import summarise

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors mine traces.jsonl -o contracts.json"""


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
    type=SOME,
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
    callback=tool_and_file,
    help="A JSON Schema of a tool's result.",
)
@click.option("--openapi", multiple=True, metavar="FILE", help="An OpenAPI document, JSON or YAML.")
@click.option("--mcp-tools", multiple=True, metavar="FILE", help="An MCP server's tools/list response.")
@click.option("--appworld", multiple=True, metavar="PATH", help="AppWorld's API documentation.")
@click.option(
    "--database",
    multiple=True,
    metavar="TOOL=FILE[#TABLE]",
    callback=tool_and_file,
    help="The records a tool returns one of: a JSON, CSV or SQLite table.",
)
@click.option(
    "--overrides", metavar="FILE", help="Decisions of `review`: muted clauses are dropped, pinned ones kept."
)
@query_options
@scale_options
def command(
    traces: tuple[str, ...],
    output: str | None,
    profile: str | None,
    budget: float | None,
    share: float,
    folds: int | None,
    strict: bool,
    overrides: str | None,
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
    inputs = with_query(traces, sql, dsn)
    if not inputs and not any(public.values()):
        raise click.UsageError("name trace files, or a public source such as --openapi")
    if folds is not None and not inputs:
        raise click.UsageError("--folds splits the tasks of traces: name trace files")
    work = Work(update, state, private, workers, engine, master)
    work.refuse_nonsense(inputs, folds, output)
    target = update or output or ""
    for written in (target, *([work.state_file] if work.state_file else ())):
        _refuse_output(Path(written), traces)
    decided = load_overrides(overrides)
    observations = _observations(work, profile, budget, inputs)
    # Of tasks that come later, whatever it was before.
    observations.share = share
    reports = read_public(public)
    theirs = public_contracts(reports)
    if update is not None:
        theirs = not_from_traces(update).merge(theirs)
    learned = learn(inputs, observations, folds, work, strict=strict) if inputs else FromTraces()
    registries = [mined.registry.merge(theirs) for mined in learned.mined] or [theirs]
    if overrides is not None:
        registries = [decided.apply(registry) for registry in registries]
    if folds is None:
        registries[0].save(target)
    else:
        _save_folds(Path(target), registries, learned.tasks)
    work.save(learned.observations)
    summarise(target, registries, learned, reports)


def _observations(
    work: Work, profile: str | None, budget: float | None, inputs: tuple[FilePath, ...]
) -> Observations:
    """Return what is known before the traces are read."""
    if work.update is not None:
        before = continued(work, profile, budget)
        _budget(budget, before.profile, inputs)
        return before
    chosen = profile or DEFAULT_PROFILE
    return Observations(chosen, _budget(budget, chosen, inputs), work.private)


def _budget(given: float | None, profile: str, traces: tuple[FilePath, ...]) -> float:
    """Return the budget; refuse one that nothing would heed."""
    if given is None:
        return BUDGET
    if not traces:
        raise click.UsageError("--budget is for the clauses that traces suggest: name trace files")
    if profile == "paper":
        raise click.UsageError("profile paper has no budget: leave out --budget, or choose --profile full")
    return given


def _refuse_output(output: Path, traces: tuple[str, ...]) -> None:
    """Refuse what would be found out only after the work, or would destroy the traces."""
    if not output.parent.is_dir():
        raise ContractError(f"cannot write {output}: there is no folder {output.parent}; make it first")
    if output.is_dir():
        raise ContractError(f"cannot write {output}: it is a folder; name a file in it")
    for trace in traces:
        if is_same_file(output, trace):
            raise ContractError(f"cannot write {output}: it is one of the traces; choose another name")


def _save_folds(output: Path, registries: list[Registry], tasks: dict[str, int]) -> None:
    names = [f"{output.stem}.fold{fold}{output.suffix}" for fold in range(len(registries))]
    for name, registry in zip(names, registries, strict=True):
        registry.save(output.with_name(name))
    # The index comes last: whoever finds it finds all it names.
    FoldIndex(tuple(names), tasks).save(output)
