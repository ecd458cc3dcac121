"""How a place in a result is written.

A path is a string, so that it can stand in a contract file and in a receipt as it is:

    ""                          the result itself
    price_usd                   a field
    address.city                a field of a field
    items[].price               that field of every item of a list: one path for all rows
    items[3].price              that field of one item, in violations only
    payment_methods.*.source    that field of every value of an object whose keys are data
    content[json].order.id      a field of the JSON that stands in the text `content`
    ["odd.key"].x               a key that holds one of the characters the notation uses

`parse` and `render` are inverse to each other on any sequence of steps.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from itertools import chain, repeat
from operator import contains
from typing import Any

from .text import json_in

ROOT = ""


class Each(Enum):
    """A step that stands for many."""

    ITEM = "[]"
    VALUE = "*"


class InText(Enum):
    """A step from a text to what stands in it."""

    JSON = "[json]"


Step = str | int | Each | InText

# A plain key needs no quotes. A lone `*` would read as Each.VALUE.
_PLAIN = re.compile(r"[^\s.\[\]*\"\x00-\x1f\x7f]+(?: [^\s.\[\]*\"\x00-\x1f\x7f]+)*\Z")
_TOKEN = re.compile(
    r"""\[\]                              # every item
      | \[(?P<index>\d+)\]                # one item
      | (?P<json>\[json\])                # what stands in a text
      | \[(?P<quoted>"(?:[^"\\]|\\.)*")\] # a quoted key
      | \.?(?P<each>\*)(?=[.\[]|\Z)       # every value
      | \.?(?P<plain>[^.\[\]*"\x00-\x1f\x7f]+)  # a plain key
    """,
    re.VERBOSE,
)


@lru_cache(maxsize=65536)
def below(path: str, key: str) -> str:
    """Return the path of the field `key` of the object at `path`."""
    if _PLAIN.match(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{json.dumps(key)}]"


@lru_cache(maxsize=65536)
def each_item(path: str) -> str:
    """Return the path of every item of the list at `path`."""
    return path + "[]"


@lru_cache(maxsize=65536)
def each_value(path: str) -> str:
    """Return the path of every value of the object at `path`, whose keys are data."""
    return f"{path}.*" if path else "*"


@lru_cache(maxsize=65536)
def in_text(path: str) -> str:
    """Return the path of the JSON that stands in the text at `path`."""
    return path + _IN_TEXT


def is_in_text(path: str) -> bool:
    """Say whether a path is that of the JSON in a text; a key that ends so would stand in quotes."""
    return path.endswith(_IN_TEXT)


_IN_TEXT = InText.JSON.value


def at_index(path: str, index: int) -> str:
    """Return the path of one item of the list at `path`."""
    return f"{path}[{index}]"


def folded(path: str) -> str:
    """Return a path with every item of a list in the place of one."""
    return render([Each.ITEM if isinstance(step, int) else step for step in parse(path)])


def render(steps: Sequence[Step]) -> str:
    """Write steps as a path."""
    path = ROOT
    for step in steps:
        if isinstance(step, str):
            path = below(path, step)
        elif isinstance(step, int):
            path = at_index(path, step)
        elif step is InText.JSON:
            path = in_text(path)
        else:
            path = each_item(path) if step is Each.ITEM else each_value(path)
    return path


@lru_cache(maxsize=65536)
def parse(path: str) -> tuple[Step, ...]:
    """Read a path; raise ValueError, naming the character, where it is not one."""
    steps: list[Step] = []
    position = 0
    while position < len(path):
        token = _TOKEN.match(path, position)
        # A dot stands between a key and what is before it, never first.
        if token is None or (token.group().startswith(".") == (position == 0) and token.group()[0] != "["):
            raise ValueError(f"{path!r} is not a path: see character {position}")
        if token["index"] is not None:
            steps.append(int(token["index"]))
        elif token["json"] is not None:
            steps.append(InText.JSON)
        elif token["quoted"] is not None:
            steps.append(_unquote(token["quoted"], path))
        elif token["each"] is not None:
            steps.append(Each.VALUE)
        elif token["plain"] is not None:
            steps.append(token["plain"])
        else:
            steps.append(Each.ITEM)
        position = token.end()
    return tuple(steps)


def _unquote(quoted: str, path: str) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        raise ValueError(f"{path!r} is not a path: {quoted} is not a quoted key") from None


@lru_cache(maxsize=65536)
def parent(path: str) -> str:
    """Return the path one step up; the parent of the result itself is the result itself."""
    return render(parse(path)[:-1])


def select(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield each place that `path` stands for in `value`, with the value there, in document order.

    A step that leads nowhere (a missing key, a field of a number) yields nothing.
    """
    return _select(value, ROOT, parse(path), 0)


def _select(value: Any, place: str, steps: tuple[Step, ...], depth: int) -> Iterator[tuple[str, Any]]:
    while depth < len(steps):
        step = steps[depth]
        depth += 1
        if step is Each.ITEM:
            if isinstance(value, list):
                for index, item in enumerate(value):
                    yield from _select(item, at_index(place, index), steps, depth)
            return
        if step is Each.VALUE:
            if isinstance(value, dict):
                for key, item in value.items():
                    yield from _select(item, below(place, str(key)), steps, depth)
            return
        if isinstance(step, str):
            if not isinstance(value, dict) or step not in value:
                return
            value, place = value[step], below(place, step)
        elif step is InText.JSON:
            value, place = json_in(value), in_text(place)
            if value is None:
                return
        else:
            assert isinstance(step, int)
            if not isinstance(value, list) or step >= len(value):
                return
            value, place = value[step], at_index(place, step)
    yield place, value


def values_at(value: Any, path: str) -> list[Any]:
    """Return all that stands at the places of a path, in document order: `select` without the places."""
    level = [value]
    for step in parse(path):
        if step is Each.ITEM:
            level = [*chain.from_iterable(one for one in level if isinstance(one, list))]
        elif step is Each.VALUE:
            level = [item for one in level if isinstance(one, dict) for item in one.values()]
        elif isinstance(step, str):
            level = _fields(level, step)
        elif isinstance(step, int):
            level = [one[step] for one in level if isinstance(one, list) and step < len(one)]
        else:
            level = [found for one in level if (found := json_in(one)) is not None]
    return level


def _fields(level: list[Any], name: str) -> list[Any]:
    # Most rows are plain, and have the field.
    if {*map(type, level)} == {dict} and all(map(contains, level, repeat(name))):
        return [one[name] for one in level]
    return [one[name] for one in level if isinstance(one, dict) and name in one]


def replaced(value: Any, steps: Sequence[Step], new: Callable[[Any], Any]) -> Any:
    """Return a value with `new` made of what stands at a place; what doesn't lead there is not copied.

    A text with JSON in it that the steps lead into is replaced whole, and `*` leads to the items of a list as well.
    """
    if not steps or (steps[0] is InText.JSON and not isinstance(value, dict | list)):
        return new(value)
    step, rest = steps[0], steps[1:]
    if step is InText.JSON:
        # The text has been read: what stood in it is here.
        return replaced(value, rest, new)
    every = step is Each.VALUE
    if isinstance(value, dict):
        keys = [key for key in value if every or str(key) == step]
        return {**value, **{key: replaced(value[key], rest, new) for key in keys}} if keys else value
    if isinstance(value, list | tuple):
        every = every or step is Each.ITEM
        return [
            replaced(item, rest, new) if every or index == step else item for index, item in enumerate(value)
        ]
    return value
