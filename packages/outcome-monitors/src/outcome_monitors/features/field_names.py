"""What the name of a field says: that its value names a thing, is a state that changes, a count or a time."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from outcome_monitors.jsonvalue.paths import parse
from outcome_monitors.jsonvalue.text import last_word, words
from outcome_monitors.jsonvalue.times import when

from .feature import Feature

IDS = frozenset(
    """
    code email guid handle iban id ident key login number ref reference sha sku slug symbol ticker url
    username uuid
    """.split()  # noqa: SIM905 - words read better as words
)
"""The last words of fields that say which thing a record is about."""


@lru_cache(maxsize=16384)
def names_a_thing(feature: Feature) -> bool:
    """Say whether a feature names what a record is about."""
    steps = feature.steps
    return bool(steps) and isinstance(steps[-1], str) and last_word(steps[-1]) in IDS


_STATE = frozenset(
    """
    availability available backlog balance battery busy count counts current currently enabled humidity inventory left level
    occupancy online paused pending phase position progress qty quantity queue queued rank remaining score stage state status stock temperature
    unread usage used
    """.split()  # noqa: SIM905 - words read better as words
)
"""Words of a name that say how a thing stands."""
_COUNTED = frozenset(
    """
    amount bytes difference discount fee found hits length lines matches refund results rows size sum total words
    """.split()  # noqa: SIM905 - as above
)
"""Words of a name that, beside those of state, say how much or how many there is of something."""
_MOMENT = frozenset(
    """
    age ago clock date datetime day daylight dst elapsed eta expires hour hours minute minutes month now recent recently second
    since time timestamp today tomorrow until uptime week weekday year yesterday
    """.split()  # noqa: SIM905 - as above
)
"""Words of a name that say when."""
_SUFFIXES = ("at", "on")
"""Last words that say when, behind another: `created_at`, `shipped_on`."""


@lru_cache(maxsize=16384)
def is_state(path: str) -> bool:
    """Say whether a name tells how a thing stands, which a write, or time alone, may change."""
    return not _STATE.isdisjoint(_named(path))


@lru_cache(maxsize=16384)
def counts(path: str) -> bool:
    """Say whether a name, or the one above it, tells how much or how many, of which there may be none."""
    above = [step for step in parse(path) if isinstance(step, str)][-2:-1]
    standing = (_STATE.isdisjoint(words(name)) for name in above)
    return is_state(path) or not all(standing) or not _COUNTED.isdisjoint(_named(path))


@lru_cache(maxsize=16384)
def is_moment(path: str) -> bool:
    """Say whether a name tells when."""
    named = _named(path)
    return not _MOMENT.isdisjoint(named) or (len(named) > 1 and named[-1] in _SUFFIXES)


def _named(path: str) -> tuple[str, ...]:
    """Return the words of the last name in a path."""
    names = [step for step in parse(path) if isinstance(step, str)]
    return words(names[-1]) if names else ()


def has_time(values: Iterable[Any]) -> bool:
    """Say whether any of some values is a date or a time."""
    return any(when(value) is not None for value in values)
