"""What a tool is about, by its name, the first sentence of its description and its arguments.

An interface says: this verb, on this thing (and this part of it), of then. `lexicon.json` is general English and the vocabulary of
public APIs, the same for every tool set; whatever else two tools have in common must come from their definitions.
"""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from typing import Any

from outcome_monitors.recovery.effects import Effect, effect
from outcome_monitors.recovery.tools import Parameter, Tool

_TABLE: Any = json.loads(Path(__file__).with_name("lexicon.json").read_text(encoding="utf-8"))
LISTS = {name: frozenset(words.split()) for name, words in _TABLE.items() if isinstance(words, str)}
"""The plain lists of words."""
_VERBS = {word: verb for verb, words in _TABLE["verbs"].items() for word in words.split()}
_TIMES = {word: time for time, words in _TABLE["times"].items() for word in words.split()}
_ROLES = {role: frozenset(words.split()) for role, words in _TABLE["roles"].items()}
_NOUNS = {word: line.split()[0] for line in reversed(_TABLE["nouns"]) for word in line.split()}
_SCRIPTS: dict[str, str] = _TABLE["scripts"]
"""Words that are written without spaces between them, in English."""
_THINGS = LISTS["things"] | LISTS["aspects"] | _NOUNS.keys() | set(_NOUNS.values())
_HOLLOW = LISTS["generic"] | LISTS["views"] | _TIMES.keys()
_CONTRASTS: defaultdict[str, set[str]] = defaultdict(set)
for _words in map(str.split, _TABLE["contrasts"]):
    for _word in _words:
        _CONTRASTS[_word] |= {*_words} - {_word}
KEYS = LISTS["keys"]
"""The last word of a name that says: this names one thing."""
VIEW = "view"
"""The part of words such as `details`: the thing itself, in one form or another."""
_WORD = re.compile(r"[A-Z]{2,}s(?![A-Za-z])|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")
_UNSPACED = re.compile(f"({'|'.join(sorted(_SCRIPTS, key=len, reverse=True))})")
_EAST_ASIAN = "⺀"
"""From here on scripts put no spaces between words."""
_END = re.compile(r"(?<=[a-z)\"])[.!?](?:\s|$)|(?<=[^\x00-\x7f])[!?]|[。;\n]")
_REMARKS = re.compile(r"\b(?:Args|Arguments|Returns|Parameters|Examples?|Notes?|IMPORTANT|Use this)\b")
_AND = re.compile(r"[,、/]|\band\b|\bor\b|和|及|或")
LONGEST_LEAD, LONGEST_BODY = 200, 400
FAINT = 0.25
"""What a word that tells little weighs beside one that does."""
A_NAMESPACE = 3
"""Tools that must share a first word before it is taken for the name of their server."""


@lru_cache(maxsize=65536)
def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a name or a sentence, in small letters; of scripts without spaces the known ones, and pairs."""
    found = _WORD.findall(unicodedata.normalize("NFKC", text))
    return tuple(
        word for run in found for word in (_unspaced(run) if run[0] >= _EAST_ASIAN else (run.lower(),))
    )


def _unspaced(run: str) -> Iterator[str]:
    for part in _UNSPACED.split(run):
        yield from (_SCRIPTS[part],) if part in _SCRIPTS else map("".join, pairwise(part))


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "os"))
    return word[:-1] if plural else word


@lru_cache(maxsize=65536)
def _meaning(word: str) -> str:
    """Return the word that stands for all words of this meaning."""
    forms = (word, _singular(word), word.removesuffix("s"))
    return next((_NOUNS[form] for form in forms if form in _NOUNS), forms[1])


@lru_cache(maxsize=65536)
def _verb(word: str) -> str:
    """Return what a verb does, in whatever form it stands; nothing where it is no known verb."""
    forms = (
        word,
        _singular(word),
        word.removesuffix("ing"),
        word.removesuffix("ing") + "e",
        word.removesuffix("es"),
    )
    return next((_VERBS[form] for form in forms if form in _VERBS), "")


@lru_cache(maxsize=65536)
def stems(name: str) -> tuple[str, ...]:
    """Return the words of an identifier, made comparable."""
    return tuple(map(_meaning, tokens(name)))


def contrasting(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether words that only one side has make it the reverse of the other, or another of a kind."""
    mine, theirs = one - other, other - one
    return not LISTS["reversing"].isdisjoint(mine | theirs) or any(
        not theirs.isdisjoint(_CONTRASTS.get(word, ())) for word in mine
    )


