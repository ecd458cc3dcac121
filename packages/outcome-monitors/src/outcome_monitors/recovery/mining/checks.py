"""Reads that show something of the same thing: whether a write took effect, whether a read can be believed.

They do not stand in for a call. `checks` are sure: they are asked with what the call was given or has returned. `lookups` are less sure,
and there for every tool set: after a write, a read of the same server that takes one of its arguments, that has a noun in common with
it, whose answers changed across it or named what it was given, or that can be asked without knowing anything.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log

from outcome_monitors.features.tool_names import action_of
from outcome_monitors.jsonvalue.text import words
from outcome_monitors.model import Call
from outcome_monitors.recovery.arguments import RESULT
from outcome_monitors.recovery.relations import Effect, Relation
from outcome_monitors.recovery.tools import Tool

from .reading import KEYS, hollow, stems
from .signatures import names_of
from .values import Domains, ValueDomain, canonical, is_distinctive, leaves, specific

__all__ = ["checks", "lookups"]

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
            if reader is not tool and (check := _check(tool, reader, keyed, fields)) is not None
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


MOST_LOOKUPS = 6
MANY = 40
"""Reads that share a word or an argument: where there are more, on a large server, it tells nothing."""
LARGE = 400
SMALL = 40
"""Tools of a server of which each read may show what another did."""
NEAR = 12
"""Calls after a write that are looked at."""
LEAST, SURE = 0.2, 0.65
_ASKED = frozenset(("filter", "keyword", "pattern", "q", "query", "question", "search", "term"))
"""What anyone can be asked for in words."""
_ANY = frozenset(
    """
    after before count cursor depth desc direction fields format from full head include lang language length level limit locale
    max min mode offset order page per recursive show size skip sort start tail timeout to type unit units verbose
    """.split()  # noqa: SIM905 - words read better as words
)
"""Words of arguments that say how a tool answers, not about what."""
_IDS = frozenset("code email id key name number ref slug uuid".split())  # noqa: SIM905 - as above
_NAMES = frozenset("address doi domain email file folder isbn path repo symbol ticker uri url".split())  # noqa: SIM905 - as above
_FILLERS = frozenset("a all an and as at by for from in into of on or the to with".split())  # noqa: SIM905 - as above


class _Face:
    """What a name and its arguments tell of a tool."""

    def __init__(self, tool: Tool) -> None:
        self.name = tool.name
        self.space, self.nouns = _read_name(tool.name)
        self.takes = {_stems(parameter.name): parameter.name for parameter in tool.parameters}
        self.needs = [_stems(parameter.name) for parameter in tool.required]


@lru_cache(maxsize=16384)
def _read_name(name: str) -> tuple[str, frozenset[str]]:
    """Return the server of a tool, as its name has it, and its nouns."""
    space, _, own = name.rpartition("__") if "__" in name else name.rpartition(".")
    found = [word for word in words(own) if word not in _FILLERS]
    nouns = [
        word
        for place, word in enumerate(found)
        if action_of(word) is None or (place and place == len(found) - 1)
    ]
    return space, frozenset(map(_stem, nouns))


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=16384)
def _stems(name: str) -> tuple[str, ...]:
    return tuple(map(_stem, words(name)))


def lookups(
    tools: Sequence[Tool], effects: Mapping[str, Effect], sessions: Iterable[Sequence[Call]]
) -> dict[str, list[Relation]]:
    """Return for each tool the reads of the same server that show something of the same thing, best first."""
    faces = [_Face(tool) for tool in tools]
    reads = {face.name for face in faces if face.name in effects and not effects[face.name].writes}
    servers: defaultdict[str, list[_Face]] = defaultdict(list)
    for face in faces:
        servers[face.space].append(face)
    shown = _shown(sessions, reads)
    found: dict[str, list[Relation]] = {}
    for server in map(_Server, servers.values(), [reads] * len(servers)):
        for face in server.faces:
            ranked = sorted(
                server.related(face, shown.get(face.name, {})),
                key=lambda relation: (-relation.confidence, relation.tool),
            )
            if ranked:
                found[face.name] = ranked[:MOST_LOOKUPS]
    return found


class _Server:
    """The tools of one server, and which of its reads share a word or an argument."""

    def __init__(self, faces: Sequence[_Face], reads: set[str]) -> None:
        self.faces = faces
        self._reads = {face.name: face for face in faces if face.name in reads}
        common = Counter(noun for face in faces for noun in face.nouns)
        self._weight = {noun: log(1 + len(faces) / times) for noun, times in common.items()}
        self._by: defaultdict[object, list[_Face]] = defaultdict(list)
        for face in self._reads.values():
            for mark in (*face.nouns, *face.needs, *(() if face.needs else (None,))):
                self._by[mark].append(face)

    def related(self, face: _Face, shown: Mapping[str, int]) -> Iterator[Relation]:
        """Yield the reads that have to do with a tool."""
        marks: tuple[object, ...] = (*face.nouns, *face.takes)
        near = {each.name for mark in marks for each in self._sharing(mark)} | self._reads.keys() & shown
        if face.name not in self._reads and len(self.faces) <= SMALL:
            near |= self._reads.keys()
        for name in near - {face.name}:
            relation = self._relation(face, self._reads[name], shown.get(name, 0))
            if relation is not None:
                yield relation

    def _sharing(self, mark: object) -> Sequence[_Face]:
        found = self._by.get(mark, ())
        return found if len(found) <= MANY or len(self.faces) <= LARGE else ()

    def _relation(self, face: _Face, read: _Face, times: int) -> Relation | None:
        same = [need for need in read.needs if need in face.takes and not set(need) <= _ANY]
        lacking = [need for need in read.needs if need not in face.takes and not _askable(need)]
        alike = self._alike(face, read)
        if face.name in self._reads and not times and not _of_one_thing(face, read, same, alike):
            return None
        parts = 0.3 * bool(same) + 0.25 * alike + 0.15 * (not lacking) + 0.3 * times / (times + 1)
        mapping = {face.takes[need]: read.takes[need] for need in same}
        whole = mapping if len(mapping) == len(read.needs) else {}
        confidence = round(min(LEAST + 0.5 * parts, SURE), 2)
        return Relation(read.name, confidence, "check", _why_looked_up(same, alike, times), whole)

    def _alike(self, face: _Face, read: _Face) -> float:
        """Return which part of what a name tells the other tells too; a word counts the more the fewer tools have it."""
        total = sum(self._weight[noun] for noun in face.nouns)
        return sum(self._weight[noun] for noun in face.nouns & read.nouns) / total if total else 0.0


def _of_one_thing(face: _Face, read: _Face, same: Sequence[tuple[str, ...]], alike: float) -> bool:
    """Say whether one read may show something of what another does.

    An argument that names a thing does, whatever the tools are called. A bare `id` or a region does where they have a noun in common
    that says something: `character_info` shows nothing of `artifact_info`.
    """
    if any(map(_names_a_thing, same)):
        return True
    return (bool(same) or alike >= LEAST) and not all(map(hollow, face.nouns & read.nouns))


def _names_a_thing(need: tuple[str, ...]) -> bool:
    """Say whether an argument names one thing by itself: an `order_id`, a path; a bare `id` may be anything's."""
    return need[-1] in _NAMES or (len(need) > 1 and need[-1] in _IDS)


