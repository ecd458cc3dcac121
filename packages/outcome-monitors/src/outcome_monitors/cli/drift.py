"""`drift`: do today's results still look like the contract?"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import click

from outcome_monitors.contracts.identity import address, known_clauses, resolve
from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry, owned
from outcome_monitors.lifecycle import ToolDrift, drift
from outcome_monitors.lifecycle.drift import LEVEL
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.model import Call, Json
from outcome_monitors.reports import ranked
from outcome_monitors.rules import explain

from ._inputs import (
    TraceInputs,
    format_option,
    overrides_option,
    share_option,
    trace_options,
)
from ._output import count, write, write_line

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors drift today.jsonl --contracts contracts.json

Exit status: 0 no drift, whatever faults there are, 1 drift, 2 the work could not be done."""

MOST_CLAUSES = 8
"""Of one tool, as text."""


@click.command("drift", epilog=EPILOG)
@click.option("--contracts", metavar="FILE", required=True, help="A contract file.")
@overrides_option("Decisions of `review`: muted clauses are skipped.")
@click.option(
    "--clause",
    "wanted",
    multiple=True,
    metavar="CLAUSE",
    help="Only this clause, by id or address. Repeatable.",
)
@share_option("--level", LEVEL, "The false discovery rate of drift.")
@share_option("--budget", BUDGET, "The violation rate that a clause may have.")
@format_option("text", "json")
@trace_options
def command(
    inputs: TraceInputs,
    contracts: str,
    overrides: Overrides,
    wanted: tuple[str, ...],
    level: float,
    budget: float,
    form: str,
) -> int:
    """Test for each tool whether the results in TRACES still match its contract, have faults, or drift."""
    registry = overrides.apply(load_contracts(contracts))
    unknown: Counter[str] = Counter()
    calls = _counted(inputs.calls(), registry, unknown)
    known = known_clauses(owned(registry))
    names = frozenset(resolve(name, known) for name in wanted)
    tools = _only(names, drift(calls, registry, level=level, budget=budget))
    if form == "json":
        said = {"tools": [_json(tool) for tool in tools], "without_contract": dict(sorted(unknown.items()))}
        write(json.dumps(said, indent=2) + "\n")
    else:
        for line in _text(tools, unknown):
            write_line(line)
    return int(any(clause.verdict == "drift" for tool in tools for clause in tool.clauses))


def _only(names: frozenset[str], tools: Sequence[ToolDrift]) -> Sequence[ToolDrift]:
    """Return the tools with the clauses named alone, where some are; they are judged among all others all the same."""
    if not names:
        return tools
    kept = [
        replace(tool, clauses=tuple(clause for clause in tool.clauses if clause.id in names))
        for tool in tools
    ]
    return [tool for tool in kept if tool.clauses]


def _counted(calls: Iterable[Call], registry: Registry, unknown: Counter[str]) -> Iterator[Call]:
    """Yield calls, counting those of tools that have no contract: a new tool is news too."""
    for call in calls:
        unknown[call.tool] += call.tool not in registry.contracts
        yield call
    for tool in registry.contracts:
        unknown.pop(tool, None)


def _text(tools: Sequence[ToolDrift], unknown: Counter[str]) -> Iterator[str]:
    for tool in tools:
        yield f"{tool.tool}: {tool.verdict}. {tool.sentence}"
        yield from _clauses(tool)
    numbers = {verdict: sum(tool.verdict == verdict for tool in tools) for verdict in _VERDICTS}
    said = ", ".join(f"{number:,} {_VERDICTS[name]}" for name, number in numbers.items())
    yield f"{count(len(tools), 'tool')}: {said}"
    if unknown:
        yield f"without a contract: {ranked(unknown)}"


_VERDICTS = {
    "drift": "with drift",
    "faults": "with faults alone",
    "holds": "as the contract says",
    "not called": "not called",
}


def _clauses(tool: ToolDrift) -> Iterator[str]:
    """Yield the broken clauses, those that drift and those least likely to be chance first."""
    broken = sorted(
        (clause for clause in tool.clauses if clause.broken),
        key=lambda clause: (clause.verdict != "drift", clause.adjusted, clause.id),
    )
    for clause in broken[:MOST_CLAUSES]:
        chance = f"chance {_small(clause.adjusted)}"
        yield f"  {clause.verdict}: {explain(clause.clause)}: broken in {clause.broken} of {count(clause.tasks, 'task')}, {chance} [{address(tool.tool, clause.clause)}]"
    if len(broken) > MOST_CLAUSES:
        yield f"  and {count(len(broken) - MOST_CLAUSES, 'more clause')}"


def _small(chance: float) -> str:
    return f"{chance:.2g}" if chance >= 1e-6 else "below 0.000001"


def _json(tool: ToolDrift) -> Json:
    return {
        "tool": tool.tool,
        "verdict": tool.verdict,
        "sentence": tool.sentence,
        "since": tool.since or None,
        "calls": tool.calls,
        "looked_at": tool.looked_at,
        "tasks": tool.tasks,
        "flagged": tool.flagged,
        "clauses": [
            {
                "id": clause.id,
                "address": address(tool.tool, clause.clause),
                "words": explain(clause.clause),
                "verdict": clause.verdict,
                "tasks": clause.tasks,
                "broken": clause.broken,
                "chance": clause.chance,
                "adjusted": clause.adjusted,
                "observed": clause.observed or None,
                "alike": clause.alike,
                "stays": clause.stays,
            }
            for clause in tool.clauses
        ],
    }
