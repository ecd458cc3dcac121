"""How the arguments of one call become those of another: the small notation of a relation's `arguments`.

    {"symbol": "ticker"}               the value is handed on under another name
    {"symbol": "tickers[]"}            as the only item of a list
    {"tickers[]": "symbol"}            the only item of a list
    {"tickers[0]": "symbol"}           the first item of a list
    {"place": "{city}, {country}"}     one text is taken apart
    {"{city}, {country}": "place"}     several are put together
    {"$.order_id": "order_id"}         the value stands in the result, not in the arguments
    {"= 2": "page"}                    a value of its own

The left side is of the call that was made, the right side of the call to be made. What a call needs and no mapping gives is taken from
what the session has named: the newest order, path or page of that name.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from outcome_monitors.jsonvalue.paths import select
from outcome_monitors.jsonvalue.text import words
from outcome_monitors.model import Json
from outcome_monitors.rules.built_in.vocabulary import named

RESULT, VALUE = "$.", "= "
ENUM = "enum:"
"""Before the words that an argument may be, where its type stands."""
_MISSING = object()
_SLOT = re.compile(r"\{([^{}]+)\}")


def arguments_for(
    mapping: Mapping[str, str], arguments: Mapping[str, Json], result: Json
) -> dict[str, Json] | None:
    """Return the arguments of the other call; None where no mapping is known or nothing of it applies."""
    made: dict[str, Json] = {}
    for source, target in mapping.items():
        value = _taken(source, arguments, result)
        if value is not _MISSING:
            _give(target, value, made)
    return made or None


@lru_cache(maxsize=4096)
def slots(template: str) -> tuple[str, ...]:
    """Return the names in a template; none where it is a plain name."""
    return tuple(_SLOT.findall(template))


def _taken(source: str, arguments: Mapping[str, Json], result: Json) -> Any:
    if source.startswith(RESULT):
        return next((value for _, value in select(result, source.removeprefix(RESULT))), _MISSING)
    if source.startswith(VALUE):
        return json.loads(source.removeprefix(VALUE))
    names = slots(source)
    if names:
        if not all(type(arguments.get(name)) in {str, int} for name in names):
            return _MISSING
        return _SLOT.sub(lambda slot: str(arguments[slot[1]]), source)
    if source.endswith(("[]", "[0]")):
        items = arguments.get(source[: source.rindex("[")])
        if not isinstance(items, list) or not items or (len(items) > 1 and source.endswith("[]")):
            return _MISSING
        return items[0]
    return arguments.get(source, _MISSING)


def _give(target: str, value: Json, made: dict[str, Json]) -> None:
    names = slots(target)
    if names:
        found = _pattern(target).fullmatch(value) if isinstance(value, str) else None
        made.update(zip(names, found.groups(), strict=True) if found else ())
    elif target.endswith("[]"):
        made[target[:-2]] = [value]
    else:
        made[target] = value


@lru_cache(maxsize=1024)
def _pattern(template: str) -> re.Pattern[str]:
    fixed = [re.escape(part) for part in _SLOT.split(template)[::2]]
    return re.compile("(.+?)".join(fixed))


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


def complete(
    tool: str,
    made: Mapping[str, Json] | None,
    needed: Mapping[str, str],
    asked: Mapping[str, Json],
    known: Mapping[str, Json],
) -> dict[str, Json] | None:
    """Return the arguments of a call with all that it needs; None where one lacks or does not fit.

    What no mapping gave is taken from what the failed call was `asked` under the same name, or else from what the session has named.
    """
    call = {} if made is None else dict(made)
    for name, kind in needed.items():
        value = call.get(name, _MISSING)
        if value is _MISSING and words(name) not in _BARE:
            value = asked.get(name, _MISSING)
        if value is _MISSING:
            value = known.get(_key(name, _noun(tool)), _MISSING)
        if value is _MISSING or not _fits(value, kind):
            return None
        call[name] = value
    return call


def _fits(value: Json, kind: str) -> bool:
    if kind.startswith(ENUM):
        return str(value) in kind.removeprefix(ENUM).split("|")
    types = (list,) if kind.endswith("[]") else _TYPES.get(kind)
    return types is None or (isinstance(value, types) and (types == (bool,) or not isinstance(value, bool)))


MOST_KNOWN, MOST_FIELDS, DEEPEST, LONGEST = 200, 40, 3, 120
_NAMING = named("id uuid key code number slug sha ref path file filename uri url symbol ticker email")
"""Last words of names of one thing: a text that was asked for, or a limit, is not what another call is about."""


_BARE = frozenset((word,) for word in named("id name key code number type"))
"""Names of arguments that mean something else to each tool."""


class SessionValues:
    """What the calls and answers of a session have named, by the name of an argument that takes it; bounded."""

    def __init__(self) -> None:
        self.newest: dict[str, Json] = {}

    def observe(self, tool: str, arguments: Mapping[str, Json], result: Json) -> None:
        """Keep what a call was given, and what its answer names; a list of several names none of them."""
        for value in (arguments, result):
            for name, newest in _named(value, _noun(tool), 0):
                self.newest.pop(name, None)
                self.newest[name] = newest
        while len(self.newest) > MOST_KNOWN:
            self.newest.pop(next(iter(self.newest)))


def _named(value: Json, noun: str, depth: int) -> Iterator[tuple[str, Json]]:
    if isinstance(value, list) and len(value) == 1:
        yield from _named(value[0], noun, depth + 1)
    if not isinstance(value, dict) or depth > DEEPEST or len(value) > MOST_FIELDS:
        return
    for name, item in value.items():
        if isinstance(item, list | dict):
            yield from _named(item, _noun(name), depth + 1)
        elif (type(item) is int or (type(item) is str and 0 < len(item) <= LONGEST)) and _key(name, noun):
            yield _key(name, noun), item


@lru_cache(maxsize=4096)
def _noun(name: str) -> str:
    """Return the last word of a name, in the singular: what a tool, or a field that holds things, is about."""
    return (words(name) or ("",))[-1].removesuffix("s")


@lru_cache(maxsize=4096)
def _key(name: str, noun: str) -> str:
    """Return what an argument or a field names, in one spelling; a bare `id` is that of its noun; empty where it names nothing."""
    found = words(name)
    if not found or found[-1] not in _NAMING:
        return ""
    return noun + found[0] if found == ("id",) else "".join(found)
