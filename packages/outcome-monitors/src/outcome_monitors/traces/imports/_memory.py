"""What an import remembers, within bounds: calls that wait for their result, and what was seen before."""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

__all__ = ["Lately", "Waiting"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

WAITING = 20_000
LATELY = 100_000


class Waiting(Generic[Key, Value]):
    """Values that wait for their counterpart; those that have waited longest fall out first."""

    def __init__(self, most: int = WAITING) -> None:
        self._most = most
        self._held: OrderedDict[Key, Value] = OrderedDict()

    def put(self, key: Key, value: Value) -> Value | None:
        """Let a value wait; return the one that falls out, if any."""
        replaced = self._held.pop(key, None)
        self._held[key] = value
        if replaced is None and len(self._held) > self._most:
            return self._held.popitem(last=False)[1]
        return None

    def get(self, key: Key) -> Value | None:
        """Return the value that waits, which goes on waiting."""
        return self._held.get(key)

    def take(self, key: Key) -> Value | None:
        """Return the value that waits no more."""
        return self._held.pop(key, None)

    def rest(self) -> Iterator[Value]:
        """Yield, and forget, all that wait in vain."""
        while self._held:
            yield self._held.popitem(last=False)[1]


class Lately(Generic[Key, Value]):
    """What was said lately: the last `most` keys at least, twice as many at most."""

    def __init__(self, most: int = LATELY) -> None:
        self._most = most
        self._new: dict[Key, Value] = {}
        self._old: dict[Key, Value] = {}

    def get(self, key: Key) -> Value | None:
        """Return what was said of a key."""
        found = self._new.get(key)
        return self._old.get(key) if found is None else found

    def put(self, key: Key, value: Value) -> None:
        """Remember."""
        if len(self._new) >= self._most:
            self._old, self._new = self._new, {}
        self._new[key] = value
