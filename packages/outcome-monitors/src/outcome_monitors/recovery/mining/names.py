"""What the name of a tool says: whose it is, the verb, what that is done to, and by what it is picked."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from outcome_monitors.recovery.tools import Tool

from .lexicon import meaning, named, stem, thing, verb
from .phrases import lead
from .vocabulary import hollow, tokens

__all__ = ["Surroundings", "ToolName", "read_name"]

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
        self.prefixes = _prefixes(tools)
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


def _prefixes(tools: Sequence[Tool]) -> dict[str, str]:
    """Return the word that the tools of a server begin with, where most do: the `browser` of `browser_click`."""
    by_server: dict[str, list[str]] = {}
    for tool in tools:
        server, base = _split(tool.name)
        by_server.setdefault(server, []).extend(tokens(base)[:1])
    found = {
        server: Counter(words).most_common(1)[0] for server, words in by_server.items() if server and words
    }
    return {
        server: word
        for server, (word, times) in found.items()
        if times >= A_NAMESPACE and times > len(by_server[server]) / 2 and not verb(word)
    }


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
    found = _without({*owner, "mcp", around.prefixes.get(server, "mcp")}, list(tokens(base)))
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
                *(word for word in owner if _proper_owner(word)),
                *(word for word in (*tokens(lead(tool.about)), *main) if word in around.brands),
            )
        ),
    )


def _proper_owner(word: str) -> bool:
    common = named("formats") | named("generic")
    return not (thing(meaning(word)) or verb(word) or word in common)


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
    told = [place for place in places if verb(found[place]) and not _noun(found, place)]
    # A `place_search` searches.
    told.sort(key=lambda place: stem(found[place]) in named("nouns_too"))
    # "take_screenshot" takes nothing.
    return next((place for place in told if found[place] not in light), told[0] if told else None)


def _noun(found: Sequence[str], place: int) -> bool:
    """Say whether what may be a verb is a noun: it is unless something is done by it, as in `place_order`."""
    if stem(found[place]) not in named("nouns_too"):
        return False
    if place or found[-1] in named("plainest"):
        # `monitor_create` creates.
        return True
    return all(hollow(meaning(word)) for word in found[1:])


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
