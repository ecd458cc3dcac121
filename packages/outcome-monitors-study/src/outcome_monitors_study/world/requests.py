"""What a user asks for: needs, the ways to meet them, and the episodes and workflows that are made of them (tasks.json).

A need has parameters (`want`) and gives facts under its own names, whichever way is taken. Two ways of one need are
substitutes for each other: that is all there is to substitution in this world.

An episode template names what is drawn, in the order of the draws, what the user says, which needs that has, what the
user wants to be told, and what a message to somebody else must hold:

    "drawn": {"order": {"record": "orders"}},
    "says": "Cancel order {order.id} and tell the refund.",
    "asks": [["cancelled", "cancellation", {"order": "$order.id", "reason": "changed_mind"}]],
    "report": {"refund": "$cancelled.refund", "open": ["$after.count", "open", "left"]},
    "letters": {"told": ["$date", "$slot.start"]}

The words after a fact are those near which a small number is looked for: `3` stands in many a sentence.

What is drawn is written as

    "$subject|first_word"                       no chance: a template over what is drawn so far
    {"look up": "customers", "id": "$order.customer_id"}    nor here: the record of an id
    {"if": "$on", "then": "on", "else": "off"}  nor here
    {"record": "orders", "where": {"status": ["pending", "processing"]}}    a record; its id stands under `id`
    {"records": "contacts", "count": 2}         different ones, as a list
    {"one of": [5, 10]}  {"one of": "tiers"}    an item of the list, or of a list of vocabulary.json
    {"some of": "tiers", "count": 2}            different ones
    {"whole": [1, 6], "over": 2, "digits": 2}   a whole number; divided; written with so many digits
    {"day": "$today", "after": [1, 14]}         a day so many days after or `before` another
    {"chance": 0.5}                             true as often as this
    {"made": "person"}  {"made": "address"}     a made-up name or address

In `where` a field holds a value, one of a list, or {"not": value}. `whose` looks at another table: its `first` records whose
field `by` holds the id must all fit.
"""

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .records import address, document, person, shift, vocabulary
from .state import TODAY, Record, Tables
from .templates import bind, fill
from .world import DOMAINS, first_tables

Json = Any
Template = Any
Scope = Mapping[str, Json]
Path = Mapping[str, int]
"""Which of its ways each need with a choice is met by: {"order": 1}."""


@dataclass(frozen=True, slots=True)
class Use:
    """One call: a tool, and arguments as templates over `want` and the earlier results `r1`, `r2`, ... of the way."""

    tool: str
    arguments: Mapping[str, Template]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to meet a need: calls in order, and where in their results the facts are."""

    uses: tuple[Use, ...]
    facts: Mapping[str, Template]

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools, in order."""
        return tuple(use.tool for use in self.uses)


@dataclass(frozen=True, slots=True)
class Need:
    """What is wanted, and every way to it; the first is the usual one."""

    name: str
    ways: tuple[Way, ...]

    @property
    def kind(self) -> str:
        """Say how the ways stand to each other, in ToolMaze's words; `none` where there is only one."""
        if len(self.ways) == 1:
            return "none"
        if any(len(way.uses) > 1 for way in self.ways):
            return "many_to_many"
        return "one_to_one" if len(self.ways) == 2 else "one_to_many"


@dataclass(frozen=True, slots=True)
class Ask:
    """One need of an episode; later templates find its facts under `name`."""

    name: str
    need: str
    want: Mapping[str, Template]


@dataclass(frozen=True, slots=True)
class RequestedFact:
    """A fact that somebody wants to be told."""

    name: str
    fact: Template
    near: tuple[str, ...] = ()
    """Beginnings of words of which one stands near, where the fact is a small number."""


@dataclass(frozen=True, slots=True)
class Step:
    """One need of a workflow at one place."""

    episode: str
    """`e1`, `e2`, ...: the part of the request that it serves."""
    ask: Ask

    @property
    def name(self) -> str:
        """What the step is called in its workflow, which may ask for the same thing twice."""
        return f"{self.episode}.{self.ask.name}"


@dataclass(frozen=True, slots=True)
class Workflow:
    """A request to an assistant, of ToolMaze's levels C1 to C4, and all that is needed to carry it out."""

    task_id: str
    complexity: str
    seed: int
    """Of the world in which it plays."""
    query: str
    steps: tuple[Step, ...]
    ways: Mapping[str, tuple[Way, ...]]
    """For each need, the ways to meet it that the workflow's tools allow, the usual one first."""
    tools: tuple[str, ...]
    """What the assistant can call: the tools of all ways, and some that lead nowhere here."""
    report: tuple[RequestedFact, ...]
    """What the query wants to be told, in the order of its words."""
    letters: Mapping[str, tuple[RequestedFact, ...]]
    """What the message that a step sends must hold, by the step's name."""

    @property
    def slots(self) -> tuple[str, ...]:
        """The needs that leave a choice."""
        return tuple(need for need, ways in self.ways.items() if len(ways) > 1)

    def paths(self) -> Iterator[Path]:
        """Yield every valid path, the usual one first."""
        choices = (range(len(self.ways[need])) for need in self.slots)
        return (dict(zip(self.slots, chosen, strict=True)) for chosen in itertools.product(*choices))

    def way(self, step: Step, path: Path) -> Way:
        """Return the way that a path takes at a step."""
        return self.ways[step.ask.need][path.get(step.ask.need, 0)]


@dataclass(frozen=True, slots=True)
class DrawnEpisode:
    """What the user says, what that needs, and what is to be told to whom."""

    sentence: str
    asks: tuple[Ask, ...]
    report: tuple[RequestedFact, ...]
    letters: Mapping[str, tuple[RequestedFact, ...]]
    """What the message that an ask sends must hold; its other words are free."""


