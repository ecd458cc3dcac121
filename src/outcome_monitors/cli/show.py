"""`show`: contracts in plain words."""

import difflib
import json
from collections.abc import Sequence

import click

from outcome_monitors.contracts.folds import FoldIndex, load_contracts
from outcome_monitors.contracts.registry import Registry, clause_json
from outcome_monitors.exceptions import ContractError
from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.rules import explain

from ._output import count, printable, table, write

__all__ = ["clause_table", "command"]

EPILOG = """\b
Example:
  outcome-monitors show contracts.json get_order"""


@click.command("show", epilog=EPILOG)
@click.argument("contracts")
@click.argument("tools", metavar="[TOOL]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(contracts: str, tools: tuple[str, ...], as_json: bool) -> None:
    """Say in plain words what the contract file CONTRACTS demands: of each TOOL named, or of all."""
    found = load_contracts(contracts)
    if isinstance(found, FoldIndex):
        if tools:
            raise ContractError(
                f"{contracts} is an index of {len(found.registries)} registries; show one of them: {found.file(0)}"
            )
        if as_json:
            write(found.dumps())
        else:
            _show_index(found)
        return
    chosen = [_contract(found, tool, contracts) for tool in tools or sorted(found.contracts)]
    if as_json:
        write(json.dumps(_json(found.profile, chosen), indent=2) + "\n")
    else:
        _show(contracts, found.profile, chosen)


def _contract(registry: Registry, tool: str, name: str) -> Contract:
    if tool in registry.contracts:
        return registry.contracts[tool]
    close = difflib.get_close_matches(tool, registry.contracts)
    hint = f"did you mean {' or '.join(close)}?" if close else f"show {name} without a tool lists all"
    raise ContractError(f"{name} has no contract for {tool!r}; {hint}")


def _show(name: str, profile: str, contracts: Sequence[Contract]) -> None:
    of_profile = f" of profile {profile}" if profile else ""
    clauses = sum(len(contract.clauses) for contract in contracts)
    write(
        printable(
            f"{name}: contracts{of_profile} for {count(len(contracts), 'tool')}, {count(clauses, 'clause')}"
        )
        + "\n\n"
    )
    for contract in contracts:
        write(f"{printable(contract.tool)}\n")
        if contract.clauses:
            clause_table(contract.clauses)
        else:
            write("  nothing is demanded of its results\n\n")


def clause_table(clauses: Sequence[Clause]) -> None:
    """Write clauses in words, with what speaks for each."""
    rows = [(explain(clause), _support(clause), clause.source) for clause in clauses]
    table(("clause", "seen to hold in", "source"), rows)


def _support(clause: Clause) -> str:
    if not clause.samples:
        return ""
    return f"{count(clause.samples, 'sample')}, {count(clause.tasks, 'task')}"


def _json(profile: str, contracts: Sequence[Contract]) -> Json:
    return {
        "profile": profile,
        "tools": {
            contract.tool: [{"words": explain(clause), **clause_json(clause)} for clause in contract.clauses]
            for contract in contracts
        },
    }


def _show_index(index: FoldIndex) -> None:
    write(f"an index of {len(index.registries)} registries; show one of them for its contracts\n\n")
    left_out = list(index.tasks.values())
    rows = [
        (str(fold), str(index.file(fold)), f"{left_out.count(fold):,}")
        for fold in range(len(index.registries))
    ]
    table((">fold", "registry", ">tasks left out"), rows)
