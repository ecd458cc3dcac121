"""What names a thing: a field whose name says so (`order_id`, `email`), and the members of a list by what names each of them."""

from functools import lru_cache
from typing import Any

from outcome_monitors.jsonvalue.hashing import stable_hash
from outcome_monitors.jsonvalue.json_in_text import BEGINS
from outcome_monitors.jsonvalue.words import last_word

from .feature import Feature

__all__ = ["IDS", "members", "names_a_thing"]

IDS = frozenset(
    """
    code email guid handle iban id ident key login number ref reference sha sku slug symbol ticker url
    username uuid
    """.split()  # noqa: SIM905 - words read better as words
)
"""The last words of fields that say which thing a record is about."""
_NAMES = frozenset({"name", "title", "filename", "label"})
"""The last words of those that mostly do, where nothing better is there."""
_WORDS = frozenset({"body", "message", "question", "subject", "summary", "text"})
"""The last words of what somebody wrote, and nobody writes twice: a message that was sent stays as it is."""

MOST_MEMBERS = 64
"""Of a longer list nothing is known by its members."""
LONGEST_MEMBER = 64
"""Longer names are known by their hash."""


@lru_cache(maxsize=16384)
def names_a_thing(feature: Feature) -> bool:
    """Say whether a feature names what a record is about."""
    steps = feature.steps
    return bool(steps) and isinstance(steps[-1], str) and last_word(steps[-1]) in IDS


def members(value: Any) -> tuple[str, ...] | None:
    """Return what names each item of a list, or the keys of an object, in order and each once; None where there is no telling."""
    named = [*value] if isinstance(value, dict) else _named(value) if isinstance(value, list) else None
    if named is None or len(named) > MOST_MEMBERS or not _CAN_NAME.issuperset(map(type, named)):
        return None
    return tuple(sorted({*map(_member, named)}))


_CAN_NAME = frozenset({str, int})


def _named(items: list[Any]) -> list[Any] | None:
    """Return the items, or the field of each that names it."""
    if not items or type(items[0]) is not dict:
        return items
    if len(items) > MOST_MEMBERS or set(map(type, items)) != {dict}:
        return None
    key = _key(tuple(items[0]))
    named = [] if key is None else [item.get(key) for item in items]
    # JSON in a text is an answer of its own.
    return None if key is None or any(map(_begins_json, named)) else named


@lru_cache(maxsize=4096)
def _key(fields: tuple[Any, ...]) -> str | None:
    """Return the field of a row that names it: the first whose name says so."""
    names: list[str] = sorted((name for name in fields if type(name) is str), key=len)
    for words in (IDS, _NAMES, _WORDS):
        found = next((name for name in names if last_word(name) in words), None)
        if found is not None:
            return found
    return None


def _begins_json(value: Any) -> bool:
    return type(value) is str and value[:1] in BEGINS


def _member(item: str | int) -> str:
    text = item if isinstance(item, str) else str(item)
    return text if len(text) <= LONGEST_MEMBER else f"\0{stable_hash(text):x}"
