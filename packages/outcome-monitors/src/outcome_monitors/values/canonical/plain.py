"""Whether a value is plain JSON already: most are, and nothing else is to be done with them."""

from itertools import chain
from typing import Any

__all__ = ["PLAIN", "SCALARS", "is_plain", "is_plain_object"]

SCALARS = frozenset((str, int, float, bool, type(None)))
PLAIN = SCALARS | {dict, list}
DEEPEST = 100
"""Levels that are looked at; what is nested deeper, a cycle for one, is not taken for plain."""

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
