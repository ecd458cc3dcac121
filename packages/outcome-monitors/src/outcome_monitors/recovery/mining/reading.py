"""What a tool is about, by its name, the first sentence of its description and its arguments.

A frame says: this verb, on this thing (and this part of it), of then, from this source. `lexicon.json` is general English and the
vocabulary of public APIs, the same for every tool set; whatever else two tools have in common must come from their definitions.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt
from pathlib import Path
from typing import Any

from outcome_monitors.recovery.effects import Effect, effect
from outcome_monitors.recovery.tools import Parameter, Tool

__all__ = ["KEY", "KEYS", "VIEW", "Frame", "Vector", "contrasting", "hollow", "named", "read_frames", "stems"]

_TABLE: Any = json.loads(Path(__file__).with_name("lexicon.json").read_text(encoding="utf-8"))
VIEW = "view"
"""The part of words such as `details`: the thing itself, in one form or another."""


@lru_cache(maxsize=64)
def named(section: str) -> frozenset[str]:
    """Return the words of one list of the table."""
    return frozenset(_TABLE[section].split())


def _by_word(groups: Mapping[str, str]) -> dict[str, str]:
    return {word: group for group, words in groups.items() for word in words.split()}


_VERBS = _by_word(_TABLE["verbs"])
_TIMES = _by_word(_TABLE["times"])
"""Words that say of when a result is: `now`, `past` or `future`."""
_ROLES = {role: frozenset(words.split()) for role, words in _TABLE["roles"].items()}
"""What an argument is for, by the words of its name."""
_SCRIPTS: dict[str, str] = _TABLE["scripts"]
"""Words that are written without spaces between them, in English."""
_NOUNS: dict[str, str] = {
    word: line.split()[0] for line in reversed(_TABLE["nouns"]) for word in line.split()
}
"""Each thing by all its names."""
_THINGS = frozenset((*_NOUNS, *(_NOUNS.get(word, word) for word in named("things")))) | named("aspects")
_HOLLOW = named("generic") | named("views") | _TIMES.keys()
_CONTRASTS: dict[str, set[str]] = {}
"""For each word those that make something another of its kind, or its reverse."""
for _others in (
    *map(str.split, _TABLE["contrasts"]),
    *(pair.split("/") for pair in _TABLE["opposites"].split()),
):
    for _word in _others:
        _CONTRASTS.setdefault(_word, set()).update(set(_others) - {_word})
_WORD = re.compile(r"[A-Z]{2,}s(?![A-Za-z])|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")
_LONGEST = max(map(len, _SCRIPTS))
_EAST_ASIAN = "⺀"
"""From here on scripts put no spaces between words."""


@lru_cache(maxsize=65536)
def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a name or a sentence, in small letters; `getURLs` has two."""
    found = _WORD.findall(unicodedata.normalize("NFKC", text))
    return tuple(
        word for run in found for word in (_unspaced(run) if run[0] >= _EAST_ASIAN else (run.lower(),))
    )


def _unspaced(run: str) -> Iterator[str]:
    """Yield the known words of a run of characters in English, and pairs of characters of what is between them."""
    start = place = 0
    while place < len(run):
        ends = range(min(place + _LONGEST, len(run)), place + 1, -1)
        known = next((run[place:end] for end in ends if run[place:end] in _SCRIPTS), "")
        if known:
            yield from _pairs(run[start:place])
            yield _SCRIPTS[known]
            start = place + len(known)
        place = place + len(known) if known else place + 1
    yield from _pairs(run[start:])


def _pairs(run: str) -> Iterator[str]:
    return (run[place : place + 2] for place in range(len(run) - 1))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """Return a noun in the singular."""
    if word in named("unbending"):
        return word
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "os"))
    return word[:-1] if plural else word


@lru_cache(maxsize=65536)
def _meaning(word: str) -> str:
    """Return the word that stands for all words of this meaning."""
    # `ids` and `movies` have a singular that no rule gives.
    known = (form for form in (word, _stem(word), word.removesuffix("s")) if form in _NOUNS)
    return _NOUNS.get(next(known, ""), _stem(word))


@lru_cache(maxsize=65536)
def stems(name: str) -> tuple[str, ...]:
    """Return the words of an identifier, made comparable."""
    return tuple(map(_meaning, tokens(name)))


@lru_cache(maxsize=65536)
def _verb(word: str) -> str:
    """Return what a verb does, in whatever form it stands; nothing where it is no known verb."""
    forms = [word, _stem(word)]
    if len(word) > 5 and word.endswith("ing"):
        forms += [word[:-3], word[:-3] + "e"]
    elif word.endswith("es"):
        forms.append(word[:-2])
    return next((_VERBS[form] for form in forms if form in _VERBS), "")


