"""`diff`: what changed between two contract files, in words."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence

import click

from outcome_monitors.contracts.identity import address, known_clauses, resolve
from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.registry import Registry, clause_json, owned
from outcome_monitors.lifecycle import Change, diff
from outcome_monitors.lifecycle.diff import evidence
from outcome_monitors.model import Clause, Json

from ._inputs import format_option
from ._output import count, write, write_line

EPILOG = """\b
Example:
  outcome-monitors diff contracts.json newer.json

Exit status: 0 both demand the same, 1 they do not, 2 the work could not be done."""

SIGNS = {"added": "+", "dropped": "-", "changed": "~"}
RANKS = {
    "tool dropped": 0,
    "shape dropped": 0,
    "changed": 1,
    "dropped": 2,
    "added": 3,
    "tool added": 4,
    "shape added": 4,
}
"""The order of changes: dropped tools, then changed, dropped and added clauses."""
MOST_TOOLS = 5


@click.command("diff", epilog=EPILOG)
@click.argument("before")
@click.argument("after")
@click.argument("clauses", metavar="[CLAUSE]...", nargs=-1)
@format_option("text", "json")
@click.option("--all", "everything", is_flag=True, help="List every change, also grown bounds and tables.")
def command(before: str, after: str, clauses: tuple[str, ...], form: str, everything: bool) -> int:
    """Compare two contract files, or only the clauses named."""
    old, new = load_contracts(before), load_contracts(after)
    names = _named(clauses, old, new)
    changes = [change for change in diff(old, new) if not names or change.id in names]
    return write_changes(changes, form, everything=everything or bool(names))


def write_changes(changes: Sequence[Change], form: str, *, everything: bool) -> int:
    """Write what changed, and return the exit status."""
    if form == "json":
        write(json.dumps({"changes": [_json(change) for change in changes]}, indent=2) + "\n")
    else:
        for line in _text(changes, everything=everything):
            write_line(line)
    return 1 if any(change.what != "evidence" for change in changes) else 0


def _named(clauses: Sequence[str], *registries: Registry) -> frozenset[str]:
    known: dict[str, tuple[str, Clause]] = {}
    for registry in registries:
        known |= known_clauses(owned(registry))
    return frozenset(resolve(name, known) for name in clauses)


def _text(changes: Sequence[Change], *, everything: bool) -> Iterator[str]:
    """Yield what matters, tool by tool, the tools with most at stake first; what time brings is one line for all."""
    grown = [] if everything else [change for change in changes if change.growth]
    told = [change for change in changes if change.what != "evidence" and change not in grown]
    by_tool: dict[str, list[Change]] = {}
    for change in told:
        by_tool.setdefault(change.tool, []).append(change)
    for tool, its in sorted(by_tool.items(), key=lambda pair: min(RANKS[change.what] for change in pair[1])):
        yield tool + next((f" ({change.what})" for change in its if " " in change.what), "")
        for change in sorted(its, key=lambda change: RANKS[change.what]):
            if change.what in SIGNS:
                yield f"  {SIGNS[change.what]} {change.words} ({_support(change)})"
    yield from _grown(grown)
    yield from _summary(changes)


def _grown(changes: Sequence[Change]) -> Iterator[str]:
    if changes:
        tools = dict.fromkeys(change.tool for change in changes)
        shown = ", ".join([*tools][:MOST_TOOLS]) + (" and others" if len(tools) > MOST_TOOLS else "")
        yield f"as time goes by, in {shown}: {count(len(changes), 'clause')} with more cases or other bounds (--all lists them)"


def _support(change: Change) -> str:
    if change.before is None or change.after is None:
        return evidence(change.after or change.before)
    before, after = evidence(change.before), evidence(change.after)
    return after if before == after else f"{after}; before {before}"


def _summary(changes: Sequence[Change]) -> Iterator[str]:
    numbers = Counter(change.what for change in changes)
    if not numbers.keys() - {"evidence"}:
        same = "the two demand the same"
        yield f"{same}, {count(numbers['evidence'], 'clause')} with other evidence" if changes else same
        return
    clauses = f"{numbers['added']:,} added, {numbers['dropped']:,} dropped, {numbers['changed']:,} changed"
    owners = "; ".join(
        f"{count(numbers[f'{sort} added'], sort)} added, {numbers[f'{sort} dropped']:,} dropped"
        for sort in ("tool", "shape")
        if sort == "tool" or numbers["shape added"] or numbers["shape dropped"]
    )
    yield f"clauses: {clauses}, {numbers['evidence']:,} with other evidence alone; {owners}"


def _json(change: Change) -> Json:
    clause = change.after or change.before
    return {
        "what": change.what,
        "tool": change.tool,
        "id": change.id,
        "address": address(change.tool, clause) if clause is not None else "",
        "words": change.words,
        "before": clause_json(change.before) if change.before is not None else None,
        "after": clause_json(change.after) if change.after is not None else None,
    }