def _askable(need: tuple[str, ...]) -> bool:
    """Say whether an argument can be given without knowing anything."""
    return bool(need) and (need[-1] in _ASKED or set(need) <= _ANY)


def _why_looked_up(same: Sequence[tuple[str, ...]], alike: float, times: int) -> str:
    if times:
        return "runs have seen there what it did"
    if same:
        return f"it shows the same `{'_'.join(same[0])}`"
    return "it is about the same kind of thing" if alike >= LEAST else "it shows how things stand now"


def _shown(sessions: Iterable[Sequence[Call]], reads: set[str]) -> dict[str, Counter[str]]:
    """Count, for each call, the runs in which a read after it named what it had been given, or said something new."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for calls in sessions:
        pairs: set[tuple[str, str]] = set()
        before: dict[tuple[str, str], object] = {}
        for place, call in enumerate(calls):
            if call.tool in reads:
                before[call.tool, repr(call.arguments)] = call.result
                continue
            given = frozenset(
                filter(is_distinctive, (canonical(value) for _, value in leaves(dict(call.arguments))))
            )
            for later in calls[place + 1 : place + 1 + NEAR]:
                if later.tool in reads and not later.error and _shows(later, given, before):
                    pairs.add((call.tool, later.tool))
        for tool, read in pairs:
            found[tool][read] += 1
    return found


def _shows(read: Call, given: frozenset[str], before: Mapping[tuple[str, str], object]) -> bool:
    key = (read.tool, repr(read.arguments))
    if key in before and before[key] != read.result:
        return True
    asked = {canonical(value) for _, value in leaves(dict(read.arguments))}
    return any(canonical(value) in given - asked for _, value in leaves(read.result))