def hollow(word: str) -> bool:
    """Say whether a word tells nothing of what a tool is about, but only how much of it, or of when."""
    return word in _HOLLOW


Vector = Mapping[str, float]


def cosine(one: Vector, other: Vector) -> float:
    """Return how alike two unit vectors are, from 0 to 1."""
    if len(other) < len(one):
        one, other = other, one
    return sum(value * other[word] for word, value in one.items() if word in other)


@dataclass(frozen=True, slots=True)
class Interface:
    """A tool, read."""

    tool: Tool
    server: str
    owner: frozenset[str]
    """The words of the server's name."""
    verb: str
    verbs: frozenset[str]
    """The verbs of the name and of the description."""
    marks: frozenset[str]
    """All words of the name, for what is the reverse of what."""
    thing: str
    """What it is about."""
    part: str
    """What of it: nothing, `view`, or one of its attributes."""
    things: frozenset[str]
    """What it is about, by its name and by its description."""
    times: frozenset[str]
    """Of when the result is, where it is of one time."""
    roles: tuple[tuple[Parameter, str], ...]
    """Its arguments, and what each is for."""
    writes: bool | None
    """None where nobody knows."""
    weights: Vector
    """Its things, by how much they tell."""
    text: Vector
    """The words of its description."""


def interfaces(tools: Sequence[Tool], effects: Mapping[str, Effect] | None = None) -> list[Interface]:
    """Read all tools; how rare a word is among them says how much it tells."""
    firsts = Counter(tokens(tool.name)[:1] for tool in tools if not _split(tool.name)[0])
    spaces = {word for word, times in firsts.items() if times >= A_NAMESPACE and not _verb("".join(word))}
    known = {tool.name: effect(tool) for tool in tools} if effects is None else effects
    read = [_read(tool, spaces, known.get(tool.name)) for tool in tools]
    times = Counter(word for one in read for word in {*one.weights, *one.text})
    rarity = {word: log(1 + len(read) / count) for word, count in times.items()}
    return [
        replace(one, weights=_weighed(one.weights, rarity), text=_weighed(one.text, rarity)) for one in read
    ]


def _weighed(vector: Vector, rarity: Vector) -> Vector:
    """Return a unit vector in which rare words count for more."""
    found = {word: value * rarity[word] for word, value in sorted(vector.items())}
    length = sqrt(sum(value * value for value in found.values()))
    return {word: value / length for word, value in found.items()} if length else {}


def _split(name: str) -> tuple[str, str]:
    """Take off the server of `github.get_issue` and `mcp__github__get_issue`."""
    for joint in ("__", "."):
        server, found, base = name.rpartition(joint)
        if found and base:
            return server, base
    return "", name


def _read(tool: Tool, spaces: Collection[tuple[str, ...]], does: Effect | None) -> Interface:
    server, base = _split(tool.name)
    words = tokens(base)
    if not server and words[:1] in spaces and words[1:]:
        server, words = words[0], words[1:]
    owner = {*tokens(server), "mcp"} - {"server"}
    verb, nouns = _of_name(words)
    named = [word for noun in nouns if (word := _meaning(noun)) in _THINGS or noun not in owner]
    lead = _lead(tool.about)
    said_verb, said, behind = _of_sentence(lead)
    thing, part = _thing_of(named)
    told = [found for phrase in said if (found := _thing_of(_up_to_thing(phrase))[0])]
    if not thing or thing in LISTS["aspects"]:
        # An attribute by itself is one of what the description or a key names.
        of = next(
            (word for word in (*told, *_given(tool)) if not thing or word in _THINGS - LISTS["aspects"]), ""
        )
        thing, part = (of, thing or part) if of else (thing, part)
    verbs = frozenset((verb, said_verb)) - {""}
    times = {_TIMES[word] for word in words if word in _TIMES}
    times = times or {_TIMES[word] for phrase in said for word in phrase if word in _TIMES}
    weighed = (
        ([thing] if thing else [], 1.2),
        ([*named, *(f"to {one}" for one in {verb} - LISTS["picking"] - {""})], 1.0),
        (told, 0.9),
        ((word for phrase in said for word in phrase), 0.8),
        ((word for phrase in behind for word in phrase), 0.35),
        ((word for one in tool.required for word in stems(one.name)), 0.15),
    )
    body = {_meaning(word) for word in tokens(_body(tool.about)) if not _verb(word)} - owner
    return Interface(
        tool=tool,
        server=server,
        owner=frozenset(owner - {"mcp"}),
        verb=verb or said_verb,
        verbs=verbs,
        marks=frozenset((*words, *named)),
        thing=thing,
        part=part,
        things=frozenset((thing, *told)) - {""},
        times=frozenset(times) if len(times) == 1 else frozenset(),
        roles=tuple((one, _role(one, thing, alone=len(tool.required) == 1)) for one in tool.parameters),
        writes=does.writes if does is not None else False if verbs & LISTS["reads"] else None,
        weights=_heaviest(weighed),
        text={word: FAINT if hollow(word) else 1.0 for word in body if _solid(word)},
    )


