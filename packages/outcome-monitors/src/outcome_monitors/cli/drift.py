"""`drift`: whether today's results still match the contracts."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

import click

from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.lifecycle import ToolDrift, drift
from outcome_monitors.model import Call
from outcome_monitors.reports import ranked

from ._inputs import TraceInputs, format_option, overrides_option, trace_options
from ._output import count, write, write_line

EPILOG = """\b
Example:
  outcome-monitors drift today.jsonl --contracts contracts.json

Exit status: 0 no drift, whatever faults there are, 1 drift, 2 the work could not be done."""

MOST_CLAUSES = 8
"""Violated clauses listed for each tool, as text."""
VERDICTS = ("drift", "faults", "holds", "not called")


@click.command("drift", epilog=EPILOG)
@click.option("--contracts", metavar="FILE", required=True, help="A contract file.")
@overrides_option("Decisions of `review`: muted clauses are skipped.")
@format_option("text", "json")
@trace_options
def command(inputs: TraceInputs, contracts: str, overrides: Overrides, form: str) -> int:
    """Test for each tool whether the results in TRACES, in order, match its contract, have faults, or drift."""
    registry = overrides.apply(load_contracts(contracts))
    unknown: Counter[str] = Counter()
    tools = drift(_counted(inputs.calls(), registry, unknown), registry)
    if form == "json":
        document = {
            "tools": [asdict(tool) | {"since": tool.since or None} for tool in tools],
            "without_contract": dict(sorted(unknown.items())),
        }
        write(json.dumps(document, indent=2) + "\n")
    else:
        for line in _text(tools, unknown):
            write_line(line)
    return int(any(tool.verdict == "drift" for tool in tools))


def _counted(calls: Iterable[Call], registry: Registry, unknown: Counter[str]) -> Iterator[Call]:
    """Yield calls, counting those of tools without a contract."""
    for call in calls:
        if call.tool not in registry.contracts:
            unknown[call.tool] += 1
        yield call


def _text(tools: Sequence[ToolDrift], unknown: Counter[str]) -> Iterator[str]:
    for tool in tools:
        yield f"{tool.tool}: {tool.verdict}. {tool.sentence}"
        for one in tool.clauses[:MOST_CLAUSES]:
            violated = f"violated in {one.tasks:,} of {count(tool.tasks, 'task')}"
            yield f"  {one.verdict}: {one.words}: {violated} [{one.address}]"
        if len(tool.clauses) > MOST_CLAUSES:
            yield f"  and {count(len(tool.clauses) - MOST_CLAUSES, 'more clause')}"
    numbers = Counter(tool.verdict for tool in tools)
    verdicts = ", ".join(f"{verdict} {numbers[verdict]:,}" for verdict in VERDICTS)
    yield f"{count(len(tools), 'tool')}: {verdicts}"
    if unknown:
        yield f"without a contract: {ranked(unknown)}"
