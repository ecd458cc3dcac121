"""Which conversation a call belongs to: by a name, or by an object that lives as long as the run does."""

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar
from uuid import uuid4

T = TypeVar("T")

MOST = 1000
"""Conversations that are remembered; the least recently used goes first."""


class Runs(Generic[T]):
    """What each run has of its own, started when a run is first heard of. Safe under threads."""

    def __init__(self, start: Callable[[str | None], T], most: int = MOST) -> None:
        self._start = start
        self._most = most
        self._lock = threading.Lock()
        self._named: OrderedDict[str, T] = OrderedDict()
        self._of_objects: dict[int, tuple[T, Any]] = {}

    def of(self, run: object) -> T:
        """Return what a run has: the run is a name or an object of its own. Without one, it is started anew."""
        if run is None or (isinstance(run, str) and not run):
            return self._start(None)
        return self._by_name(run) if isinstance(run, str) else self._by_object(run)

    def __len__(self) -> int:
        return len(self._named) + len(self._of_objects)

    def _by_name(self, name: str) -> T:
        with self._lock:
            if name in self._named:
                self._named.move_to_end(name)
            else:
                self._named[name] = self._start(name)
                if len(self._named) > self._most:
                    self._named.popitem(last=False)
            return self._named[name]

    def _by_object(self, run: object) -> T:
        # By identity: such objects may be equal, or have no hash. The reference forgets the run when it ends.
        key = id(run)
        with self._lock:
            known = self._of_objects.get(key)
            if known is not None and known[1]() is run:
                return known[0]
            reference = weakref.ref(run, partial(self._forget, key))
            # Not by the key: an address is used again, and other processes have the same.
            found = self._start(f"run-{uuid4().hex}")
            self._of_objects[key] = (found, reference)
            return found

    def _forget(self, key: int, reference: Any) -> None:
        # No lock: this may run in the middle of anything, `_by_object` included. Each step is one of the interpreter.
        known = self._of_objects.get(key)
        if known is not None and known[1] is reference:
            self._of_objects.pop(key, None)
