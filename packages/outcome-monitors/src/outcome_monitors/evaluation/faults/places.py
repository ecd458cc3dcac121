"""Walking a result, and replacing what stands at a place in it without touching what was given."""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.jsonvalue.paths import ROOT, below, each_item, each_value
from outcome_monitors.model import Json

Place = tuple[str | int, ...]
"""Where a value stands: the keys and indexes that lead to it from the result."""

Edits = tuple[tuple[Place, Json], ...]
"""A change as data: what to put where. Places must not lie below one another."""

GONE: Any = object()
"""In an edit: remove what stands there."""

# No real result nests deeper; what does is left alone, so that everything here may recurse.
DEEPEST = 100

# A key that is an entity rather than a field name: an id, an address, a file name.
_DATA_KEY = re.compile(r"\d{3}|[@#/:.]")


class Node(NamedTuple):
    """A value and where it stands."""

    place: Place
    path: str
    """The place with list items and data keys folded, in the notation of `jsonvalue.paths`: one path for all rows."""
    key: str | None
    """The nearest field name: the value's own, or that of the list it is in."""
    value: Json


def walk(value: Json) -> list[Node]:
    """Return every value in document order, containers first; nothing where it nests too deep."""
    found: list[Node] = []
    waiting = [Node((), ROOT, None, value)]
    while waiting:
        node = waiting.pop()
        found.append(node)
        place, path, key, value = node
        if isinstance(value, dict):
            inside = [Node((*place, k), _step(path, k), k, v) for k, v in value.items()]
        elif isinstance(value, list):
            inside = [Node((*place, i), each_item(path), key, v) for i, v in enumerate(value)]
        else:
            continue
        if len(place) >= DEEPEST:
            return []
        waiting.extend(reversed(inside))
    return found


@lru_cache(maxsize=65536)
def _step(path: str, key: str) -> str:
    return each_value(path) if _DATA_KEY.search(key) else below(path, key)


def canonical(value: Json) -> str | None:
    """Write a value as compact JSON with sorted keys; None where it cannot be written, NaN included."""
    try:
        return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return None


def look(value: Json, place: Place) -> Json:
    """Return what stands at a place, or `GONE` where nothing does."""
    here: Any = value
    for step in place:
        if isinstance(step, int):
            there = isinstance(here, list) and step < len(here)
        else:
            there = isinstance(here, dict) and step in here
        if not there:
            return GONE
        here = here[step]
    return here


def child(node: Node, key: str) -> Node:
    """Return a field of an object as a node."""
    return Node((*node.place, key), _step(node.path, key), key, node.value[key])


def edit(place: Place, new: Json) -> Edits:
    """Return the change of one place."""
    return ((place, new),)


def changed(value: Json, edits: Iterable[tuple[Place, Json]]) -> Json:
    """Return a value with the edits made; what they do not touch is shared with the original."""
    copies: dict[Place, Any] = {}

    def own(place: Place) -> Any:
        if place not in copies:
            if place:
                holder = own(place[:-1])
                copies[place] = holder[place[-1]] = holder[place[-1]].copy()
            else:
                copies[place] = value.copy()
        return copies[place]

    gone: list[Place] = []
    for place, new in edits:
        if not place:
            return new
        if new is GONE:
            gone.append(place)
        else:
            own(place[:-1])[place[-1]] = new
    # Backwards, so that the indexes of what is still to be removed stay true.
    for place in reversed(gone):
        del own(place[:-1])[place[-1]]
    return copies.get((), value)
