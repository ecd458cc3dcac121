"""Reads that show something of the same thing: whether a write took effect, whether a read can be believed.

They do not stand in for a call. They answer another question about the same thing, with what the call was told or has returned.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from outcome_monitors.recovery.arguments import RESULT
from outcome_monitors.recovery.relations import Effect, Relation
from outcome_monitors.recovery.tools import Parameter, Tool

from .domains import Domains, ValueDomain, specific
from .parameters import KEYS, names_of
from .vocabulary import stems

__all__ = ["checks"]

MOST = 8
TOLD, RETURNED, UNSURE, NAMED = 0.9, 0.75, 0.5, 0.4
"""How sure a check is: asked with what the call was told, with what it returned, with more than that, or only about the same
kind of thing."""


def checks(
    tools: Sequence[Tool], effects: Mapping[str, Effect], domains: Domains
) -> dict[str, list[Relation]]:
    """Return for each tool the reads that show something of the same thing, best first."""
    keyed = {tool.name: _keys(tool, domains) for tool in tools}
    readers = [
        tool for tool in tools if keyed[tool.name] and tool.name in effects and not effects[tool.name].writes
    ]
    fields = {tool.name: domains.fields(tool.name) for tool in tools}
    by_mark: defaultdict[str, dict[str, Tool]] = defaultdict(dict)
    for reader in readers:
        for mark in _marks(keyed[reader.name], fields[reader.name]):
            by_mark[mark][reader.name] = reader
    found: dict[str, list[Relation]] = {}
    for tool in tools:
        near: dict[str, Tool] = {}
        for mark in _marks(keyed[tool.name], fields[tool.name]):
            near |= by_mark.get(mark, {})
        related = (
            check
            for reader in near.values()
            if reader is not tool and (check := _check(tool, reader, keyed, fields, domains)) is not None
        )
        ranked = sorted(related, key=lambda check: (-check.confidence, check.tool))[:MOST]
        if ranked:
            found[tool.name] = ranked
    return found


def _marks(*places: Mapping[str, ValueDomain]) -> set[str]:
    """Return the forms and values that domains must have one of in common to be the same: so few pairs are looked at."""
    found = [domain for place in places for domain in place.values()]
    forms = {form for domain in found for form in domain.forms if specific(form)}
    return forms | {f"={value}" for domain in found for value in domain.values}


def _check(
    tool: Tool,
    reader: Tool,
    keyed: Mapping[str, Mapping[str, ValueDomain]],
    fields: Mapping[str, Mapping[str, ValueDomain]],
    domains: Domains,
) -> Relation | None:
    theirs = keyed[reader.name]
    mapping: dict[str, str] = {}
    source = ""
    for name, domain in theirs.items():
        told = _place(name, domain, keyed[tool.name], mapping)
        returned = told or _place(name, domain, fields[tool.name], mapping)
        if returned:
            mapping[returned] = name.replace("[0]", "[]")
            source = source or ("told" if told else "returned")
    if mapping:
        mapping |= _rest(tool, reader, mapping, domains)
        lacking = {p.name for p in reader.required} - names_of(mapping.values())
        if lacking:
            # Half a call is no call: the agent must know the rest.
            return Relation(reader.name, UNSURE, "check", _why(mapping))
        rows = any("[" in place or "*" in place for place in mapping)
        confidence = (TOLD if source == "told" else RETURNED) - 0.15 * rows
        return Relation(reader.name, round(confidence, 2), "check", _why(mapping), mapping)
    listed = next(
        (
            key
            for key, domain in keyed[tool.name].items()
            if any(map(domain.same, fields[reader.name].values()))
        ),
        None,
    )
    if listed is None:
        return None
    return Relation(reader.name, NAMED, "check", f"it lists what `{listed}` names")


def _place(name: str, domain: ValueDomain, places: Mapping[str, ValueDomain], used: Mapping[str, str]) -> str:
    """Return where a value for an argument stands: under the same name first, then wherever the same kind of thing is."""
    same = [place for place, theirs in places.items() if place not in used and domain.same(theirs)]
    alike = [place for place in same if stems(place.rpartition(".")[2])[-2:] == stems(name)[-2:]]
    # A field of the result itself before one of its rows.
    return min(
        (*alike, *same), key=lambda place: ("[]" in place or "*" in place, place not in alike), default=""
    )


def _rest(tool: Tool, reader: Tool, mapping: Mapping[str, str], domains: Domains) -> dict[str, str]:
    """Map the other required arguments that bear the same name or form."""
    found: dict[str, str] = {}
    for parameter in reader.required:
        if parameter.name in names_of(mapping.values()):
            continue
        for mine in tool.parameters:
            if mine.name not in {**mapping, **found} and _alike(mine, parameter, tool, reader, domains):
                found[mine.name] = parameter.name
                break
    return found


def _alike(mine: Parameter, theirs: Parameter, tool: Tool, reader: Tool, domains: Domains) -> bool:
    if mine.type != theirs.type:
        return False
    one, other = domains.argument(tool.name, mine.name), domains.argument(reader.name, theirs.name)
    return stems(mine.name) == stems(theirs.name) or bool(
        one.forms & other.forms - {"text", "number", "flag"}
    )


def _keys(tool: Tool, domains: Domains) -> dict[str, ValueDomain]:
    return dict(_keyed(tool, domains))


def _keyed(tool: Tool, domains: Domains) -> Iterator[tuple[str, ValueDomain]]:
    """Yield the arguments that say which thing a call is about."""
    for parameter in tool.required:
        domain = domains.argument(tool.name, parameter.name)
        if parameter.type not in {"string", "string[]"}:
            continue
        said = set(stems(parameter.name))
        if not domain.specific and KEYS & said and said - KEYS:
            # Nobody has seen a value: the name says what it is the id of, unless it is `id` alone.
            domain = ValueDomain(domain.forms | {f"named {'_'.join(stems(parameter.name))}"}, domain.values)
        if domain.specific or len(domain.values) >= 3:
            yield parameter.name + "[0]" * parameter.type.endswith("[]"), domain


def _why(mapping: Mapping[str, str]) -> str:
    place = next(iter(mapping))
    if place.startswith(RESULT):
        return f"it shows what the result's `{place.removeprefix(RESULT)}` names"
    return f"it shows the same `{place}`"
