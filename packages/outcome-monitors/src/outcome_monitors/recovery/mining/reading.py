"""What the name of a tool and the first sentence of its description say: the server, the verb, and what that is done to."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from outcome_monitors.recovery.tools import Tool

from .lexicon import hollow, meaning, named, stem, thing, tokens, verb

__all__ = [
    "MOST_SENTENCES",
    "VIEW",
    "Phrase",
    "Sentence",
    "Surroundings",
    "ToolName",
    "body",
    "lead",
    "read_name",
    "read_phrase",
    "read_sentence",
]

VIEW = "view"
"""The facet of words such as `details`: the thing itself, in one form or another."""
LONGEST_LEAD, LONGEST_BODY, MOST_SENTENCES = 200, 400, 4
_END = re.compile(r"(?<=[a-z)\"])[.!?](?:\s|$)|(?<=[^\x00-\x7f])[!?]|[。;\n]")
_REMARKS = re.compile(
    r"\b(?:Args|Arguments|Returns|Parameters|Examples?|Notes?|PREREQUISITE|IMPORTANT|Use this|适用场景)\b"
)
_COLON = re.compile(r"(?<=\w\w\w):\s")
_AND = re.compile(r"[,、/]|\band\b|\bor\b|和|及|或")
_PART = ","


class Phrase(NamedTuple):
    """A noun phrase, taken apart."""

    entity: str
    """What it is about."""
    facet: str
    """What of it: nothing, `view`, or one of its attributes."""
    modifiers: tuple[str, ...]


class Sentence(NamedTuple):
    """A sentence, taken apart."""

    verb: str
    things: tuple[tuple[str, ...], ...]
    """What the verb is done to, phrase by phrase."""
    rest: tuple[tuple[str, ...], ...]
    """The phrases behind: with what, for whom, from where."""


@lru_cache(maxsize=16384)
def lead(about: str) -> str:
    """Return the sentence that says what a tool does."""
    about = unicodedata.normalize("NFKC", about).strip()
    end = next((found.start() for found in _END.finditer(about) if found.start() > 8), LONGEST_LEAD)
    first = about[:end]
    colon = _COLON.search(first)
    if colon is not None and len(tokens(first[: colon.start()])) >= 3:
        return first[: colon.start()]
    return first


def body(about: str) -> str:
    """Return the beginning of a description, up to its remarks on how to call the tool."""
    remark = _REMARKS.search(about)
    return (about[: remark.start()] if remark and remark.start() > 15 else about)[:LONGEST_BODY]


def read_phrase(words: Sequence[str], *, loose: bool = False) -> Phrase:
    """Take a noun phrase apart; in a loose one, words that nobody knows may stand behind the noun."""
    words = _without_key(words)
    facet = VIEW if any(word in named("views") for word in words) else ""
    solid = [word for word in words if not hollow(word) and word not in named("formats")]
    # In a name a weak noun stands for something where no other does: `drop_index` drops no database.
    solid = _up_to_thing(solid) if loose else solid or [word for word in words if word in named("weak")]
    if "page" in solid:
        # The url of a page is where it is read.
        solid = [word for word in solid if word != "url"]
    if len(solid) > 1:
        # A `price date range` is about prices.
        solid = [word for word in solid if word not in named("turns")] or solid[:1]
    if len(solid) > 1 and solid[-1] in named("aspects"):
        return Phrase(solid[-2], solid[-1], tuple(solid[:-2]))
    return Phrase(solid[-1], facet, tuple(solid[:-1])) if solid else Phrase("", facet, ())


def _up_to_thing(solid: list[str]) -> list[str]:
    """Leave out what stands behind the last known noun."""
    known = [place for place, word in enumerate(solid) if thing(word)]
    return solid[: known[-1] + 1] if known else solid


def _without_key(words: Sequence[str]) -> tuple[str, ...]:
    """Key facts are facts."""
    return tuple(word for word in words if word != "key") if words and words[-1] != "key" else tuple(words)


@lru_cache(maxsize=16384)
def read_sentence(text: str) -> Sentence:
    """Find the verb of a sentence, and the phrases behind it."""
    parts = _AND.split(text)
    words = [word for part in parts for word in (*tokens(part), _PART)]
    place, found = _verb(words, text)
    while found and words[place : place + 1] == [_PART] and _another_verb(words[place + 1 : place + 2]):
        place += 2
    return Sentence(found, *_phrases(words[place:]))


def _verb(words: Sequence[str], text: str) -> tuple[int, str]:
    """Return where what is said of the verb begins, and the verb."""
    empty = named("hollow")
    start = next((place for place, word in enumerate(words[:6]) if word not in empty and word != _PART), 0)
    done = [verb(word) if stem(word) not in named("nouns_too") else "" for word in words]
    if done[start : start + 1] and done[start]:
        return start + 1, done[start]
    later = list(filter(None, done[start : start + 5]))
    if words and words[0] in empty and later:
        # "Performs a web search"
        return start, later[-1]
    if not text.isascii():
        return start, next(filter(None, done), "")
    return start, ""


def _another_verb(word: Sequence[str]) -> bool:
    return any(verb(one) or stem(one) in named("light") or one in named("light") for one in word)


def _phrases(words: Sequence[str]) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    things: list[tuple[str, ...]] = []
    rest: list[tuple[str, ...]] = []
    phrase: list[str] = []
    filled, breaks = things, named("breaks")
    for word in (*words, _PART):
        if word != _PART and word not in breaks:
            if word not in named("stop"):
                phrase.append(meaning(word))
            continue
        if phrase:
            filled.append(_without_key(phrase))
            phrase = []
        if word != _PART and any(thing(one) and not hollow(one) for found in things for one in found):
            filled = rest
    return tuple(things), tuple(rest)


A_NAMESPACE = 3
"""Tools that must share a first word before it is taken for the name of their server."""
SEEN_OF_ABOUT = 300
_CAPITAL = re.compile(r"(?<![.!?:]\s)(?<!^)\b(?:[A-Z][A-Za-z0-9]*[a-zA-Z0-9]|[a-z]+[A-Z]\w+)\b")
_SMALL = re.compile(r"\b[a-z]+\b")
_FIRST = re.compile(r"([A-Za-z0-9]+)[_-](.+)")
_LISTS = ("tree", "list")


class Surroundings:
    """What only all tools together show: the names of servers, and proper names."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        firsts = Counter(
            found[1].lower()
            for tool in tools
            if not _split(tool.name)[0] and (found := _FIRST.match(tool.name))
        )
        self.spaces = {word for word, times in firsts.items() if times >= A_NAMESPACE and not verb(word)}
        capital = {
            word.lower() for tool in tools for word in _CAPITAL.findall(tool.about.strip()[:SEEN_OF_ABOUT])
        }
        small = {word for tool in tools for word in _SMALL.findall(tool.about)}
        self.brands = frozenset(filter(_proper, capital - small))

    def server(self, name: str) -> tuple[str, str]:
        """Return the server that a name begins with, where it does, and the rest."""
        server, base = _split(name)
        found = None if server else _FIRST.match(name)
        if found and found[1].lower() in self.spaces | self.brands | named("engines"):
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
    return len(word) > 2 and not (thing(meaning(word)) or verb(word) or word in common)


