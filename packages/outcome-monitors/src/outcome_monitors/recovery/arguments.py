"""How the arguments of one call become those of another: the small notation of a relation's `arguments`.

    {"symbol": "ticker"}               the value is handed on under another name
    {"symbol": "tickers[]"}            as the only item of a list
    {"tickers[]": "symbol"}            the only item of a list
    {"tickers[0]": "symbol"}           the first item of a list
    {"place": "{city}, {country}"}     one text is taken apart
    {"{city}, {country}": "place"}     several are put together
    {"$.order_id": "order_id"}         the value stands in the result, not in the arguments

The left side is of the call that was made, the right side of the call to be made.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from outcome_monitors.jsonvalue.paths import select
from outcome_monitors.model import Json

__all__ = ["RESULT", "arguments_for", "slots"]

RESULT = "$."
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
