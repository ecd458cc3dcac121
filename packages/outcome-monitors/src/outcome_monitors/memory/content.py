"""An answer as a whole, where nothing is asked of it but whether it is another: what `summary` knows it by, and nothing else is made of it.

Its fields and the hashes of its lists tell it from others. Sums and lengths follow from the hashes; how rows stand, what names
them, and the first and the last of them are not part of it, and take longer than all the rest.
"""

from collections.abc import Hashable, Mapping
from typing import Any

from outcome_monitors.records.aggregates import known_by
from outcome_monitors.records.collector import DEEPEST
from outcome_monitors.records.features import MOST, kept
from outcome_monitors.records.reader import LEAST_EXTENT
from outcome_monitors.records.walk import keys_are_data
from outcome_monitors.values.paths import ROOT, below
from outcome_monitors.values.types import Hidden

__all__ = ["Content", "content_of"]

Content = tuple[Hashable, bool]
"""All that an answer says, and whether there is something in it."""

_AS_THEY_ARE = frozenset({bool, int, type(None)})
_PLAIN = frozenset({*_AS_THEY_ARE, float, str})
_OF_A_LIST = 4
"""Features of a list itself: its length, its hash, what names its items, how they stand."""
_OF_A_COLUMN = 4
"""Those of a column: its sum, how it stands, its first value and its last."""


def content_of(answer: Any) -> Content | None:
    """Return what an answer says; None of one that is so wide that not all of it may be kept, or not plain: its features tell."""
    read = _ContentReader()
    if type(answer) is dict and not keys_are_data(answer):
        read.fields(answer, ROOT, DEEPEST)
    else:
        read.value(answer, ROOT, 0)
    return (frozenset(read.said), read.tells) if read.room > 0 else None


class _ContentReader:
    """Reads one answer."""

    __slots__ = ("room", "said", "tells")

    def __init__(self) -> None:
        self.said: list[tuple[str, type, Any]] = []
        self.tells = False
        # What was asked is a feature too.
        self.room = MOST - 1

    def fields(self, value: Mapping[Any, Any], prefix: str, depth: int) -> None:
        """Read an object."""
        for key, inner in value.items():
            if type(key) is str and self.room > 0:
                self.value(inner, below(prefix, key), depth)

    def value(self, value: Any, path: str, depth: int) -> None:
        """Read a value of any sort."""
        python = type(value)
        if python in _PLAIN:
            self._plain(value, path)
        elif python is list or (python is dict and (not depth or keys_are_data(value))):
            self._many(value, path)
        elif python is not dict:
            self.room = 0
        elif depth > 1:
            self.fields(value, path, depth - 1)

    def _plain(self, value: Any, path: str) -> None:
        # Of a long text, its length is a feature too.
        self.room -= 2 if type(value) is str and len(value) >= LEAST_EXTENT else 1
        known = value if type(value) in _AS_THEY_ARE else kept(value)
        self.said.append((path, type(known), known))
        self.tells = self.tells or bool(known)

    def _many(self, values: Any, path: str) -> None:
        """Read a list, or an object whose keys are data."""
        whole = known_by(values)
        first = next(iter(values if type(values) is list else values.values()), None)
        columns = len(first) if type(first) is dict else 1
        # Of what holds something private, nothing is known but by its features.
        self.room -= self.room if isinstance(whole, Hidden) else _OF_A_LIST + _OF_A_COLUMN * columns
        self.said.append((path, list, whole))
        self.tells = self.tells or bool(values)
