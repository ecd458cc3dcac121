"""Reads that show something of the same thing as another call: whether a write took effect, whether a read is right.

What a read must be asked is looked for in the call by the values of traces and by what arguments are for, then in the call's result.
Reads of the same server are taken, too, that are about the same thing, or in which runs have seen what the call did.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from outcome_monitors.model import Call
from outcome_monitors.recovery.arguments import RESULT
from outcome_monitors.recovery.relations import Relation
from outcome_monitors.recovery.tools import Parameter

from .reading import Interface, cosine, hollow, stems
from .signatures import LOOSE, MADE_UP, fits, names_of, written
from .values import Domains, ValueDomain, canonical, is_distinctive, leaves, specific

MOST = 8
TOLD, RETURNED, ROWS = 0.9, 0.75, 0.15
"""How sure a check is that is asked with what the call was told, or returned; and how much less where that is a list."""
LEAST, SURE = 0.2, 0.65
"""How sure a check is that is only about the same kind of thing."""
MANY = 40
"""Reads that share a word or an argument: where there are more, on a large server, it tells nothing."""
LARGE = 400
SMALL = 40
"""Tools of a server of which each read may show what another did."""
NEAR = 12
"""Calls after a write that are looked at."""


def checks(
    tools: Sequence[Interface],
    reading: Collection[str],
    domains: Domains,
    sessions: Iterable[Sequence[Call]] = (),
) -> dict[str, list[Relation]]:
    """Return for each tool the reads that show something of the same thing, best first; `reading` are those that read."""
    known = _Reads(tools, reading, domains)
    shown = _shown(sessions, reading)
    found: dict[str, list[Relation]] = {}
    for one in tools:
        times: Mapping[str, int] = shown.get(one.tool.name, {})
        related = (known.check(one, read, times.get(read.tool.name, 0)) for read in known.near(one, times))
        ranked = sorted(filter(None, related), key=lambda check: (-check.confidence, check.tool))
        if ranked:
            found[one.tool.name] = ranked[:MOST]
    return found


class _Reads:
    """The tools that read, by what they share with others."""

    def __init__(self, tools: Sequence[Interface], reading: Collection[str], domains: Domains) -> None:
        self._domains = domains
        self._reading = {one.tool.name: one for one in tools if one.tool.name in reading}
        self._servers = Counter(one.server for one in tools)
        self._by_mark: defaultdict[object, list[str]] = defaultdict(list)
        for name, one in self._reading.items():
            for mark in self._marks(one):
                self._by_mark[mark].append(name)

    def near(self, one: Interface, shown: Collection[str]) -> Iterator[Interface]:
        """Yield the reads that a call may be checked by; of a small server each may show what a write did."""
        names = self._reading.keys() & shown
        size = self._servers[one.server]
        for mark in self._marks(one):
            found = self._by_mark.get(mark, ())
            if len(found) <= MANY or size <= LARGE:
                names.update(found)
        if size <= SMALL and one.tool.name not in self._reading:
            names.update(self._by_mark.get((one.server, ""), ()))
        yield from (self._reading[name] for name in names - {one.tool.name})

    def _marks(self, one: Interface) -> Iterator[object]:
        """Yield what two tools must have one of in common: values of one kind, words and arguments on the same server."""
        for domain in (*self._keys(one).values(), *self._domains.fields(one.tool.name).values()):
            yield from filter(specific, domain.forms)
            yield from (f"={value}" for value in domain.values)
        words = (word for word in one.weights if not hollow(word))
        yield from ((one.server, word) for word in (*words, *(role for _, role in one.roles), ""))

    def _keys(self, one: Interface) -> dict[str, ValueDomain]:
        """Return the arguments whose values say which thing a call is about."""
        found = {
            parameter.name + "[0]" * parameter.type.endswith("[]"): domain
            for parameter in one.tool.required
            if parameter.type in {"string", "string[]"}
            and (domain := self._domains.argument(one.tool.name, parameter.name))
        }
        return {name: domain for name, domain in found.items() if domain.specific or len(domain.values) >= 3}

    def check(self, one: Interface, read: Interface, times: int) -> Relation | None:
        """Return what a read shows of a call that runs have seen there so many times; None where that is nothing."""
        fields, mine = self._domains.fields(one.tool.name), self._keys(one)
        given: dict[str, str] = {}
        for name, domain in self._keys(read).items():
            place = _place(name, domain, mine, given) or _place(name, domain, fields, given)
            if place:
                given[place] = name.replace("[0]", "[]")
        arguments = dict(given)
        needed = {parameter.name: (parameter, role) for parameter, role in read.roles if parameter.required}
        for parameter, role in needed.values():
            if role not in MADE_UP and parameter.name not in names_of(arguments.values()):
                alike = (
                    p for p in self._for(role, parameter, one, read) if p.name not in names_of(arguments)
                )
                arguments |= {written(p, parameter): written(parameter, p) for p in islice(alike, 1)}
        lacking = needed.keys() - names_of(arguments.values())
        known = all(needed[name][1] in MADE_UP for name in lacking)
        shown = [domain for place, domain in self._domains.fields(read.tool.name).items() if _of_rows(place)]
        listed = next((name for name, domain in mine.items() if any(map(domain.same, shown))), "")
        about = cosine(one.weights, read.weights)
        things = {role for theirs, role in one.roles if theirs.name in names_of(arguments)} - LOOSE - MADE_UP
        if one.tool.name in self._reading and not (times or given or listed or things or about >= LEAST):
            return None
        if given and arguments == given and not lacking:
            rows = any(map(_of_rows, given))
            returned = all(place.startswith(RESULT) for place in given)
            sure = (RETURNED if returned else TOLD) - ROWS * rows
        else:
            parts = 0.3 * bool(arguments or listed) + 0.25 * about + 0.15 * known / (1 + len(lacking))
            sure = min(LEAST + 0.5 * (parts + 0.3 * times / (times + 1)), SURE)
        why = _why(arguments, listed, times, about=about >= LEAST)
        # Half a call is no call: the agent must know the rest.
        return Relation(read.tool.name, round(sure, 2), "check", why, {} if lacking else arguments)

    def _for(self, role: str, asked: Parameter, one: Interface, read: Interface) -> Iterator[Parameter]:
        """Yield the arguments of a call that are for the same; of another name, those never seen with other values only."""
        takes = self._domains.argument(read.tool.name, asked.name)
        for parameter, theirs in one.roles:
            if theirs == role and fits(parameter.type, asked.type):
                given = self._domains.argument(one.tool.name, parameter.name)
                if stems(parameter.name) == stems(asked.name) or not takes.differs(given):
                    yield parameter


def _place(name: str, domain: ValueDomain, places: Mapping[str, ValueDomain], used: Collection[str]) -> str:
    """Return where a value for an argument stands: a field before one of its rows, under the same name before another."""
    same = [place for place, theirs in places.items() if place not in used and domain.same(theirs)]
    end = stems(name)[-2:]
    return min(
        same,
        key=lambda place: (_of_rows(place), stems(place.rpartition(".")[2])[-2:] != end),
        default="",
    )


def _of_rows(place: str) -> bool:
    return "[" in place or "*" in place


def _why(arguments: Mapping[str, str], listed: str, times: int, *, about: bool) -> str:
    place = next(iter(arguments), "")
    if place.startswith(RESULT):
        return f"it shows what the result's `{place.removeprefix(RESULT)}` names"
    if times:
        return "runs have seen there what it did"
    if place:
        return f"it shows the same `{place}`"
    if listed:
        return f"it lists what `{listed}` names"
    return "it is about the same kind of thing" if about else "it shows how things stand now"


def _shown(sessions: Iterable[Sequence[Call]], reads: Collection[str]) -> dict[str, Counter[str]]:
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
                if later.tool in reads and _shows(later, given, before):
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
