"""From any object to its canonical form; most values are plain JSON already, and nothing else is to be done with them."""

import json
import logging
from collections.abc import Mapping
from itertools import chain, islice
from typing import Any, Final

from outcome_monitors.values.types import Hidden

from .objects import Opaque, items_of, key_of, lifted, single
from .texts import LONGEST, read_text
from .wrappers import HOLDERS, TYPES, held_by, opened, printed_message

__all__ = [
    "NOT_JSON",
    "PLAIN",
    "SCALARS",
    "arguments_of",
    "canonical",
    "is_plain",
    "is_plain_object",
    "made_plain",
    "of_decoded",
    "unwrapped",
]

log = logging.getLogger("outcome_monitors")

MOST_LOGGED = 100
"""Types, and reasons why one could not be made JSON, that are logged in a process: each once."""
_logged: set[tuple[str, str]] = set()


def _stand_in(name: str, why: str) -> str:
    """Return the text that stands for what could not be made JSON, and log why."""
    if (name, why) not in _logged and len(_logged) < MOST_LOGGED:
        _logged.add((name, why))
        log.warning(
            "a %s in a result could not be made JSON (%s); the text <%s> stands for it", name, why, name
        )
    return f"<{name}>"


SCALARS = frozenset((str, int, float, bool, type(None)))
PLAIN = SCALARS | {dict, list}
DEEPEST = 100
"""Levels that are looked at, or made JSON; what is nested deeper, a cycle for one, is not taken for plain."""

_flat = chain.from_iterable
_values = dict.values


def is_plain(value: Any, levels: int = DEEPEST) -> bool:
    """Say whether a value is of plain dicts, lists, texts, numbers, booleans and None alone, to the last one."""
    kind = type(value)
    if kind in SCALARS:
        return True
    if kind is list:
        return _plain_items(value, levels)
    return kind is dict and is_plain_object(value, levels)


def is_plain_object(value: dict[Any, Any], levels: int = DEEPEST) -> bool:
    """Say the same of a dict."""
    # A loop: records have a dozen fields, for which anything that is prepared first takes longer.
    for key, item in value.items():
        if type(key) is not str:
            return False
        kind = type(item)
        if kind in SCALARS:
            continue
        if kind is dict:
            if not levels or not is_plain_object(item, levels - 1):
                return False
        elif kind is not list or not levels or not _plain_items(item, levels - 1):
            return False
    return True


def _plain_items(items: list[Any], levels: int) -> bool:
    kinds = set(map(type, items))
    if kinds <= SCALARS:
        return True
    if not levels or not kinds <= PLAIN:
        return False
    rows = [item for item in items if type(item) is dict] if dict in kinds else []
    # All rows have the keys of the first, or nearly so.
    if rows and set(map(type, rows[0])) - {str}:
        return False
    # Of all rows together: one at a time takes longer than to hold them against their contract.
    lists = [item for item in items if type(item) is list] if list in kinds else []
    return _plain_items([*_flat(map(_values, rows)), *_flat(lists)], levels - 1)


NOT_JSON: Final = object()
"""Stands for a result that is not JSON and cannot be made so."""
MOST_VALUES = 500_000
"""Values of one that is."""
MOST_WRAPPERS = 4
"""Wrappers in each other that are taken off."""


def canonical(result: Any) -> Any:
    """Return the JSON that a result stands for, or `NOT_JSON`; what is plain, and no wrapper, stays the same object."""
    try:
        # The common case by itself, without a call that is not needed: a record of the tool's own (`_may_hold`).
        if (
            type(result) is dict
            and "type" not in result
            and "content" not in result
            and "lc" not in result
            and is_plain_object(result)
        ):
            return result
        if type(result) is str and result[:1] == "{" and len(result) <= LONGEST:
            value = _read_object(result)
            if value is not None:
                return value
        value = _opened(result)
        # A model may write itself as what a framework wraps results in.
        return value if is_plain(value) else _opened(_made(value))
    except Exception as error:  # noqa: BLE001 - objects of the host may do anything
        _stand_in(type(result).__name__, f"it raised {type(error).__name__}")
        return NOT_JSON


def of_decoded(value: Any) -> Any:
    """Return the canonical form of what was read from JSON: that is plain, so only texts and wrappers are looked at."""
    if type(value) is dict and not _may_hold(value):
        return value
    try:
        found = _opened(value)
        return found if found is value or is_plain(found) else _opened(_made(found))
    except Exception as error:  # noqa: BLE001 - what a text holds may be odd
        _stand_in(type(value).__name__, f"it raised {type(error).__name__}")
        return NOT_JSON


