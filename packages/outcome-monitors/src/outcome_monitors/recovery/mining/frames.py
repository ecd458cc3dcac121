"""What a tool does, parsed from its name, its description and its arguments.

A frame says: this verb, on this thing (and this facet of it), of then, picked by that, from this source. Two tools are
compared by their frames (`likeness`), never by bags of words alone.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

from outcome_monitors.recovery.effects import Effect, action, effect
from outcome_monitors.recovery.tools import Tool

from .lexicon import ROLES, TIMES, hollow, meaning, named, stems, thing, tokens, verb
from .reading import (
    MOST_SENTENCES,
    Phrase,
    Sentence,
    Surroundings,
    ToolName,
    body,
    lead,
    read_name,
    read_phrase,
    read_sentence,
)
from .roles import Mode, ToolArgument, arguments, mode

__all__ = ["Frame", "Vector", "read_frames"]

Vector = Mapping[str, float]
FAINT = 0.25
"""What a word that tells little weighs beside one that does."""
_WITH = re.compile(r"\bwith (?:its|their|all)\b([^.,]*)")
_SENTENCES = re.compile(r"[.\n]")


@dataclass(frozen=True, slots=True)
class Frame:
    """A tool, read."""

    tool: Tool
    name: ToolName
    verb: str
    verbs: tuple[str, ...]
    """The verbs of the name and of the description."""
    marks: frozenset[str]
    """All words of the name, for what is the reverse of what."""
    entity: str
    """What it is about."""
    facet: str
    """What of it: nothing, `view`, or an attribute."""
    nameless: bool
    """The name says only what is done: `fetch`."""
    entities: frozenset[str]
    covers: frozenset[str]
    """The kinds of things that a nameless tool says it knows."""
    objects: frozenset[str]
    """All things that the name and the first sentence speak of."""
    withs: frozenset[str]
    rest: frozenset[str]
    modifiers: frozenset[str]
    """The other nouns of the name."""
    qualifiers: frozenset[str]
    """Those of them that are words: the others name a source."""
    times: frozenset[str]
    arguments: tuple[ToolArgument, ...]
    mode: Mode
    action: str | None
    effect: Effect | None
    weights: Vector
    """Its things, by how much they tell."""
    text: Vector
    """The words of its description."""


def read_frames(tools: Sequence[Tool], effects: Mapping[str, Effect] | None = None) -> list[Frame]:
    """Read all tools; how rare a word is among them says how much it tells."""
    around = Surroundings(tools)
    read = [_Reading(tool, around) for tool in tools]
    rarity = _rarity([{*one.things(), *one.words(around)} for one in read])
    return [one.frame(around, rarity, effects) for one in read]


class _Reading:
    """One tool, while it is being read."""

    def __init__(self, tool: Tool, around: Surroundings) -> None:
        self.tool = tool
        self.name: ToolName = read_name(tool, around)
        self.lead = lead(tool.about)
        self.owner = frozenset(tokens(self.name.server))
        self.said: Sentence = read_sentence(self.lead)
        self.phrase = read_phrase(self.name.things)
        self.described = [read_phrase(words, loose=True) for words in self.said.things]
        self.nameless = not self.phrase.entity
        self.covers = self._covers() if self.nameless else frozenset()
        self.phrase = self._attributed(self._complete())

    def _complete(self) -> Phrase:
        """Let the description say what a nameless tool is about, else what it must be given."""
        if not self.nameless:
            return self.phrase._replace(entity=_page(self.phrase.entity))
        if self._searches_the_web():
            self.described = [Phrase("page", "", ())]
        told = [*self.entities(), *self._given()]
        return self.phrase._replace(entity=told[0] if told else "")

    def _attributed(self, phrase: Phrase) -> Phrase:
        """An attribute by itself is one of what the description or a key names."""
        if self.nameless or phrase.entity not in named("aspects"):
            return phrase
        told = (*self.entities(), *self._given())
        owner = next((word for word in told if thing(word) and word not in named("aspects")), "")
        return Phrase(owner, phrase.entity, phrase.modifiers) if owner else phrase

    def entities(self) -> list[str]:
        """Return what the description says the tool is about; that a user asks for it says nothing."""
        found = [_page(phrase.entity) for phrase in self.described if phrase.entity]
        return sorted(found, key=lambda word: word == "user")

    def _given(self) -> list[str]:
        said = [word for parameter in self.tool.required for word in reversed(stems(parameter.name))]
        silent = named("keys") | ROLES["ask"] | ROLES["day"] | ROLES["easy"]
        return [_page(word) for word in said if thing(word) and word not in silent and not hollow(word)]

    def _searches_the_web(self) -> bool:
        engines = named("engines") & {*tokens(self.tool.name), *tokens(self.lead)}
        return bool(engines) and "search" in (self.name.verb, self.said.verb)

    def _covers(self) -> frozenset[str]:
        more = _SENTENCES.split(body(self.tool.about)[len(self.lead) :])[:MOST_SENTENCES]
        said = (read_sentence(sentence) for sentence in more)
        told = [read_phrase(words).entity for one in said for words in (*one.things, *one.rest)]
        choices = (p.form.removeprefix("enum:") for p in self.tool.parameters if p.form.startswith("enum:"))
        told += [word for choice in choices for word in stems(choice)]
        return frozenset(word for word in told if thing(word) and not hollow(word))

    def withs(self) -> frozenset[str]:
        """Return what else the result holds."""
        said = _WITH.search(self.lead)
        more = stems(said[1]) if said else ()
        return frozenset(word for word in (*self.name.withs, *more) if _solid(word))

    def things(self) -> dict[str, float]:
        """Return what the tool is about, each thing with its weight."""
        weighed: dict[str, float] = {}
        for words, weight in self._weighed():
            for word in words:
                if _solid(word, views=True):
                    told = weight * (FAINT if hollow(word) else 1.0)
                    weighed[word] = max(weighed.get(word, 0.0), told)
        return weighed

    def _weighed(self) -> list[tuple[Iterable[str], float]]:
        said = [word for words in self.said.things for word in words if not hollow(word)]
        rest = [word for words in self.said.rest for word in words if not hollow(word)]
        required = [word for parameter in self.tool.required for word in stems(parameter.name)]
        verbs = {self.name.verb} - named("plain") - {""}
        return [
            ([self.phrase.entity] if self.phrase.entity else [], 1.2),
            (self.name.things, 1.0),
            ([f"to {verb}" for verb in verbs], 1.0),
            (self.entities(), 0.9),
            (said, 0.8),
            (self.withs(), 0.8),
            (self.covers, 0.6),
            (rest, 0.35),
            ([word for word in map(meaning, self.owner) if thing(word)], 0.2),
            (required, 0.15),
        ]

    def words(self, around: Surroundings) -> frozenset[str]:
        """Return the words of the description that tell something."""
        said = (word for word in tokens(body(self.tool.about)) if word not in self.owner and not verb(word))
        return frozenset(
            meaning(word) for word in said if word not in around.brands and _solid(word, views=True)
        )

    def frame(self, around: Surroundings, rarity: Vector, effects: Mapping[str, Effect] | None) -> Frame:
        """Return the frame, with words weighed by how rare they are."""
        told = arguments(self.tool, self.phrase.entity)
        entities = frozenset(word for word in (self.phrase.entity, *self.entities()) if word)
        withs = self.withs()
        said = frozenset(word for words in self.said.things for word in words if not hollow(word))
        verb_said = self.name.verb or self.said.verb
        known = effect(self.tool) if effects is None else effects.get(self.tool.name)
        return Frame(
            tool=self.tool,
            name=self.name,
            verb=verb_said,
            verbs=tuple(filter(None, (self.name.verb, self.said.verb))),
            marks=frozenset((*self.name.words, *self.name.things, *self.name.proper)),
            entity=self.phrase.entity,
            facet=self.phrase.facet,
            nameless=self.nameless,
            entities=entities,
            covers=self.covers,
            objects=said | entities | withs | self.covers | set(self.name.things),
            withs=withs,
            rest=frozenset(word for words in self.said.rest for word in words if not hollow(word)),
            modifiers=(modifiers := self._modifiers()),
            qualifiers=frozenset(word for word in modifiers if thing(word) or word in said),
            times=self._times(),
            arguments=told,
            mode=mode(verb_said, told),
            action=action(self.tool),
            effect=known,
            weights=_unit({word: weight * rarity[word] for word, weight in self.things().items()}),
            text=_unit(
                {word: rarity[word] * (FAINT if hollow(word) else 1.0) for word in self.words(around)}
            ),
        )

    def _modifiers(self) -> frozenset[str]:
        said = {*self.phrase.modifiers, *self.name.proper} - {self.phrase.entity}
        return frozenset(word for word in said if not hollow(word))

    def _times(self) -> frozenset[str]:
        """Return of when the result is; what is of now and of days to come is of no one time."""
        by_name = frozenset(TIMES[word] for word in self.name.words if word in TIMES)
        said = (word for words in self.said.things for word in words)
        found = by_name or frozenset(TIMES[word] for word in said if word in TIMES)
        return found if len(found) == 1 else frozenset()


def _page(entity: str) -> str:
    # What is behind a link is a page.
    return "page" if entity == "url" else entity


def _solid(word: str, *, views: bool = False) -> bool:
    silent = named("stop") | named("joints") | named("formats")
    return word not in silent and (views or not hollow(word))


def _rarity(bags: Sequence[Iterable[str]]) -> dict[str, float]:
    times = Counter(word for bag in bags for word in bag)
    return {word: log(1 + len(bags) / count) for word, count in times.items()}


def _unit(vector: Mapping[str, float]) -> Vector:
    length = sqrt(sum(value * value for value in vector.values()))
    return {word: value / length for word, value in vector.items()} if length else {}
