"""`study organic`: what contracts flag in recorded traffic."""

import json
from pathlib import Path
from typing import Any

import click

from outcome_monitors.cli._output import count, table, warn, write
from outcome_monitors.mining.observations import PROFILES
from outcome_monitors.reports import percent, span
from outcome_monitors.traces.reader import read_traces
from outcome_monitors.values.files import write_atomically
from outcome_monitors_study.organic import as_json, organic
from outcome_monitors_study.stabletoolbench import read_cache

__all__ = ["organic_command"]


@click.command(
    "organic", epilog="\b\nExample:\n  outcome-monitors study organic traces.jsonl --learn 45 --hold 20"
)
@click.argument("traces", nargs=-1)
@click.option(
    "--stabletoolbench",
    "cache",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="StableToolBench's cache instead of traces.",
)
@click.option(
    "--learn",
    metavar="N",
    type=click.IntRange(1),
    default=45,
    show_default=True,
    help="Responses a tool to mine.",
)
@click.option(
    "--hold",
    metavar="N",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Responses a tool to check.",
)
@click.option(
    "--seeds", metavar="N", type=click.IntRange(1), default=5, show_default=True, help="Random draws."
)
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default="paper",
    show_default=True,
    help="The mining profile.",
)
@click.option("--json", "json_file", metavar="FILE", help="Also write JSON.")
def organic_command(
    traces: tuple[str, ...], cache: Path | None, json_file: str | None, *, seeds: int, **given: Any
) -> None:
    """Measure how often contracts fire on held-out recorded traffic."""
    if bool(traces) == bool(cache):
        raise click.UsageError("give either trace files or --stabletoolbench FOLDER")
    calls = read_cache(cache, warn) if cache else read_traces(traces)
    found = organic(calls, seeds=range(seeds), **given)
    if json_file:
        write_atomically(json_file, json.dumps(as_json(found), indent=1) + "\n")
    write(
        f"{count(found.tools, 'tool')} with enough responses, {found.too_few:,} without; flagged {found.checked}"
        f" ({percent(found.checked.value)}, 95% interval {span(found.checked.interval)}) in"
        f" {count(len(found.by_tool), 'tool')}\n\n"
    )
    rows = [(code, str(found.by_code[code]), str(n)) for code, n in found.firings.most_common()]
    table(("violation", ">first of a response", ">in all"), rows)
