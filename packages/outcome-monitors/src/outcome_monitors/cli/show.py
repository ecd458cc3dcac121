"""`show`: contracts in plain words."""

import json
from collections.abc import Sequence

import click

from outcome_monitors.contracts.identity import known_clauses, looks_like_a_clause, name_clause, resolve
from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.registry import Registry, clause_json, owned
from outcome_monitors.exceptions import ContractError
from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.rules import explain
from outcome_monitors.storage.address import shown

from ._inputs import format_option
from ._output import closest, count, write, write_line

EPILOG = """\b
Example:
  outcome-monitors show contracts.json get_order"""


@click.command("show", epilog=EPILOG)
@click.argument("contracts")
@click.argument("tools", metavar="[TOOL|CLAUSE]...", nargs=-1)
@format_option("text", "json")
def command(contracts: str, tools: tuple[str, ...], form: str) -> None:
    """Show what CONTRACTS (a file or state folder) demands, in words, of all or of each TOOL or CLAUSE."""
    found = load_contracts(contracts)
    contracts = shown(contracts)
    by_tool: dict[str, list[Clause]] = {}
    for name in tools or sorted(found.contracts):
        contract = _contract(found, name, contracts)
        by_tool.setdefault(contract.tool, []).extend(contract.clauses)
    chosen = [Contract(tool, tuple(clauses)) for tool, clauses in by_tool.items()]
    if form == "json":
        write(json.dumps(_json(found.profile, chosen), indent=2) + "\n")
    else:
        _show(contracts, found.profile, chosen)


def _contract(registry: Registry, tool: str, name: str) -> Contract:
    """Return the contract of a tool, or of a clause that clause alone."""
    if tool in registry.contracts:
        return registry.contracts[tool]
    if looks_like_a_clause(tool):
        known = known_clauses(owned(registry))
        owner, clause = known[resolve(tool, known)]
        return Contract(owner, (clause,))
    hint = closest(tool, registry.contracts, f"show {name} without a tool lists all")
    raise ContractError(f"{name} has no contract for {tool!r}; {hint}")


def _show(name: str, profile: str, contracts: Sequence[Contract]) -> None:
    of_profile = f" of profile {profile}" if profile else ""
    clauses = sum(len(contract.clauses) for contract in contracts)
    tools, number = count(len(contracts), "tool"), count(clauses, "clause")
    write_line(f"{name}: contracts{of_profile} for {tools}, {number}")
    write("\n")
    for contract in contracts:
        write_line(contract.tool)
        for clause in contract.clauses:
            write_line(f"  {explain(clause)} ({_evidence(clause)})")
            write_line(f"    {name_clause(contract.tool, clause).address}")
        if not contract.clauses:
            write("  nothing is demanded of its results\n")
        write("\n")


def _evidence(clause: Clause) -> str:
    if not clause.samples:
        return clause.source
    return f"{count(clause.samples, 'sample')}, {count(clause.tasks, 'task')}, {clause.source}"


def _json(profile: str, contracts: Sequence[Contract]) -> Json:
    return {
        "profile": profile,
        "tools": {
            contract.tool: [
                {
                    **name_clause(contract.tool, clause)._asdict(),
                    "words": explain(clause),
                    **clause_json(clause),
                }
                for clause in contract.clauses
            ]
            for contract in contracts
        },
    }
