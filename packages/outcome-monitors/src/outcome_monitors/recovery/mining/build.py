"""All sources together: definitions, traces, contracts, and what people declare.

The order of the sources does not matter, nor how often one is given.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Call
from outcome_monitors.recovery.effects import FOUND_OUT, Effect, effects, writes_in_traces
from outcome_monitors.recovery.relations import Edit, Relation, Relations
from outcome_monitors.recovery.tools import Parameter, Tool, from_contract, needed, paging

from .behaviour import agreeing, agreements, writers
from .checks import checks
from .reading import Interface, interfaces
from .signatures import signatures
from .values import Domains, chains, leaves, sessions, steps

MOST = 5
"""Substitutes that are kept of those that are mined."""
SOURCES = ("edited", "declared", "toolmaze", "behaviour", "signature", "chain")
"""Who is believed where two are equally sure."""
MINED = frozenset(SOURCES[2:])

Found = Mapping[str, Iterable[Relation]]


def combine(*sources: Found) -> dict[str, list[Relation]]:
    """Return the substitutes of all sources, each once, by the surest source, best first."""
    by_tool: defaultdict[str, defaultdict[str, list[Relation]]] = defaultdict(lambda: defaultdict(list))
    for source in sources:
        for tool, relations in source.items():
            for relation in relations:
                if relation.tool != tool:
                    by_tool[tool][relation.tool].append(relation)
    combined: dict[str, list[Relation]] = {}
    for tool in sorted(by_tool):
        best = sorted((_best(found) for found in by_tool[tool].values()), key=_order)
        # What a person said is never cut off.
        combined[tool] = [r for place, r in enumerate(best) if place < MOST or r.source not in MINED]
    return combined


def edited(relations: Found, edits: Iterable[Edit]) -> dict[str, list[Relation]]:
    """Return relations as people decided: what was rejected is gone, what was accepted or added stands first."""
    found = {tool: {relation.tool: relation for relation in known} for tool, known in relations.items()}
    for edit in edits:
        entries = found.setdefault(edit.tool, {})
        if edit.verdict == "reject":
            entries.pop(edit.substitute, None)
            continue
        old = entries.get(edit.substitute) or Relation(edit.substitute, 1.0, "edited", "added by hand")
        entries[edit.substitute] = replace(
            old, confidence=1.0, why=edit.why or old.why, arguments=edit.arguments or old.arguments
        )
    return {tool: sorted(entries.values(), key=_order) for tool, entries in sorted(found.items()) if entries}


def unrejected(checks: Found, edits: Iterable[Edit]) -> dict[str, list[Relation]]:
    """Return the checks that nobody rejected."""
    rejected = {(edit.tool, edit.substitute) for edit in edits if edit.verdict == "reject"}
    return {tool: [c for c in found if (tool, c.tool) not in rejected] for tool, found in checks.items()}


def written_by_hand(old: Relations) -> dict[str, list[Relation]]:
    """Return what stands in an earlier file and no mining has put there."""
    return {
        tool: [relation for relation in found if relation.source not in MINED] for tool, found in old.items()
    }


def declared_effects(old: Relations, declared: Iterable[Relations]) -> dict[str, Effect]:
    """Return what calling tools does, as people say: in an earlier file, and in what they declare."""
    by_hand = {tool: told for tool, told in old.effects.items() if told.source not in FOUND_OUT}
    together = Relations(effects=by_hand)
    for one in declared:
        together = together.merge(Relations(effects=one.effects))
    return together.effects


def _best(relations: list[Relation]) -> Relation:
    ranked = sorted(relations, key=_order)
    arguments = next((relation.arguments for relation in ranked if relation.arguments), {})
    return replace(ranked[0], arguments=dict(sorted(arguments.items())))


def _order(relation: Relation) -> tuple[float, int, str, str, str]:
    rank = SOURCES.index(relation.source) if relation.source in SOURCES else len(SOURCES)
    return (-relation.confidence, rank, relation.tool, relation.why, repr(sorted(relation.arguments.items())))


WEAK = 0.3
"""How sure a check must be to be listed beside two others."""


@dataclass(slots=True)
class Sources:
    """All that relations are built from."""

    tools: Sequence[Tool] = ()
    calls: Sequence[Call] = ()
    contracts: Registry = field(default_factory=Registry)
    stated: Sequence[Mapping[str, Iterable[Relation]]] = ()
    """Relations that someone wrote down: declared ones, ToolMaze's, those kept from an earlier file."""
    effects: Mapping[str, Effect] = field(default_factory=dict)
    """What calling a tool does, where someone wrote that down."""
    edits: Sequence[Edit] = ()


