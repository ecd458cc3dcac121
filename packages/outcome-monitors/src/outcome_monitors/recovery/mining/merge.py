"""Relations from several sources, put together: the order of the sources does not matter, nor how often one is given."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from outcome_monitors.recovery.effects import FOUND_OUT, Effect
from outcome_monitors.recovery.relations import Edit, Relation, Relations

__all__ = ["MINED", "combine", "declared_effects", "edited", "kept_by_hand", "unrejected"]

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


def kept_by_hand(old: Relations) -> dict[str, list[Relation]]:
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
