"""Results to try contracts on: as a server would give them, and then changed in one place or several, by structure."""

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from outcome_monitors import Call

__all__ = ["ODD", "Tool", "changed", "tool_of"]

NAMES = ("id", "a", "b", "a.b", "total", "status", "items", "x y", "[]", "*", "é", "[json]", "created_at", "")
_PLAIN = "paid sent open W1 W22 2026-01-02 2026-01-02T10:00:00Z a.b né"
WORDS = (*_PLAIN.split(), "", '{"a": 1}')
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, -0.0, float("nan"), float("inf"), 10**400),
    *("", "x", "n/a", "\ud800", "[1, {}]", [], [None], [[]], {}, {"": None}, {"a.b": 1}, {"a": {"b": 1}}),
    *({1: 2}, {None: 3}, {True: "x", 1.5: "y"}, (1, 2), b"x"),
)
"""What stands where something else is expected; the last ones are no JSON, which hosts hand over all the same."""

Make = Callable[[random.Random, int], Any]


class Tool:
    """A tool whose results have one form: calls to learn from, and fresh ones."""

    def __init__(self, rng: random.Random, name: str = "t") -> None:
        self._rng, self.name = rng, name
        self._make = _value(rng, 0)
        self._echo = rng.choice(("", "id", "a", "a.b"))

    def call(self, number: int) -> Call:
        """Return a call as the tool answers it."""
        rng = random.Random(f"{number}{self._rng.random() if number < 0 else ''}")
        result = self._make(rng, number)
        arguments = {"id": f"W{number}", "n": number}
        if self._echo and isinstance(result, dict):
            arguments[self._echo] = result.setdefault(self._echo, f"W{number}")
        return Call(self.name, arguments, result, task=f"task{number}")

    def calls(self, count: int) -> list[Call]:
        """Return calls to learn from."""
        return [self.call(number) for number in range(count)]


def tool_of(seed: int) -> Tool:
    """Return the tool of a seed."""
    return Tool(random.Random(seed))


def _value(rng: random.Random, depth: int) -> Make:
    """Return what makes values of one form."""
    sort = rng.choice(("object", "object", "list", "map", "scalar") if depth < 3 else ("scalar",))
    if depth == 0:
        sort = rng.choice(("object", "object", "object", "list", "map"))
    if sort == "object":
        fields = {name: _value(rng, depth + 1) for name in rng.sample(NAMES, rng.randint(1, 5))}
        rare = {name for name in fields if rng.random() < 0.15}
        return lambda r, n: {
            name: make(r, n) for name, make in fields.items() if name not in rare or r.random() < 0.5
        }
    if sort == "list":
        item, most = _value(rng, depth + 1), rng.choice((1, 3, 6))
        return lambda r, n: [item(r, n + k) for k in range(r.randint(0, most))]
    if sort == "map":
        each = _value(rng, depth + 1)
        return lambda r, n: {f"k{r.randint(0, 99)}": each(r, n) for _ in range(r.randint(1, 3))}
    return _scalar(rng)


def _scalar(rng: random.Random) -> Make:
    words = rng.sample(WORDS, 3)
    makes: tuple[Make, ...] = (
        lambda _r, n: f"W{n}",
        lambda _r, n: n,
        lambda _r, n: n * 1.25 + 1,
        lambda r, _n: r.choice(words),
        lambda r, _n: r.random() < 0.5,
        lambda r, n: None if r.random() < 0.3 else n,
        lambda _r, n: f"2026-01-{1 + n % 28:02}",
        lambda r, n: f"order {n} is {r.choice(words)}",
        lambda _r, n: f'{{"a": {n}}}',
        lambda r, n: r.choice(words) if r.random() < 0.5 else n,
    )
    return rng.choice(makes)


def changed(rng: random.Random, value: Any) -> Any:
    """Return a value with one to three places changed."""
    value = copy.deepcopy(value)
    for _ in range(rng.randint(1, 3)):
        value = _changed_once(rng, value)
    return value


def _changed_once(rng: random.Random, value: Any) -> Any:
    holder = [value]
    container, key = rng.choice(list(_places(holder)))
    how = rng.choice(("odd", "odd", "odd", "drop", "rename", "wrap", "twice", "unwrap", "swap"))
    there = container[key]
    if how == "drop" and container is not holder:
        del container[key]
    elif how == "rename" and isinstance(container, dict):
        container[rng.choice((*NAMES, 1, None))] = container.pop(key)
    elif how == "wrap":
        container[key] = rng.choice(([there], {"a": there}, {"a.b": there}, {0: there}, [there, there]))
    elif how == "twice" and isinstance(container, list) and container is not holder:
        container.insert(rng.randint(0, len(container)), copy.deepcopy(there))
    elif how == "unwrap" and isinstance(there, dict | list) and there:
        container[key] = next(iter(there.values())) if isinstance(there, dict) else there[0]
    elif how == "swap" and isinstance(there, dict | list):
        container[key] = (
            list(there.values()) if isinstance(there, dict) else {str(n): v for n, v in enumerate(there)}
        )
    else:
        container[key] = copy.deepcopy(rng.choice(ODD))
    return holder[0]


def _places(container: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(container) if isinstance(container, dict) else range(len(container))
    for key in keys:
        yield container, key
        if isinstance(container[key], dict | list):
            yield from _places(container[key])
