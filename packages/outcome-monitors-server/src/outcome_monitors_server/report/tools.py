"""The tools: which are called, which have a contract, what is flagged; and the contracts in words."""

from collections import Counter
from collections.abc import Iterator

from outcome_monitors.contracts.identity import address
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import CLEAN, FAILED, FLAGGED, NOT_CHECKED, NOT_COVERED
from outcome_monitors.model import Clause
from outcome_monitors.reports import Markup, element, folded, paragraph, percent, table
from outcome_monitors.rules import explain

from .tally import TeamTally
from .words import count, left_out, name, note

__all__ = ["contracts", "outcomes", "tools"]

MOST_TOOLS = 60
MOST_CONTRACTS = 40
MOST_CLAUSES = 30
"""Of each tool; those that most tasks speak for."""
LONGEST_CLAUSE = 240
LONGEST_REASON = 80


def tools(tally: TeamTally, registry: Registry) -> Iterator[Markup]:
    """Write what became of each tool's results, those with most alarms first."""
    ranked = _ranked(tally)
    yield table(
        (
            "tool",
            ">calls",
            ">checked",
            ">share checked",
            ">flagged",
            ">share flagged",
            ">clauses",
            "why not the rest",
        ),
        [
            (
                name(tool),
                f"{tally.tools[tool].total():,}",
                f"{_checked(tally, tool):,}",
                percent(_checked(tally, tool) / tally.tools[tool].total()),
                f"{tally.tools[tool][FLAGGED]:,}",
                _rate(tally, tool),
                _clauses(registry, tool),
                _rest(tally, tool),
            )
            for tool in ranked[:MOST_TOOLS]
        ],
        stacked=True,
    )
    yield from note(left_out(min(MOST_TOOLS, len(ranked)), len(ranked), "tool"))
    unused = sum(tool not in tally.tools for tool in registry.contracts)
    if unused:
        yield element("p", f"{count(unused, 'tool')} with a contract, not called here.", class_="note")


def outcomes(tally: TeamTally) -> Iterator[Markup]:
    """Write the outcomes of each tool's results, those with most alarms first."""
    ranked = _ranked(tally)
    every = (CLEAN, FLAGGED, NOT_COVERED, NOT_CHECKED, FAILED)
    yield table(
        (
            "tool",
            *(f">{outcome.replace('_', ' ')}" for outcome in every),
            ">share checked",
            "why not the rest",
        ),
        [
            (
                name(tool),
                *(f"{tally.tools[tool][outcome]:,}" for outcome in every),
                percent(_checked(tally, tool) / tally.tools[tool].total()),
                _rest(tally, tool),
            )
            for tool in ranked[:MOST_TOOLS]
        ],
        stacked=True,
    )
    yield from note(left_out(min(MOST_TOOLS, len(ranked)), len(ranked), "tool"))


def contracts(tally: TeamTally, registry: Registry) -> Iterator[Markup]:
    """Say in words what is demanded of each tool's results, and how much speaks for it."""
    if not registry.contracts:
        yield paragraph("There are none.")
        return
    ranked = sorted(
        registry.contracts,
        key=lambda tool: (
            -tally.tools[tool][FLAGGED] if tool in tally.tools else 0,
            -tally.tools[tool].total() if tool in tally.tools else 0,
            tool,
        ),
    )
    yield paragraph(
        "A clause holds what clean results had in common. Tasks count, not calls: ten calls about one"
        " order are one witness. What is open is printed."
    )
    for place, tool in enumerate(ranked[:MOST_CONTRACTS]):
        clauses = registry.contracts[tool].clauses
        # On paper all of them would be most of the page.
        yield folded(
            f"{name(tool)}: {count(len(clauses), 'clause')}",
            *_contract(tool, clauses),
            unfolded=not place,
            on_paper=False,
        )
    yield from note(left_out(min(MOST_CONTRACTS, len(ranked)), len(ranked), "contract"))


def _contract(tool: str, clauses: tuple[Clause, ...]) -> Iterator[Markup]:
    # The sort is stable: among equals the order of the contract file stays.
    best = sorted(clauses, key=lambda clause: -clause.tasks)[:MOST_CLAUSES]
    yield table(
        ("clause", ">tasks", ">samples", "source", "address"),
        [
            (
                name(explain(clause), LONGEST_CLAUSE),
                f"{clause.tasks:,}" if clause.samples else "",
                f"{clause.samples:,}" if clause.samples else "",
                name(clause.source),
                name(address(tool, clause), LONGEST_CLAUSE),
            )
            for clause in best
        ],
        stacked=True,
    )
    yield from note(left_out(len(best), len(clauses), "clause"))


def _ranked(tally: TeamTally) -> list[str]:
    found = tally.tools
    return sorted(found, key=lambda tool: (-found[tool][FLAGGED], -found[tool].total(), tool))


def _checked(tally: TeamTally, tool: str) -> int:
    return tally.tools[tool][CLEAN] + tally.tools[tool][FLAGGED]


def _rate(tally: TeamTally, tool: str) -> str:
    checked = _checked(tally, tool)
    return percent(tally.tools[tool][FLAGGED] / checked if checked else None)


def _rest(tally: TeamTally, tool: str) -> str:
    """Say why results of a tool were not checked, the commonest reason first; empty where all were."""
    reasons = tally.reasons.get(tool, Counter()).most_common()
    return "; ".join(f"{name(why, LONGEST_REASON)}: {number:,}" for why, number in reasons)


def _clauses(registry: Registry, tool: str) -> str:
    contract = registry.contracts.get(tool)
    return "no contract" if contract is None else f"{len(contract.clauses):,}"
