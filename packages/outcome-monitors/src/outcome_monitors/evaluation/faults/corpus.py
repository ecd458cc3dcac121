"""Clean knowledge of a set of traces: what a fault needs in order to be believable.

All of it is bounded: beyond a fixed number of calls, entities and values, nothing new is kept.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, Self

from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Call, Json

from .places import Node, canonical, walk
from .vocabulary import is_id, mentions, moment, text_slot, word_set, words

# Of each tool so many different calls are kept whole, of each question so many different answers.
MOST_CALLS = 40
MOST_ANSWERS = 3
MOST_QUESTIONS = 50_000
MOST_ENTITIES = 20_000
MOST_VALUES = 24
MOST_ATTRIBUTES = 16
# Fewer sightings than this are no regularity.
ENOUGH = 3
# Of wide objects and long lists, the first few fields and rows say enough.
MOST_FIELDS = 12
MOST_ROWS = 100

Spot = tuple[str, str]
"""A tool and a path."""
Entity = tuple[str, Json]
Ids = dict[tuple[str, type], list[Json]]

_SCALARS = (str, int, float)


class Corpus:
    """What clean calls have in common: built once by `Corpus.of`, then only read."""

    def __init__(self) -> None:
        self.ids: Ids = {}
        """The two smallest ids under each key and type."""
        self.texts: dict[str, str] = {}
        """A text of each tool that gives one."""
        self._calls: dict[str, list[Call]] = {}
        self._answers: dict[Spot, list[Json]] = {}
        self._repeated: set[Spot] = set()
        self._objects: Counter[Spot] = Counter()
        self._always: dict[Spot, set[str]] = {}
        self._earlier: dict[Spot, Counter[tuple[str, str]]] = defaultdict(Counter)
        self._sorted: dict[Spot, Counter[tuple[str, bool]]] = defaultdict(Counter)
        self._unsorted: set[tuple[Spot, str, bool]] = set()
        self._sums: Counter[tuple[str, str, str, str]] = Counter()
        self._entities: dict[Entity, dict[str, Json]] = {}
        self._met_again: set[Entity] = set()
        self._moving: set[tuple[Entity, str]] = set()
        self._values: dict[Spot, dict[Json, int]] = defaultdict(dict)
        self._many: set[Spot] = set()
        self._beside: dict[Spot, dict[str, set[str]]] = defaultdict(dict)
        self._neighbours: dict[str, dict[str, None]] = defaultdict(dict)

    @classmethod
    def of(cls, calls: Iterable[Call]) -> Self:
        """Learn from calls; those that failed openly are passed over."""
        corpus = cls()
        known: set[bytes] = set()
        for call in calls:
            arguments, answer = canonical(dict(call.arguments)), canonical(call.result)
            if call.error or arguments is None or answer is None:
                continue
            corpus._note(call, (call.tool, arguments))
            text = f"{call.tool}\0{arguments}\0{answer}".encode("utf-8", "surrogatepass")
            # The same call with the same result says nothing new of what results look like.
            if (digest := blake2b(text, digest_size=8).digest()) not in known:
                known.add(digest)
                corpus._learn(call)
        return corpus

    @property
    def tools(self) -> Sequence[str]:
        """The tools, in the order met."""
        return tuple(self._calls)

    def calls(self, tool: str) -> Sequence[Call]:
        """Return calls of a tool, each with other arguments, in the order met."""
        return self._calls.get(tool, ())

    def answers(self, tool: str, arguments: Mapping[str, Json]) -> Sequence[Json]:
        """Return the answers to a question asked more than once; nothing where they are too many."""
        question = (tool, canonical(dict(arguments)) or "")
        answers = self._answers.get(question, ())
        return answers if question in self._repeated and len(answers) <= MOST_ANSWERS else ()

    def always(self, tool: str, path: str) -> frozenset[str]:
        """Return the keys that every object at a place had."""
        spot = (tool, path)
        return frozenset(self._always[spot]) if self._objects[spot] >= ENOUGH else frozenset()

    def ordered(self, tool: str, path: str) -> list[tuple[str, str]]:
        """Return the pairs of keys whose first time was often before the second and never after it."""
        pairs = self._earlier.get((tool, path), Counter())
        return [(a, b) for (a, b), times in pairs.items() if times >= ENOUGH and (b, a) not in pairs]

    def sort_keys(self, tool: str, path: str) -> frozenset[str]:
        """Return the keys by which the lists at a place were often sorted and never otherwise."""
        spot = (tool, path)
        return frozenset(
            key
            for (key, falling), times in self._sorted.get(spot, Counter()).items()
            if times >= ENOUGH and (spot, key, falling) not in self._unsorted
        )

    def holds(self, tool: str, sum_: "Sum") -> bool:
        """Say whether a sum holds often enough to be no chance."""
        return self._sums[tool, sum_.total.path, sum_.rows.path, sum_.key] >= ENOUGH

    def constant(self, tool: str, node: Node) -> list[str]:
        """Return the attributes of an object that its id, met more than once, always had with these values."""
        entity = _entity(tool, node)
        if entity is None or entity not in self._met_again:
            return []
        return [
            key
            for key, value in self._entities[entity].items()
            if (entity, key) not in self._moving and node.value.get(key) == value
        ]

    def other_values(self, tool: str, node: Node) -> list[Json]:
        """Return other values of the same type from the same place."""
        known = self._values.get((tool, node.path), {})
        return [value for value in known if type(value) is type(node.value) and value != node.value]

    def vocabulary(self, tool: str, path: str) -> Mapping[Json, int]:
        """Return the values of a place and how often each occurs; nothing where they are many."""
        return {} if (tool, path) in self._many else self._values.get((tool, path), {})

    def impossible(self, thing: Json) -> Iterator[tuple[str, str]]:
        """Yield keys with a value known from elsewhere, never beside what stands beside the key here."""
        for key, value, other, beside in _companions(thing):
            known = self._beside.get((key, other), {}).get(value, ())
            if beside in known:
                yield from ((other, wrong) for wrong in self._neighbours[other] if wrong not in known)

    def _note(self, call: Call, question: Spot) -> None:
        answers = self._answers.get(question)
        if answers is None:
            if len(self._answers) < MOST_QUESTIONS:
                self._answers[question] = [call.result]
            calls = self._calls.setdefault(call.tool, [])
            if len(calls) < MOST_CALLS:
                calls.append(call)
            return
        self._repeated.add(question)
        if len(answers) <= MOST_ANSWERS and call.result not in answers:
            answers.append(call.result)

    def _learn(self, call: Call) -> None:
        nodes = walk(call.result)
        for node in nodes:
            spot = (call.tool, node.path)
            if isinstance(node.value, dict):
                self._learn_object(spot, node)
            elif isinstance(node.value, list):
                self._learn_order(spot, node.value)
            elif type(node.value) in _SCALARS:
                values = self._values[spot]
                if node.value in values or len(values) < MOST_VALUES:
                    values[node.value] = values.get(node.value, 0) + 1
                else:
                    self._many.add(spot)
        for total, rows, key in sums_in(nodes):
            self._sums[call.tool, total.path, rows.path, key] += 1
        if call.tool not in self.texts:
            slot = text_slot(nodes, ())
            if slot is not None and slot.value:
                self.texts[call.tool] = slot.value
        _add_ids(self.ids, nodes)
        _add_ids(self.ids, walk(dict(call.arguments)))

    def _learn_object(self, spot: Spot, node: Node) -> None:
        fields: dict[str, Json] = node.value
        self._objects[spot] += 1
        self._always.setdefault(spot, set(fields)).intersection_update(fields)
        times = [(key, at) for key, value in fields.items() if (at := moment(value))][:MOST_FIELDS]
        for first, (sort, one) in times:
            for second, (other_sort, two) in times:
                if sort == other_sort and one < two:
                    self._earlier[spot][first, second] += 1
        for key, value, other, beside in _companions(fields):
            known = self._beside[key, other]
            if value in known or len(known) < MOST_ENTITIES:
                known.setdefault(value, set()).add(beside)
            if len(self._neighbours[other]) < MOST_VALUES:
                self._neighbours[other][beside] = None
        entity = _entity(spot[0], node)
        if entity is not None:
            self._learn_entity(entity, fields)

    def _learn_entity(self, entity: Entity, fields: Mapping[str, Json]) -> None:
        known = self._entities.get(entity)
        scalars = [
            (key, value) for key, value in fields.items() if type(value) in _SCALARS and not is_id(key)
        ]
        if known is None:
            if len(self._entities) < MOST_ENTITIES:
                self._entities[entity] = dict(scalars[:MOST_ATTRIBUTES])
            return
        self._met_again.add(entity)
        self._moving.update((entity, key) for key, value in scalars if key in known and known[key] != value)

    def _learn_order(self, spot: Spot, rows: list[Json]) -> None:
        if len(rows) < ENOUGH or not isinstance(rows[0], dict):
            return
        for key in list(rows[0])[:MOST_FIELDS]:
            column = _column(rows[:MOST_ROWS], key)
            sortable = all(isinstance(value, str) for value in column) or all(map(finite, column))
            if sortable and any(value != column[0] for value in column):
                for falling in (False, True):
                    if column == sorted(column, reverse=falling):
                        self._sorted[spot][key, falling] += 1
                    else:
                        self._unsorted.add((spot, key, falling))


class Sum(NamedTuple):
    """A number that is the sum of a column."""

    total: Node
    rows: Node
    key: str


def sums_in(nodes: Sequence[Node]) -> Iterator[Sum]:
    """Yield the numbers that equal the sum of a column of two rows or more elsewhere in the result."""
    sums: dict[float, tuple[Node, str]] = {}
    for node in nodes:
        rows = node.value
        if isinstance(rows, list) and len(rows) > 1 and isinstance(rows[0], dict):
            for key in rows[0]:
                column = _column(rows, key)
                if all(finite(value) and 0 < value < 1e12 for value in column):
                    sums.setdefault(round(sum(column), 2), (node, key))
    for node in nodes if sums else ():
        if finite(node.value) and abs(node.value) < 1e15:
            parts = sums.get(round(node.value, 2))
            if parts and node.place[: len(parts[0].place)] != parts[0].place:
                yield Sum(node, *parts)


def _column(rows: Sequence[Json], key: str) -> list[Any]:
    return [row.get(key) if isinstance(row, dict) else None for row in rows]


def smallest_ids(calls: Iterable[Call]) -> Ids:
    """Return the two smallest ids that calls hold under each key and type: one of them is other than any given id."""
    ids: Ids = {}
    for call in calls:
        _add_ids(ids, walk(call.result))
        _add_ids(ids, walk(dict(call.arguments)))
    return ids


def _add_ids(ids: Ids, nodes: Iterable[Node]) -> None:
    for node in nodes:
        if node.key is not None and is_id(node.key) and _can_be_id(node.value):
            smallest = ids.setdefault((node.key, type(node.value)), [])
            if node.value not in smallest:
                smallest.append(node.value)
                smallest.sort(key=str)
                del smallest[2:]


def _can_be_id(value: Json) -> bool:
    # Python does not even write numbers of thousands of digits.
    return value != "" if type(value) is str else type(value) is int and abs(value) < 2**64


def _entity(tool: str, node: Node) -> Entity | None:
    """Return what an object's first id stands for; a bare `id` is one only together with its place."""
    if not isinstance(node.value, dict):
        return None
    for key, value in node.value.items():
        if is_id(key) and _can_be_id(value):
            return (key, value) if len(words(key)) > 1 else (f"{tool} {node.path} {key}", value)
    return None


_PLACE_WORDS = word_set("city country currency language locale province region state timezone zip zone")


def _companions(thing: Json) -> list[tuple[str, str, str, str]]:
    """Return each two fields of an object that name places, both ways round."""
    if not isinstance(thing, dict):
        return []
    named = [
        (key, value) for key, value in thing.items() if isinstance(value, str) and value and _is_place(key)
    ]
    return [(a, v, b, w) for a, v in named for b, w in named if a != b]


@lru_cache(maxsize=16384)
def _is_place(key: str) -> bool:
    return mentions(key, _PLACE_WORDS)