class Draw:
    """A source of chance, and the first records to choose among."""

    def __init__(self, rng: random.Random, seed: int) -> None:
        self.rng = rng
        self.tables: Tables = first_tables(seed)

    def drawn(self, form: Json, scope: Scope, words: Mapping[str, Json]) -> Json:
        """Draw what a notation says."""
        if isinstance(form, str):
            return fill(form, scope)
        match form:
            case {"record": table}:
                return _with_id(self.rng.choice(self._fitting(table, form, scope)))
            case {"records": table, "count": count}:
                return [_with_id(pair) for pair in self.rng.sample(self._fitting(table, form, scope), count)]
            case {"look up": table, "id": key}:
                found = fill(key, scope)
                return _with_id((found, self.tables[table][found]))
            case {"one of": listed}:
                wanted = fill(form.get("where", {}), scope)
                items = [item for item in _items(listed, words) if _fits(item, wanted)]
                return fill(self.rng.choice(items), scope)
            case {"some of": listed, "count": count}:
                return self.rng.sample(_items(listed, words), count)
            case {"whole": [low, high]}:
                number = self.rng.randint(low, high)
                if "digits" in form:
                    return f"{number:0{form['digits']}d}"
                return number / form["over"] if "over" in form else number
            case {"day": day}:
                low, high = form.get("after") or form["before"]
                days = self.rng.randint(low, high)
                return shift(fill(day, scope), days if "after" in form else -days)
            case {"chance": chance}:
                return self.rng.random() < chance
            case {"made": kind}:
                return address(self.rng) if kind == "address" else person(self.rng, set())[0]
            case {"if": condition}:
                return fill(form["then"] if fill(condition, scope) else form["else"], scope)
        raise ValueError(f"{form!r} draws nothing")

    def _fitting(self, table: str, form: Mapping[str, Json], scope: Scope) -> list[tuple[str, Record]]:
        """Return the records of a table that fit."""
        wanted, whose = fill(form.get("where", {}), scope), form.get("whose")
        rows = [(key, record) for key, record in self.tables[table].items() if _fits(record, wanted)]
        return rows if whose is None else [row for row in rows if self._holds(whose, row[0])]

    def _holds(self, whose: Mapping[str, Json], key: str) -> bool:
        rows = [row for row in self.tables[whose["records"]].values() if row[whose["by"]] == key]
        return all(_fits(row, whose.get("where", {})) for row in rows[: whose["first"]])


def _items(listed: Json, words: Mapping[str, Json]) -> list[Json]:
    return list(words[listed]) if isinstance(listed, str) else listed


def _fits(record: Json, where: Mapping[str, Json]) -> bool:
    for field, wanted in where.items():
        value = record.get(field)
        if isinstance(wanted, dict):
            fits = value != wanted["not"]
        else:
            fits = value in wanted if isinstance(wanted, list) else value == wanted
        if not fits:
            return False
    return True


def _with_id(pair: tuple[str, Record]) -> Record:
    return {"id": pair[0], **pair[1]}


@dataclass(frozen=True, slots=True)
class EpisodeTemplate:
    """What episodes of one sort have in common."""

    content: Mapping[str, Json]
    words: Mapping[str, Json]

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The needs, in order."""
        return tuple(Ask(*row) for row in self.content["asks"])

    def episode(self, draw: Draw, **given: Json) -> DrawnEpisode:
        """Draw an episode; what is given stands beside what is drawn."""
        scope = {"today": TODAY, **given}
        for name, form in self.content.get("drawn", {}).items():
            scope[name] = draw.drawn(form, scope, self.words)
        letters = {
            ask: tuple(RequestedFact(str(place), fact) for place, fact in enumerate(bind(facts, scope), 1))
            for ask, facts in self.content.get("letters", {}).items()
        }
        report = tuple(
            RequestedFact(name, *([value[0], tuple(value[1:])] if isinstance(value, list) else [value]))
            for name, value in self.content.get("report", {}).items()
        )
        asks = tuple(Ask(ask.name, ask.need, bind(ask.want, scope)) for ask in self.asks)
        return DrawnEpisode(fill(self.content["says"], scope), asks, report, letters)


NEEDS: dict[str, Need] = {
    name: Need(name, tuple(Way(tuple(Use(*call) for call in way["calls"]), way["facts"]) for way in ways))
    for domain in DOMAINS
    for name, ways in document(domain, "tasks.json")["needs"].items()
}
EPISODES = tuple(
    EpisodeTemplate(content, vocabulary(domain))
    for domain in DOMAINS
    for content in document(domain, "tasks.json")["episodes"].values()
)
CLOSING = EpisodeTemplate(document("closing.json"), {})
"""Closes a workflow by a message that tells what was found: a wrong value is then in the world for good."""


def groups() -> Iterator[Need]:
    """Yield the needs that can be met in more than one way."""
    return (need for need in NEEDS.values() if need.kind != "none")


def declared_substitutes() -> dict[str, list[str]]:
    """Return, for each tool, the tools at which another way to the same facts begins; best first.

    A tool that does all a way needs comes before the first tool of a longer one. A tool without substitutes is absent.
    """
    found: dict[str, list[str]] = {}
    for need in groups():
        for way in need.ways:
            others = sorted(
                (other for other in need.ways if other is not way), key=lambda other: len(other.uses)
            )
            for tool in way.tools:
                entries = found.setdefault(tool, [])
                entries += [o.tools[0] for o in others if o.tools[0] not in (tool, *entries)]
    return {tool: entries for tool, entries in found.items() if entries}
