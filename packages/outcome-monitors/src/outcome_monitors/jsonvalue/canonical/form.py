"""From any object to its canonical form; most values are plain JSON already, and nothing else is to be done with them."""

import logging
from collections.abc import Callable, Collection, Mapping
from itertools import islice
from typing import Any, Final

from outcome_monitors.jsonvalue.types import Hidden

from .objects import ITEMS, Opaque, key_of, lifted, single
from .texts import read_text
from .wrappers import TYPES, held_by, opened, printed_message

__all__ = ["NOT_JSON", "PLAIN", "arguments_of", "canonical", "is_plain", "made_plain"]

log = logging.getLogger("outcome_monitors")

MOST_LOGGED = 100
"""Types, and reasons why one could not be made JSON, that are logged in a process: each once."""
_logged: set[tuple[str, str]] = set()

SCALARS = frozenset((str, int, float, bool, type(None)))
_TEXTS = frozenset((str,))
PLAIN = SCALARS | {dict, list}
DEEPEST = 100
"""Levels that are looked at, or made JSON; what is nested deeper, a cycle for one, is not taken for plain."""
NOT_JSON: Final = object()
"""Stands for a result that is not JSON and cannot be made so."""
MOST_VALUES = 500_000
"""Values of one that is."""
MOST_WRAPPERS = 4
"""Wrappers in each other that are taken off."""


def is_plain(value: Any, levels: int = DEEPEST) -> bool:
    """Say whether a value is of plain dicts, lists, texts, numbers, booleans and None alone, to the last one."""
    kind = type(value)
    items: Collection[Any]
    if kind is dict:
        if not _TEXTS.issuperset(map(type, value)):
            return False
        items = value.values()
    elif kind is list:
        items = value
    else:
        return kind in SCALARS
    kinds = set(map(type, items))
    if kinds <= SCALARS:
        return True
    inner = [item for item in items if type(item) not in SCALARS]
    return levels > 0 and kinds <= PLAIN and all(is_plain(item, levels - 1) for item in inner)


def canonical(result: Any) -> Any:
    """Return the JSON that a result stands for, or `NOT_JSON`; what is plain, and no wrapper, stays the same object."""

    def make(value: Any) -> Any:
        value = _unwrapped(value)
        # A model may write itself as what a framework wraps results in.
        return value if is_plain(value) else _unwrapped(_made(value))

    return _safely(make, result)


def made_plain(value: Any) -> Any:
    """Return a value as plain JSON, or `NOT_JSON`; nothing is taken off, and no text is read."""
    return _safely(_made, value)


def arguments_of(arguments: Any) -> Mapping[str, Any]:
    """Return a call's arguments: an object, the text of one, or a model that holds one. Nothing is taken off them."""
    made = made_plain(read_text(arguments) if type(arguments) is str else arguments)
    return made if isinstance(made, dict) else {}


def _safely(make: Callable[[Any], Any], value: Any) -> Any:
    try:
        return make(value)
    except Exception as error:  # noqa: BLE001 - objects of the host may do anything
        _stand_in(type(value).__name__, f"it raised {type(error).__name__}")
        return NOT_JSON


def _stand_in(name: str, why: str) -> str:
    """Return the text that stands for what could not be made JSON, and log why."""
    if (name, why) not in _logged and len(_logged) < MOST_LOGGED:
        _logged.add((name, why))
        log.warning(
            "a %s in a result could not be made JSON (%s); the text <%s> stands for it", name, why, name
        )
    return f"<{name}>"


def _unwrapped(value: Any) -> Any:
    for _ in range(MOST_WRAPPERS):
        value, before = _held(value), value
        if value is before:
            break
    return value


def _held(value: Any) -> Any:
    """Return what a value holds, where it is a text that can be read or a wrapper; else the value itself."""
    kind = type(value)
    if kind is str:
        return read_text(printed_message(value))
    if kind is dict or kind is list:
        return opened(value)
    if kind in SCALARS:
        return value
    held = held_by(value)
    if held is not None:
        return held[0]
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (list, dict)):
        return value
    # A block of a framework that stands alone.
    sort, text = getattr(value, "type", None), getattr(value, "text", None)
    is_block = type(sort) is str and sort in TYPES and type(text) is str
    return {"type": "text", "text": text} if is_block else value


def _made(value: Any) -> Any:
    """Make JSON of a value; raise where it is too large."""
    if is_plain(value):
        return value
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
        if isinstance(value, ITEMS):
            items = list(islice(iter(value), self.left))
            self.left -= len(items)
            made = [self.make(item, levels) for item in items]
            return sorted(made, key=repr) if isinstance(value, (set, frozenset)) else made
        try:
            inner = lifted(value)
        except Opaque:
            raise
        except Exception as error:  # noqa: BLE001 - objects of the host may do anything
            raise Opaque(f"its conversion raised {type(error).__name__}") from None
        return self.make(inner, levels)
