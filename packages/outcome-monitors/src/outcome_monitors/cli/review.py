"""`review`: look at clauses and decide on them, in a file that outlives the next mining."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import click

from outcome_monitors.contracts.identity import (
    Known,
    built_in_clause,
    known_clauses,
    name_clause,
    resolve,
)
from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.overrides import LONGEST_NOTE
from outcome_monitors.contracts.registry import Registry, owned
from outcome_monitors.exceptions import ContractError
from outcome_monitors.learning.decisions import Decisions, deciding
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.lifecycle import Override, Overrides
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules import explain
from outcome_monitors.storage.address import shown
from outcome_monitors.storage.layout import OVERRIDES
from outcome_monitors.storage.opening import file_in, is_state

from ._inputs import format_option
from ._output import count, table, write, write_line

EPILOG = """\b
Example:
  outcome-monitors review contracts.json --overrides overrides.json

Without a decision it lists the clauses with their names, and what was decided."""


def _notes(
    _ctx: click.Context, _option: click.Parameter, values: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """Read option values of the form ID=TEXT."""
    pairs = []
    for value in values:
        name, sign, text = value.partition("=")
        if not name or not sign:
            raise click.BadParameter(f"{value!r} is not of the form ID=TEXT")
        if len(text) > LONGEST_NOTE:
            raise click.BadParameter(f"a note has at most {LONGEST_NOTE} characters")
        pairs.append((name, text))
    return tuple(pairs)


@click.command("review", epilog=EPILOG)
@click.argument("contracts")
@click.argument("tools", metavar="[TOOL]...", nargs=-1)
@click.option(
    "--overrides",
    metavar="FILE",
    help="The decisions file; created if missing. Not needed for a state folder.",
)
@click.option("--accept", multiple=True, metavar="ID", help="Accept: `lint` skips it. Repeatable.")
@click.option("--mute", multiple=True, metavar="ID", help="Mute: it no longer fires. Repeatable.")
@click.option("--pin", multiple=True, metavar="ID", help="Pin: mining doesn't change it. Repeatable.")
@click.option("--note", multiple=True, metavar="ID=TEXT", callback=_notes, help="Add a note. Repeatable.")
@click.option("--undo", multiple=True, metavar="ID", help="Remove decision and note. Repeatable.")
@click.option("--open", "only_open", is_flag=True, help="List undecided clauses only.")
@format_option("text", "json")
def command(
    contracts: str,
    tools: tuple[str, ...],
    overrides: str | None,
    note: tuple[tuple[str, str], ...],
    undo: tuple[str, ...],
    only_open: bool,
    form: str,
    **decisions: tuple[str, ...],
) -> None:
    """List the clauses of CONTRACTS, or decide on them by ID (an id or address).

    Ids stay the same when contracts are mined again.
    """
    if overrides is None and not is_state(contracts):
        raise click.UsageError("Missing option '--overrides'")
    registry = load_contracts(contracts)
    known = known_clauses(owned(registry))
    if any(decisions.values()) or note or undo:
        with _deciding(contracts, overrides) as decided:
            before = decided.overrides.on(registry)
            named = (
                *(name for names in decisions.values() for name in names),
                *(name for name, _ in note),
                *undo,
            )
            built_in = {name: pair for text in named for name, pair in built_in_clause(text).items()}
            decided.overrides = _decided(before, {**built_in, **known}, decisions, note, undo)
        _write_summary(decided.where, before, decided.overrides)
        return
    after = _so_far(contracts, overrides).on(registry)
    chosen = _chosen(registry, tools, shown(contracts))
    listed = {
        name: pair
        for name, pair in _with_overrides(known, after).items()
        if pair[0] in chosen and not (only_open and after.decision(name))
    }
    if form == "json":
        write(json.dumps([_json(name, listed[name], after) for name in listed], indent=2) + "\n")
    else:
        _list(listed, after)


@contextmanager
def _deciding(contracts: str, overrides: str | None) -> Iterator[Decisions]:
    """Give the decisions to be changed, and write them; those of a folder one at a time."""
    if overrides is None:
        with closing(StateFolder.at(contracts)) as state, deciding(state) as decided:
            yield decided
        return
    decided = Decisions(_so_far(contracts, overrides), overrides)
    yield decided
    decided.overrides.save(overrides)


def _so_far(contracts: str, overrides: str | None) -> Overrides:
    """Return what was decided; what is not there yet is nothing."""
    file = file_in(contracts, OVERRIDES) if overrides is None else Path(overrides)
    return Overrides.load(file) if file.exists() else Overrides()


def _decided(
    overrides: Overrides,
    known: Known,
    decisions: Mapping[str, tuple[str, ...]],
    notes: Iterable[tuple[str, str]],
    undo: Iterable[str],
) -> Overrides:
    """Return the overrides with what the options say."""

    def resolved(name: str) -> str:
        return resolve(name, known, overrides.entries)

    decided: dict[str, str] = {}
    for decision, names in decisions.items():
        for name in map(resolved, names):
            if decided.setdefault(name, decision) != decision:
                raise click.UsageError(f"{name} cannot be both --{decided[name]} and --{decision}")
    noted = [(resolved(name), text) for name, text in notes]
    changed = overrides
    for name in map(resolved, undo):
        if name not in changed.entries:
            raise ContractError(f"nothing was decided on clause {name!r}; see the list for what was")
        changed = changed.undone(name)
    for name, decision in decided.items():
        tool, clause = _clause(name, known, changed)
        before = changed.entries.get(name)
        changed = changed.decided(Override.of(tool, clause, decision, before.note if before else ""))
    for name, text in noted:
        entry = changed.entries.get(name) or Override.of(*_clause(name, known, changed))
        changed = changed.decided(replace(entry, note=text))
    return changed


def _clause(name: str, known: Known, overrides: Overrides) -> tuple[str, Clause]:
    if name in known:
        return known[name]
    entry = overrides.entries.get(name)
    if entry is not None and entry.pinned is not None:
        return entry.tool, entry.pinned
    raise ContractError(f"clause {name} is no longer in the contracts, and it was not pinned: undo it alone")


def _chosen(registry: Registry, tools: tuple[str, ...], name: str) -> frozenset[str]:
    there = owned(registry)
    for tool in tools:
        if tool not in there:
            raise ContractError(f"{name} has no contract for {tool!r}; show {name} lists all")
    return frozenset(tools or there)


def _with_overrides(known: Known, overrides: Overrides) -> Known:
    """Return the clauses, with those that are pinned though they are no longer mined."""
    pinned = {
        entry.id: (entry.tool, entry.pinned) for entry in overrides.in_order() if entry.pinned is not None
    }
    return {**known, **pinned}


def _write_summary(name: str, before: Overrides, after: Overrides) -> None:
    names = {*before.entries, *after.entries}
    changed = sum(before.entries.get(key) != after.entries.get(key) for key in names)
    write_line(f"{name}: {count(len(after.entries), 'decision')}, {changed:,} changed")


def _list(listed: Known, overrides: Overrides) -> None:
    tools = dict.fromkeys(tool for tool, _ in listed.values())
    for tool in tools:
        write_line(tool)
        rows = [
            (name, _state(overrides.entries.get(name)), explain(clause), f"{clause.tasks:,}")
            for name, (of, clause) in listed.items()
            if of == tool
        ]
        table(("id", "decided", "clause", ">tasks"), rows)
    decided = sum(bool(overrides.decision(name)) for name in listed)
    write(f"{count(len(listed), 'clause')}, {decided:,} decided on\n")


def _state(entry: Override | None) -> str:
    return "" if entry is None else ": ".join(filter(None, (entry.decision, entry.note)))


def _json(name: str, pair: tuple[str, Clause], overrides: Overrides) -> Json:
    tool, clause = pair
    entry = overrides.entries.get(name)
    return {
        "id": name,
        "address": name_clause(tool, clause).address,
        "tool": tool,
        "words": explain(clause),
        "tasks": clause.tasks,
        "decision": entry.decision if entry else "",
        "note": entry.note if entry else "",
    }