def hollow(word: str) -> bool:
    """Say whether a word tells nothing of what a tool is about, but only how much of it, or of when."""
    return word in _HOLLOW


def contrasting(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether words that only one side has make it the reverse of the other, or another of a kind."""
    turning = named("reversing")
    if one.isdisjoint(turning) is not other.isdisjoint(turning):
        return True
    theirs = other - one
    return any(not theirs.isdisjoint(_CONTRASTS[word]) for word in one - other if word in _CONTRASTS)


Vector = Mapping[str, float]
FAINT = 0.25
"""What a word that tells little weighs beside one that does."""
LONGEST_LEAD, LONGEST_BODY = 200, 400
_END = re.compile(r"(?<=[a-z)\"])[.!?](?:\s|$)|(?<=[^\x00-\x7f])[!?]|[。;\n]")
_REMARKS = re.compile(r"\b(?:Args|Arguments|Returns|Parameters|Examples?|Notes?|IMPORTANT|Use this)\b")
_AND = re.compile(r"[,、/]|\band\b|\bor\b|和|及|或")
_PART = ","
_CAPITAL = re.compile(r"(?<![.!?:]\s)(?<!^)\b(?:[A-Z][A-Za-z0-9]*[a-zA-Z0-9]|[a-z]+[A-Z]\w+)\b")
_SMALL = re.compile(r"\b[a-z]+\b")
_FIRST = re.compile(r"([A-Za-z0-9]+)[_-](.+)")
A_NAMESPACE = 3
"""Tools that must share a first word before it is taken for the name of their server."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A tool, read."""

    tool: Tool
    server: str
    verb: str
    verbs: frozenset[str]
    """The verbs of the name and of the description."""
    marks: frozenset[str]
    """All words of the name, for what is the reverse of what."""
    entity: str
    """What it is about."""
    part: str
    """What of it: nothing, `view`, or one of its attributes."""
    entities: frozenset[str]
    """What it is about, by its name and by its description."""
    spoken: frozenset[str]
    """All things that the name and the first sentence speak of."""
    sources: frozenset[str]
    """The proper names of the server, of the name and of the description."""
    times: frozenset[str]
    """Of when the result is, where it is of one time."""
    roles: tuple[tuple[Parameter, str], ...]
    """Its arguments, and what each is for."""
    effect: Effect | None
    weights: Vector
    """Its things, by how much they tell."""
    text: Vector
    """The words of its description."""


def read_frames(tools: Sequence[Tool], effects: Mapping[str, Effect] | None = None) -> list[Frame]:
    """Read all tools; how rare a word is among them says how much it tells."""
    around = _Surroundings(tools)
    read = [_Reading(tool, around) for tool in tools]
    times = Counter(word for one in read for word in {*one.weights, *one.words})
    rarity = {word: log(1 + len(read) / count) for word, count in times.items()}
    return [one.frame(rarity, effects) for one in read]


class _Surroundings:
    """What only all tools together show: the names of servers, and proper names."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        firsts = Counter(
            found[1].lower()
            for tool in tools
            if not _split(tool.name)[0] and (found := _FIRST.match(tool.name))
        )
        self.spaces = {word for word, times in firsts.items() if times >= A_NAMESPACE and not _verb(word)}
        capital = {word.lower() for tool in tools for word in _CAPITAL.findall(tool.about.strip()[:300])}
        small = {word for tool in tools for word in _SMALL.findall(tool.about)}
        self.brands = frozenset(filter(_proper, capital - small))

    def server(self, name: str) -> tuple[str, str]:
        """Return the server that a name begins with, where it does, and the rest."""
        server, base = _split(name)
        found = None if server else _FIRST.match(name)
        if found and found[1].lower() in self.spaces | self.brands:
            return found[1], found[2]
        return server, base


def _split(name: str) -> tuple[str, str]:
    """Take off the server of `github.get_issue` and `mcp__github__get_issue`."""
    for joint in ("__", "."):
        server, found, base = name.rpartition(joint)
        if found and base:
            return server, base
    return "", name


def _proper(word: str) -> bool:
    common = named("formats") | named("generic")
    return len(word) > 2 and not (_meaning(word) in _THINGS or _verb(word) or word in common)


class _Reading:
    """One tool, while it is being read."""

    def __init__(self, tool: Tool, around: _Surroundings) -> None:
        self.tool = tool
        self.server, base = around.server(tool.name)
        self.owner = frozenset(tokens(self.server)) - {"mcp", "server"}
        lead = _lead(tool.about)
        self._read_name(_without({*self.owner, "mcp"}, list(tokens(base))), around)
        self._read_sentence(lead)
        self.sources = self.owner | {word for word in (*tokens(lead), *self.main) if word in around.brands}
        self.nameless = not _thing_of(self.things)[0]
        entity, part = _thing_of(self.things)
        said = [found for phrase in self.said if (found := _thing_of(_up_to_thing(phrase))[0])]
        # That a user asks for it says nothing.
        told = [*sorted(said, key=lambda word: word == "user"), *self._given()]
        if self.nameless:
            entity = told[0] if told else ""
        elif entity in named("aspects"):
            # An attribute by itself is one of what the description or a key names.
            owner = next((word for word in told if word in _THINGS - named("aspects")), "")
            entity, part = (owner, entity) if owner else (entity, part)
        self.entity, self.part, self.entities = entity, part, frozenset(filter(None, (entity, *said)))
        self.weights = self._weights(said)
        told_words = {_meaning(word) for word in tokens(_body(tool.about)) if not _verb(word)}
        self.words = {word for word in told_words - around.brands - self.owner if _solid(word)}

    def _read_name(self, found: Sequence[str], around: _Surroundings) -> None:
        """Take a name apart: verb, things, and by what a thing is picked."""
        self.found = found
        last = len(found) - 1
        places = [place for place in (0, last, *range(1, last)) if found and _verb(found[place])]
        # A `place_search` searches; "take_screenshot" takes nothing.
        places.sort(
            key=lambda place: (found[place] in named("light"), _stem(found[place]) in named("nouns_too"))
        )
        self.verb = _verb(found[places[0]]) if places else ""
        rest = [word for place, word in enumerate(found) if not places or place != places[0]]
        joint = next((place for place, word in enumerate(rest) if place and word in named("joints")), None)
        self.main = [word for word in rest[:joint] if word not in named("stop")]
        own = {word for word in self.main if word in around.brands or _names_only(word, self.owner)}
        if own >= set(self.main):
            # A name of nothing but an abbreviation names something by it.
            own &= self.owner
        self.things = [_meaning(word) for word in self.main if word not in own]

    def _read_sentence(self, text: str) -> None:
        """Find the verb of a sentence, the things that it is done to, and what stands behind them."""
        words = [word for part in _AND.split(text) for word in (*tokens(part), _PART)]
        place, self.said_verb = _verb_of(words, text)
        self.said: list[list[str]] = []
        self.behind: list[list[str]] = []
        filled, phrase = self.said, list[str]()
        for word in (*words[place:], _PART):
            if word != _PART and word not in named("breaks"):
                phrase += [_meaning(word)] if word not in named("stop") else []
                continue
            if phrase:
                filled.append(phrase)
                phrase = []
            if word != _PART and any(one in _THINGS - _HOLLOW for found in self.said for one in found):
                filled = self.behind

    def _given(self) -> list[str]:
        """Return the things that must be given."""
        said = [word for parameter in self.tool.required for word in reversed(stems(parameter.name))]
        silent = named("keys") | _ROLES["ask"] | _ROLES["day"] | _ROLES["easy"] | _HOLLOW
        return [word for word in said if word in _THINGS and word not in silent]

    def _weights(self, said: Iterable[str]) -> dict[str, float]:
        """Return what the tool is about, each thing with its weight."""
        verbs = {self.verb} - named("plain") - {""}
        weighed: list[tuple[Iterable[str], float]] = [
            ([self.entity] if self.entity else [], 1.2),
            (self.things, 1.0),
            ([f"to {verb}" for verb in verbs], 1.0),
            (said, 0.9),
            (_all_solid(self.said), 0.8),
            (_all_solid(self.behind), 0.35),
            ((word for parameter in self.tool.required for word in stems(parameter.name)), 0.15),
        ]
        found: dict[str, float] = {}
        for words, weight in weighed:
            for word in filter(_solid, words):
                told = weight * (FAINT if hollow(word) else 1.0)
                found[word] = max(found.get(word, 0.0), told)
        return found

    def frame(self, rarity: Vector, effects: Mapping[str, Effect] | None) -> Frame:
        """Return the frame, with words weighed by how rare they are."""
        words = {word: rarity[word] * (FAINT if hollow(word) else 1.0) for word in sorted(self.words)}
        named_times = {_TIMES[word] for word in self.found if word in _TIMES}
        times = named_times or {_TIMES[word] for phrase in self.said for word in phrase if word in _TIMES}
        spoken = {*self.entities, *self.things, *_all_solid(self.said), *_all_solid(self.behind)}
        return Frame(
            tool=self.tool,
            server=self.server,
            verb=self.verb or self.said_verb,
            verbs=frozenset(filter(None, (self.verb, self.said_verb))),
            marks=frozenset((*self.found, *map(_meaning, self.main))),
            entity=self.entity,
            part=self.part,
            entities=self.entities,
            spoken=frozenset(spoken),
            sources=self.sources,
            times=frozenset(times) if len(times) == 1 else frozenset(),
            roles=tuple(
                (one, _role(one, self.entity, alone=len(self.tool.required) == 1))
                for one in self.tool.parameters
            ),
            effect=effect(self.tool) if effects is None else effects.get(self.tool.name),
            weights=_unit({word: weight * rarity[word] for word, weight in self.weights.items()}),
            text=_unit(words),
        )


@lru_cache(maxsize=16384)
def _lead(about: str) -> str:
    """Return the sentence that says what a tool does."""
    about = unicodedata.normalize("NFKC", about).strip()
    end = next((found.start() for found in _END.finditer(about) if found.start() > 8), LONGEST_LEAD)
    return about[: min(end, LONGEST_LEAD)]


def _body(about: str) -> str:
    """Return the beginning of a description, up to its remarks on how to call the tool."""
    remark = _REMARKS.search(about)
    return (about[: remark.start()] if remark and remark.start() > 15 else about)[:LONGEST_BODY]


def _without(owner: Iterable[str], found: list[str]) -> list[str]:
    """Take the server's name off once more, where the tool's begins with it; a thing, or a verb before a noun, stays."""
    while len(found) > 1 and found[0] in owner and _meaning(found[0]) not in _THINGS:
        if _verb(found[0]) and not _verb(found[1]):
            break
        found = found[1:]
    return found


def _names_only(word: str, owner: frozenset[str]) -> bool:
    return word in owner and _meaning(word) not in _THINGS


def _verb_of(words: Sequence[str], text: str) -> tuple[int, str]:
    """Return where what is said of the verb begins, and the verb."""
    empty = named("hollow")
    start = next((place for place, word in enumerate(words[:6]) if word not in empty and word != _PART), 0)
    done = [_verb(word) if _stem(word) not in named("nouns_too") else "" for word in words]
    if done[start : start + 1] and done[start]:
        return start + 1, done[start]
    later = list(filter(None, done[start : start + 5] if text.isascii() else done))
    if later and (words[0] in empty or not text.isascii()):
        # "Performs a web search"; in other scripts a verb may stand anywhere.
        return start, later[-1] if text.isascii() else later[0]
    return start, ""


def _thing_of(words: Sequence[str]) -> tuple[str, str]:
    """Return what a noun phrase is about, and which part of it."""
    part = VIEW if any(word in named("views") for word in words) else ""
    solid = [word for word in words if not hollow(word) and word not in named("formats")]
    solid = solid or [word for word in words if word in named("weak")]
    if len(solid) > 1:
        # A `price date range` is about prices.
        solid = [word for word in solid if word not in named("turns")] or solid[:1]
    if len(solid) > 1 and solid[-1] in named("aspects"):
        return solid[-2], solid[-1]
    return (solid[-1], part) if solid else ("", part)


def _up_to_thing(words: Sequence[str]) -> list[str]:
    """Leave out what stands behind the last known noun of a phrase, and all of it where nothing solid is known."""
    solid = [word for word in words if not hollow(word) and word not in named("formats")]
    known = [place for place, word in enumerate(solid) if word in _THINGS]
    return solid[: known[-1] + 1] if known else solid


def _solid(word: str) -> bool:
    return word not in named("stop") | named("joints") | named("formats")


def _all_solid(phrases: Iterable[Iterable[str]]) -> list[str]:
    return [word for phrase in phrases for word in phrase if not hollow(word)]


def _unit(vector: Mapping[str, float]) -> Vector:
    length = sqrt(sum(value * value for value in vector.values()))
    return {word: value / length for word, value in vector.items()} if length else {}


KEYS = frozenset(("identifier", "number", "reference", "key", "code", "slug", "sha"))
"""The last word of a name that says: this names one thing."""
KEY = "key:"
"""Before the name of a thing: the argument picks one of it."""


def _role(parameter: Parameter, entity: str, *, alone: bool) -> str:
    """Return what an argument is for."""
    words = stems(parameter.name)
    keyed = (named("keys") | {"title"}) & set(words)
    role = next((role for role, known in _ROLES.items() if known & set(words)), "")
    if role and not (role in ("ask", "easy") and "identifier" in keyed):
        return role
    if parameter.type == "boolean" or parameter.form.startswith("enum:"):
        return "easy"
    solid = [word for word in words if word not in keyed]
    if solid and solid[-1] in _THINGS:
        return solid[-1]
    if parameter.type in ("integer", "number") and not keyed:
        return "number"
    return KEY + entity if not solid or (alone and keyed) else solid[-1]