def _heaviest(weighed: Iterable[tuple[Iterable[str], float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for words, weight in weighed:
        for word in filter(_solid, words):
            found[word] = max(found.get(word, 0.0), weight * (FAINT if hollow(word) else 1.0))
    return found


def _of_name(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return the verb of a name, and its nouns up to a preposition."""
    last = len(words) - 1
    place = next((n for n in (0, last, *range(1, last)) if words and _verb(words[n])), None)
    rest = [word for n, word in enumerate(words) if n != place]
    joint = next((n for n, word in enumerate(rest) if n and word in LISTS["joints"]), None)
    return "" if place is None else _verb(words[place]), [w for w in rest[:joint] if w not in LISTS["stop"]]


def _of_sentence(text: str) -> tuple[str, list[list[str]], list[list[str]]]:
    """Return the verb of a sentence, the phrases that it is done to, and those that stand behind the first known thing."""
    words = [word for part in _AND.split(text) for word in (*tokens(part), ",")]
    # In other scripts a verb may stand anywhere.
    verb = next(filter(None, map(_verb, words[:1] if text.isascii() else words)), "")
    said: list[list[str]] = [[]]
    behind: list[list[str]] = []
    filled = said
    for word in words[1 if verb and text.isascii() else 0 :]:
        if word not in LISTS["breaks"] and word != ",":
            filled[-1] += [_meaning(word)] if word not in LISTS["stop"] else []
            continue
        if word != "," and any(one in _THINGS - _HOLLOW for phrase in said for one in phrase):
            filled = behind
        filled.append([])
    return verb, said, behind


def _given(tool: Tool) -> list[str]:
    """Return the things that must be given."""
    said = [word for parameter in tool.required for word in reversed(stems(parameter.name))]
    silent = KEYS | _ROLES["ask"] | _ROLES["day"] | _ROLES["easy"] | _HOLLOW
    return [word for word in said if word in _THINGS and word not in silent]


@lru_cache(maxsize=16384)
def _lead(about: str) -> str:
    """Return the sentence that says what a tool does."""
    about = unicodedata.normalize("NFKC", about).strip()
    end = _END.search(about, 9)
    return about[: end.start() if end else LONGEST_LEAD][:LONGEST_LEAD]


def _body(about: str) -> str:
    """Return the beginning of a description, up to its remarks on how to call the tool."""
    remark = _REMARKS.search(about, 16)
    return about[: remark.start() if remark else LONGEST_BODY][:LONGEST_BODY]


def _thing_of(words: Sequence[str]) -> tuple[str, str]:
    """Return what a noun phrase is about, and which part of it."""
    part = VIEW if any(word in LISTS["views"] for word in words) else ""
    solid = [word for word in words if not hollow(word) and word not in LISTS["formats"]]
    if len(solid) > 1:
        # A `price date range` is about prices.
        solid = [word for word in solid if word not in LISTS["turns"]] or solid[:1]
    if len(solid) > 1 and solid[-1] in LISTS["aspects"]:
        return solid[-2], solid[-1]
    return (solid[-1] if solid else "", part)


def _up_to_thing(words: Sequence[str]) -> list[str]:
    """Leave out what stands behind the last known noun of a phrase."""
    solid = [word for word in words if not hollow(word) and word not in LISTS["formats"]]
    known = [place for place, word in enumerate(solid) if word in _THINGS]
    return solid[: known[-1] + 1] if known else solid


def _solid(word: str) -> bool:
    return word not in LISTS["stop"] and word not in LISTS["joints"] and word not in LISTS["formats"]


def _role(parameter: Parameter, thing: str, *, alone: bool) -> str:
    """Return what an argument is for."""
    words = stems(parameter.name)
    keyed = KEYS & set(words)
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
    return thing if not solid or (alone and keyed) else solid[-1]