def build(sources: Sources) -> Relations:
    """Return the relations that the sources give; equal sources give equal relations."""
    # A call that failed may have been wrong itself: it shows neither what an argument is nor which are needed.
    calls = [call for call in sources.calls if not call.error]
    runs = sessions(calls)
    tools = _completed(sources, calls)
    known = effects(tools, sources.effects)
    reading = {name: not effect.writes for name, effect in known.items()}
    known = effects(tools, sources.effects, writes_in_traces(sessions(sources.calls), reading))
    domains = Domains(tools, calls)
    read = interfaces(tools, known)
    reads = {tool.name for tool in tools if tool.name not in known or not known[tool.name].writes}
    found = edited(combine(*sources.stated, *_mined(read, runs, reads, domains)), sources.edits)
    beside = unrejected(checks(read, reads & known.keys(), domains, runs), sources.edits)
    others = {
        tool: _enough([check for check in listed if check.tool not in {r.tool for r in found.get(tool, ())}])
        for tool, listed in beside.items()
    }
    return Relations(
        found, checks=others, effects=known, needed=needed(tools), paging=paging(tools), edits=sources.edits
    )


def _enough(listed: Sequence[Relation]) -> list[Relation]:
    """Return the checks that are sure, best first, and of the others as many as make two."""
    sure = [check for check in listed if check.confidence >= WEAK]
    return [*sure, *(check for check in listed if check.confidence < WEAK)][: max(len(sure), 2)]


def _mined(
    tools: Sequence[Interface], runs: Sequence[list[Call]], reads: Collection[str], domains: Domains
) -> list[Found]:
    found = signatures(tools)
    if not runs:
        return [found]
    taken = [step for calls in runs for step in (*steps(calls), *chains(calls, reads))]
    compared = list(agreements(taken, reads))
    denied = {frozenset((*one.one, *one.other)) for one in compared if one.denied}
    believed = {
        tool: [relation for relation in listed if frozenset((tool, relation.tool)) not in denied]
        for tool, listed in found.items()
    }
    return [believed, agreeing(compared, [one.tool for one in tools]), writers(tools, domains)]


def _completed(sources: Sources, calls: Iterable[Call]) -> list[Tool]:
    """Return all tools, those without a definition as their traces show them."""
    tools = {tool.name: tool for tool in sources.tools}
    seen: defaultdict[str, list[Call]] = defaultdict(list)
    for call in calls:
        seen[call.tool].append(call)
    for name in sorted({*seen, *sources.contracts.contracts, *tools}):
        tool = tools.get(name) or Tool(name)
        # What is known by its name alone shows its arguments in traces.
        tools[name] = tool if tool.parameters else replace(tool, parameters=_parameters(seen[name]))
    for name, tool in tools.items():
        contract = sources.contracts.contracts.get(name)
        if not tool.fields and contract is not None:
            tools[name] = replace(tool, fields=from_contract(contract))
        elif not tool.fields and seen[name]:
            paths = dict.fromkeys(path for call in seen[name][:20] for path, _ in leaves(call.result) if path)
            tools[name] = replace(tool, fields=dict.fromkeys(paths, ""))
    return list(tools.values())


_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "string[]"}


def _parameters(calls: Sequence[Call]) -> tuple[Parameter, ...]:
    names = dict.fromkeys(name for call in calls for name in call.arguments)
    found = []
    for name in names:
        values = [call.arguments[name] for call in calls if name in call.arguments]
        found.append(Parameter(name, _TYPES.get(type(values[0]), "any"), required=len(values) == len(calls)))
    return tuple(found)
