"""Contracts to try results on: those that were mined, with clauses left out, put at other places, and some that people write."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from outcome_monitors import Clause, Contract
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.rules import KINDS

__all__ = ["small_value", "varied", "written"]

_PATHS_TEXT = """
a a.b id [] [].a [].id items items[].a * *.a a[json] a[json].a [0] a[0] [0].a [].* *[] a.b[].a
["a.b"] ["[]"] ["a.b"].a []["a.b"] ["*"]
"""
_FEATURES = """
.a .id .a.b .["a.b"] #items #items[] %items[].id %[].id %[] %a.b[].a ~a =a |items | +[].a
<items[].id >[].a $ @id @n @ @:a.b @#a @~a +items[].total .total . %a[] %* =[]
"""
_WORDS = """
a id a.b u d equal less date string integer object array null boolean W 2026-01-02
all begun narrow widest text list classes line sum quotient apology
"""
_PATHS = ("", '["x y"]', *_PATHS_TEXT.split())
MOST_TRIES = 2000
_SOME, _NONE = object(), object()
_VALUES: tuple[Any, ...] = (
    _SOME,
    *_FEATURES.split(),
    *_WORDS.split(),
    *("", "alike runs", 0, 1, 2, 3, -1, 10, 0.5, 1.0, True, False, None),
    *([], [["a", 1]], [0, 10], ["a", "id"], [".a", ".id"], ["string"], ["paid"], ["markup", "http status"]),
    *({}, {"a": 1}, {"a": [0, 10]}, {"W1": ["1", "W1"], "a": ["a"]}, {"paid": ["filled"]}),
    *({"path": "total"}, {"path": "items[].total"}),
    {"path": "items[].total", "by": "status", "signs": {"paid": 1, "sent": -1}},
)
"""What parameters can be."""


def varied(rng: random.Random, contract: Contract) -> Contract:
    """Return a contract that is like another."""
    moved = rng.choice((0.0, 0.1, 0.5))
    share = rng.choice((1.0, 0.7, 0.3))
    clauses = [clause for clause in contract.clauses if rng.random() < share]
    clauses = [_elsewhere(rng, clause) if rng.random() < moved else clause for clause in clauses]
    clauses += [written(rng) for _ in range(rng.choice((0, 1, 3, 6)))]
    rng.shuffle(clauses)
    return replace(contract, clauses=tuple(clauses))


def _elsewhere(rng: random.Random, clause: Clause) -> Clause:
    dotted = {"a.b": '["a.b"]', '["a.b"]': "a.b"}
    return replace(clause, path=dotted.get(clause.path, rng.choice(_PATHS)))


def written(rng: random.Random, name: str | None = None) -> Clause:
    """Return a clause as people could write it: of any kind, anywhere, with parameters that its kind takes."""
    for _ in range(MOST_TRIES):
        kind = KINDS[rng.choice(list(KINDS)) if name is None else name]
        params = {name: _value(rng, takes) for name, takes in kind.params.items()}
        params = {name: value for name, value in params.items() if value is not _NONE}
        try:
            kind.validate(params, "a clause")
        except OutcomeMonitorsError:
            continue
        return Clause(kind.name, rng.choice(_PATHS), params, 9, 9, "hand")
    raise AssertionError(f"no value here suits a parameter of {name}: add one to _VALUES")


def _value(rng: random.Random, takes: Callable[[Any], bool]) -> Any:
    for value in rng.sample(_VALUES, len(_VALUES)):
        found: Any = value
        if value is _SOME:
            found = [rng.choice(_VALUES[1:]) for _ in range(rng.randint(1, 3))]
        try:
            if takes(found):
                return found
        except Exception:  # noqa: BLE001 - what it does not take
            continue
    return _NONE


_KEYS = ("a", "b", "id", "items", "a.b", "total", "status", "n")
_SMALL = (
    *(None, True, 0, 1, 2, 3, 1.5, -0.0, float("nan"), 10**400),
    *("a", "id", "paid", "W1", "", "2026-01-02", '{"a": 1}', '{"id": 2, "items": [{"id": 1}, {"id": 1}]}'),
)


def small_value(rng: random.Random, depth: int = 0, *, objects: bool = False) -> Any:
    """Return a small value, of the names that clauses speak of; now and then a key is no text."""
    chance = 0.0 if objects else rng.random()
    if depth < 3 and chance < 0.45:
        keys = [
            key if rng.random() < 0.97 else rng.choice((1, None, True, 1.5))
            for key in rng.sample(_KEYS, rng.randint(0, 4))
        ]
        return {key: small_value(rng, depth + 1) for key in keys}
    if depth < 3 and chance < 0.65:
        return [small_value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return rng.choice(_SMALL)