@dataclass(frozen=True, slots=True)
class ToolName:
    """A name, taken apart."""

    server: str
    verb: str
    things: tuple[str, ...]
    """The nouns that the verb is done to."""
    proper: frozenset[str]
    """Proper names among them that do not name the server."""
    withs: frozenset[str]
    """What else is in the result: the comments of `story_with_comments`."""
    selectors: frozenset[str]
    """By what a thing is picked: the city of `weather_by_city`."""
    words: tuple[str, ...]
    """All words but those of the server."""
    sources: frozenset[str]
    """The proper names of the server, of the name and of the sentence that describes the tool."""


def read_name(tool: Tool, around: Surroundings) -> ToolName:
    """Take a name apart."""
    server, base = around.server(tool.name)
    owner = [word for word in tokens(server) if word not in ("mcp", "server")]
    found = _without({*owner, "mcp"}, list(tokens(base)))
    place = _verb_place(found)
    main, withs, selectors = _parts([word for number, word in enumerate(found) if number != place])
    own = {word for word in main if word in around.brands or (word in owner and not thing(meaning(word)))}
    if own >= set(main):
        # A name of nothing but an abbreviation names something by it.
        own &= named("engines") | set(owner)
    return ToolName(
        server=server,
        verb=verb(found[place])
        if place is not None
        else "list"
        if found[-1:] and found[-1] in _LISTS
        else "",
        things=tuple(meaning(word) for word in main if word not in own),
        proper=frozenset(map(meaning, own - set(owner))),
        withs=frozenset(map(meaning, withs)),
        selectors=frozenset(map(meaning, selectors)),
        words=tuple(found),
        sources=frozenset(
            (
                *owner,
                *(word for word in (*tokens(lead(tool.about)), *main) if word in around.brands),
            )
        ),
    )


def _without(owner: Collection[str], found: list[str]) -> list[str]:
    """Take the server's name off once more, where the tool's begins with it; a verb before a noun stays."""
    while len(found) > 1 and found[0] in owner:
        if verb(found[0]) and not verb(found[1]):
            break
        found = found[1:]
    return found


def _verb_place(found: Sequence[str]) -> int | None:
    """Return where the verb stands: first, else last, else in between."""
    last, light = len(found) - 1, named("light")
    places = [0, last, *range(1, last)] if found else []
    verbs = [place for place in places if verb(found[place])]
    # A `place_search` searches.
    verbs.sort(key=lambda place: stem(found[place]) in named("nouns_too"))
    # "take_screenshot" takes nothing.
    return next((place for place in verbs if found[place] not in light), verbs[0] if verbs else None)


def _parts(found: Iterable[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the words up to the first joint, those behind a `with`, and those behind another."""
    main: list[str] = []
    withs: list[str] = []
    selectors: list[str] = []
    filled = main
    for word in found:
        if main and word in named("joints"):
            filled = withs if word == "with" else selectors
        elif word not in named("stop"):
            filled.append(word)
    return main, withs, selectors
