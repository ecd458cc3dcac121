"""What clean results say of the world: attributes of an id, values of a field, which places go together.

All of it is bounded: beyond a fixed number of entities and values, nothing new is kept.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from outcome_monitors.model import Json

from .places import Node
from .vocabulary import is_id, word_set, words

__all__ = ["Companions", "Entities", "Ids", "Values"]

MOST_ENTITIES = 20_000
MOST_VALUES = 24
MOST_ATTRIBUTES = 16

Entity = tuple[str, Json]

_SCALARS = (str, int, float)


def _names(value: Json) -> bool:
    """Say whether a value can be an id; Python does not even write numbers of thousands of digits."""
    return value != "" if type(value) is str else type(value) is int and abs(value) < 2**64


class Ids:
    """The smallest ids known under each key."""

    def __init__(self) -> None:
        self._smallest: dict[tuple[str, type], list[Json]] = {}

    def learn(self, nodes: Iterable[Node]) -> None:
        """Look at the parts of one clean result."""
        for node in nodes:
            if node.key is not None and is_id(node.key) and _names(node.value):
                self._keep(self._smallest.setdefault((node.key, type(node.value)), []), node.value)

    @staticmethod
    def _keep(smallest: list[Json], value: Json) -> None:
        # Two are enough: one of them is other than any given id.
        if value not in smallest:
            smallest.append(value)
            smallest.sort(key=str)
            del smallest[2:]

    def other(self, key: str, value: Json) -> Json:
        """Return the smallest id, as text, known under the key other than `value`, or None."""
        return next((known for known in self._smallest.get((key, type(value)), ()) if known != value), None)


class Entities:
    """Attributes that never changed for an id."""

    def __init__(self) -> None:
        self._known: dict[Entity, dict[str, Json]] = {}
        self._again: set[Entity] = set()
        self._moving: set[tuple[Entity, str]] = set()

    def learn(self, tool: str, nodes: Sequence[Node]) -> None:
        """Look at the parts of one clean result."""
        for node in nodes:
            entity = _entity(tool, node)
            if entity is not None:
                self._meet(entity, node.value)

    def _meet(self, entity: Entity, attributes: dict[str, Json]) -> None:
        known = self._known.get(entity)
        scalars = [
            (key, value) for key, value in attributes.items() if type(value) in _SCALARS and not is_id(key)
        ]
        if known is None:
            if len(self._known) < MOST_ENTITIES:
                self._known[entity] = dict(scalars[:MOST_ATTRIBUTES])
            return
        self._again.add(entity)
        for key, value in scalars:
            if key in known and known[key] != value:
                self._moving.add((entity, key))

    def constant(self, tool: str, node: Node) -> list[str]:
        """Return the attributes of an object that its id, met more than once, always had with these values."""
        entity = _entity(tool, node)
        if entity is None or entity not in self._again:
            return []
        known = self._known[entity].items()
        return [
            key for key, value in known if (entity, key) not in self._moving and node.value.get(key) == value
        ]


def _entity(tool: str, node: Node) -> Entity | None:
    """Return what an object's first id stands for; a bare `id` tells only with where it was found."""
    if not isinstance(node.value, dict):
        return None
    for key, value in node.value.items():
        if is_id(key) and _names(value):
            return (key, value) if len(words(key)) > 1 else (f"{tool} {node.path} {key}", value)
    return None


class Values:
    """The distinct strings and numbers that stand at a place of a tool's results."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], dict[Json, int]] = {}
        self._full: set[tuple[str, str]] = set()

    def learn(self, tool: str, nodes: Sequence[Node]) -> None:
        """Look at the parts of one clean result."""
        for node in nodes:
            if type(node.value) in _SCALARS:
                spot = (tool, node.path)
                values = self._values.setdefault(spot, {})
                if node.value in values or len(values) < MOST_VALUES:
                    values[node.value] = values.get(node.value, 0) + 1
                else:
                    self._full.add(spot)

    def others(self, tool: str, node: Node) -> list[Json]:
        """Return other values of the same type seen at the same place."""
        seen = self._values.get((tool, node.path), {})
        return [value for value in seen if type(value) is type(node.value) and value != node.value]

    def vocabulary(self, tool: str, path: str) -> dict[Json, int]:
        """Return the values of a place and how often each was seen; nothing where they are many."""
        spot = (tool, path)
        return {} if spot in self._full else self._values.get(spot, {})


_PLACE_WORDS = word_set("city country currency language locale province region state timezone zip zone")


class Companions:
    """Which country, currency, time zone and the like were seen beside which."""

    def __init__(self) -> None:
        self._beside: dict[tuple[str, str], dict[str, set[str]]] = {}
        self._any: dict[str, dict[str, None]] = {}

    def learn(self, nodes: Sequence[Node]) -> None:
        """Note what stands beside what in each object."""
        for node in nodes:
            for key, value, other, beside in _neighbours(node.value):
                known = self._beside.setdefault((key, other), {})
                if value in known or len(known) < MOST_ENTITIES:
                    known.setdefault(value, set()).add(beside)
                values = self._any.setdefault(other, {})
                if len(values) < MOST_VALUES:
                    values[beside] = None

    def impossible(self, thing: Json) -> Iterator[tuple[str, str]]:
        """Yield keys with a value that was seen elsewhere, never beside what stands beside the key here."""
        for key, value, other, beside in _neighbours(thing):
            known = self._beside.get((key, other), {}).get(value, ())
            if beside in known:
                yield from ((other, wrong) for wrong in self._any[other] if wrong not in known)


def _neighbours(thing: Json) -> list[tuple[str, str, str, str]]:
    """Return each two fields of an object that name places, both ways round."""
    if not isinstance(thing, dict):
        return []
    named = [
        (key, value) for key, value in thing.items() if isinstance(value, str) and value and _is_place(key)
    ]
    return [(a, v, b, w) for a, v in named for b, w in named if a != b] if len(named) > 1 else []


@lru_cache(maxsize=16384)
def _is_place(key: str) -> bool:
    return not _PLACE_WORDS.isdisjoint(words(key))
