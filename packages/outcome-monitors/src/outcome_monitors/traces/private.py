"""Private values: what must not be kept is taken out of a call before anything looks at it.

A private path names a place in a result as clauses do (`customer.email`, `items[].card`); with `@` before it, a place in the
arguments (`@password`). What stands there, whole, gives way to a `Hidden` value of its kind. So no private value can reach
a state, a clause or a hash: mining gives the same for any other values of the same kinds.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.jsonvalue.paths import Step, parse, replaced
from outcome_monitors.jsonvalue.types import HIDDEN, Hidden, kind_of
from outcome_monitors.model import Call

BLANKS: dict[str, Any] = {
    "boolean": False,
    "integer": 0,
    "number": 0.5,
    "string": "[private]",
    "array": [],
    "object": {},
}
"""What is recorded in the place of something private: nothing but its kind can be read off it."""

Hide = Callable[[Call], Call]
"""Returns a call without what is private; the very same call where there is nothing."""


def private_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """Return paths, each once and in order; refuse what is none."""
    for path in paths:
        try:
            steps = parse(path.removeprefix("@"))
        except ValueError as error:
            raise OutcomeMonitorsError(f"cannot hide {path!r}: {error}") from None
        if any(isinstance(step, int) for step in steps):
            raise OutcomeMonitorsError(
                f"cannot hide {path!r}: [] stands for every item, a single one cannot be named"
            )
        if path == "@":
            raise OutcomeMonitorsError("cannot hide '@': name an argument, as in @password")
    return tuple(sorted(set(paths)))


def hider(paths: Iterable[str]) -> Hide:
    """Return the function that hides what stands at the paths."""
    results = [parse(path) for path in paths if not path.startswith("@")]
    arguments = [parse(path[1:]) for path in paths if path.startswith("@")]

    def hide(call: Call) -> Call:
        result = _without(call.result, results)
        asked = _without(call.arguments, arguments)
        if result is call.result and asked is call.arguments:
            return call
        return replace(call, arguments=asked, result=result)

    return hide


def redacted(paths: Iterable[str]) -> list[str]:
    """Return private paths as events name places: `result.customer.email`, `arguments.password`."""
    sides = (("arguments", path[1:]) if path.startswith("@") else ("result", path) for path in paths)
    return [f"{side}{'' if path.startswith('[') or not path else '.'}{path}" for side, path in sides]


def blanked(call: Call, hide: Hide) -> Call:
    """Return a call that can be written, with an empty value of the same kind where something private stood."""
    hidden = hide(call)
    if hidden is call:
        return call
    return replace(hidden, arguments=_blank(hidden.arguments), result=_blank(hidden.result))


def _blank(value: Any) -> Any:
    if isinstance(value, Hidden):
        return BLANKS.get(value.kind)
    if isinstance(value, dict):
        return {key: _blank(item) for key, item in value.items()}
    return [_blank(item) for item in value] if isinstance(value, list) else value


def _without(value: Any, places: Iterable[tuple[Step, ...]]) -> Any:
    for steps in places:
        value = replaced(value, steps, _hidden)
    return value


def _hidden(value: Any) -> Any:
    return value if value is None or isinstance(value, Hidden) else HIDDEN[kind_of(value)]()