def _read_object(text: str) -> dict[str, Any] | None:
    """Return the object that a text is as JSON writes it, where it is no wrapper; None of all other texts."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if type(value) is not dict or _may_hold(value):
        return None
    # What JSON is read from is plain, unless it is nested too deeply: what has so few brackets is not.
    shallow = text.count("{") + text.count("[") <= DEEPEST
    return value if shallow or is_plain_object(value) else None


def made_plain(value: Any) -> Any:
    """Return a value as plain JSON, or `NOT_JSON`; nothing is taken off, and no text is read."""
    try:
        return value if is_plain(value) else _made(value)
    except Exception as error:  # noqa: BLE001 - as above
        _stand_in(type(value).__name__, f"it raised {type(error).__name__}")
        return NOT_JSON


def _opened(value: Any) -> Any:
    for _ in range(MOST_WRAPPERS):
        value, before = unwrapped(value), value
        if value is before:
            break
    return value


def arguments_of(arguments: Any) -> Mapping[str, Any]:
    """Return a call's arguments: an object, the text of one, or a model that holds one. Nothing is taken off them."""
    try:
        value = read_text(arguments) if type(arguments) is str else arguments
        made = value if is_plain(value) else _made(value)
    except Exception as error:  # noqa: BLE001 - as above
        _stand_in(type(arguments).__name__, f"it raised {type(error).__name__}")
        return {}
    return made if isinstance(made, dict) else {}


def unwrapped(value: Any) -> Any:
    """Return what a value holds, where it is a text that can be read or a wrapper; else the value itself."""
    kind = type(value)
    if kind is str:
        return read_text(printed_message(value))
    if kind is dict:
        return opened(value) if _may_hold(value) else value
    if kind is list:
        first = value[0] if value else None
        return opened(value) if type(first) is dict and _may_be_block(first) else value
    if kind in SCALARS:
        return value
    if kind.__name__ in HOLDERS:
        held = held_by(value)
        if held is not None:
            return held[0]
    if isinstance(value, str):
        return str.__str__(value)
    return value if isinstance(value, (list, dict)) else _lifted_block(value)


def _may_hold(value: dict[Any, Any]) -> bool:
    """Say whether an object may be a wrapper, by the three fields of which each has one."""
    return "type" in value or "content" in value or "lc" in value


def _may_be_block(first: dict[str, Any]) -> bool:
    kind = first.get("type")
    return type(kind) is str and kind in TYPES


def _lifted_block(value: Any) -> Any:
    """Return a block of a framework as the object it writes itself as; any other object as it is."""
    kind = getattr(value, "type", None)
    text = getattr(value, "text", None)
    if type(kind) is str and kind in TYPES and type(text) is str:
        return {"type": "text", "text": text}
    return value


def _made(value: Any) -> Any:
    """Make JSON of a value that is not plain; raise where it is too large."""
    maker = _Maker()
    made = maker.make(value, DEEPEST)
    return NOT_JSON if maker.opaque_root or maker.left <= 0 else made


class _Maker:
    """Makes JSON of one value, within bounds."""

    def __init__(self) -> None:
        self.left = MOST_VALUES
        self.opaque_root = False
        self._above: set[int] = set()
        """What stands around the value at hand: to meet it again is a cycle."""

    def make(self, value: Any, levels: int) -> Any:
        """Return what a value stands for; a text in its place where there is no telling."""
        if type(value) in SCALARS or isinstance(value, Hidden):
            return value
        if self.left <= 0:
            return None
        found = single(value)
        if found is not None:
            return found[0]
        if not levels or id(value) in self._above:
            return _stand_in(type(value).__name__, "it holds itself" if levels else "it is nested too deeply")
        self._above.add(id(value))
        try:
            return self._container(value, levels - 1)
        except Opaque as why:
            self.opaque_root |= levels == DEEPEST
            return _stand_in(type(value).__name__, str(why))
        finally:
            self._above.discard(id(value))

    def _container(self, value: Any, levels: int) -> Any:
        if isinstance(value, Mapping):
            # Listed within the bound: a mapping may have no end.
            keys = list(islice(iter(value), self.left))
            self.left -= len(keys)
            return {key_of(key): self.make(value[key], levels) for key in keys}
        items = items_of(value, self.left)
        if items is not None:
            self.left -= len(items)
            made = [self.make(item, levels) for item in items]
            return sorted(made, key=repr) if isinstance(value, (set, frozenset)) else made
        return self.make(self._lift(value), levels)

    def _lift(self, value: Any) -> Any:
        try:
            return lifted(value)
        except Opaque:
            raise
        except Exception as error:  # noqa: BLE001 - objects of the host may do anything
            raise Opaque(f"its conversion raised {type(error).__name__}") from None
