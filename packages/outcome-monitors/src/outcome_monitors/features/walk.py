"""One call as the rules see it: every value of the result, filed under its path.

The walk is done once for all rules. It is a function of the call alone, so that what is mined does not depend on the order
of the traces, and it is bounded in depth, width and number, so that a giant result costs no more than a large one.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from outcome_monitors.jsonvalue.paths import ROOT, InText, below, each_item, each_value, in_text, parse
from outcome_monitors.jsonvalue.text import BEGINS, MOST_NESTED, json_in, stable_hash
from outcome_monitors.model import Call

from .limits import RESULT_DEPTH, RESULT_VALUES

# A key that names a thing rather than a field: it carries a number of four digits or more, or is an address.
_DATA_KEY = re.compile(r".*\d{4}|.*@.*\.|\d+\Z", re.DOTALL)


class WalkedCall:
    """The values and objects of one result, by path, in document order."""

    __slots__ = (
        "arguments",
        "hidden",
        "keys",
        "objects",
        "result",
        "session",
        "task",
        "tool",
        "values",
    )

    def __init__(self, call: Call, task: int) -> None:
        self.tool = call.tool
        self.arguments: Mapping[str, Any] = call.arguments
        self.result = call.result
        self.task = task
        self.session = call.session
        self.hidden = False
        """Something private was taken out of the call."""
        self.values: dict[str, list[Any]] = {}
        self.objects: dict[str, list[dict[str, Any]]] = {}
        self.keys: dict[str, list[str]] = {}
        """Under which key each value stood, where keys are data."""


def look(call: Call, depth: int = RESULT_DEPTH) -> WalkedCall:
    """Walk the result of a call; `depth` 1 sees the fields of an object result and no further."""
    seen = WalkedCall(call, task_hash(call))
    names = _names_in(call.arguments)
    values, objects = seen.values, seen.objects
    level: list[tuple[str, Any]] = [(ROOT, call.result)]
    looked = 0
    for remaining in range(depth, -1, -1):
        below_this: list[tuple[str, Any]] = []
        for path, value in level:
            looked += 1
            if looked > RESULT_VALUES:
                return seen
            values.setdefault(path, []).append(value)
            if type(value) is dict:
                objects.setdefault(path, []).append(value)
                if not remaining:
                    continue
                if keys_are_data(value, names):
                    inner = each_value(path)
                    seen.keys.setdefault(inner, []).extend(value)
                    below_this.extend([(inner, item) for item in value.values()])
                else:
                    below_this.extend(
                        [(below(path, key), item) for key, item in value.items() if type(key) is str]
                    )
            elif type(value) is list and remaining and depth > 1:
                inner = each_item(path)
                below_this.extend([(inner, item) for item in value])
            elif type(value) is str and value[:1] in BEGINS and remaining and depth > 1:
                below_this.extend(_in_text(path, value))
        if not below_this:
            break
        level = below_this
    return seen


def _in_text(path: str, text: str) -> Iterator[tuple[str, Any]]:
    """Yield what stands in a text, where it is JSON that is looked into."""
    found = json_in(text)
    if found is not None and parse(path).count(InText.JSON) < MOST_NESTED:
        yield in_text(path), found


def keys_are_data(value: Mapping[str, Any], names: frozenset[str] = frozenset()) -> bool:
    """Say whether an object's keys are data (ids, names that were asked for) rather than names of fields.

    Then its values are rows of one sort, so they must be of one type.
    """
    for key in value:
        # Most objects are told by their first key.
        if type(key) is not str or not (_is_data(key) or key in names):
            return False
    return bool(value) and len(set(map(type, value.values()))) == 1


@lru_cache(maxsize=65536)
def _is_data(key: str) -> bool:
    return _DATA_KEY.match(key) is not None


def _names_in(arguments: Mapping[str, Any]) -> frozenset[str]:
    """Return the texts that the caller listed: an answer may be keyed by them."""
    found: set[str] = set()
    for argument in arguments.values():
        if type(argument) is str:
            found.add(argument)
        elif type(argument) is list:
            found.update(item for item in argument[:1000] if type(item) is str)
    return frozenset(found)


def task_name(call: Call) -> str:
    """Return what a call counts as a witness for: its task, else its run, else nothing but itself."""
    if call.task is not None:
        return call.task
    if call.session is not None:
        return f"session:{call.session}"
    # The same call with the same answer twice is one witness, wherever in the file it stands.
    try:
        content = json.dumps([call.tool, dict(call.arguments), call.result], sort_keys=True, default=repr)
    except (RecursionError, TypeError, ValueError):
        content = call.tool
    return f"call:{stable_hash(content):x}"


def fold_of(call: Call, folds: int) -> int:
    """Return the fold of a call: that of its task, so that no task is ever split."""
    return stable_hash(task_name(call)) % folds


def task_hash(call: Call) -> int:
    """Return the hash that a call's task is known by."""
    return stable_hash(task_name(call))
