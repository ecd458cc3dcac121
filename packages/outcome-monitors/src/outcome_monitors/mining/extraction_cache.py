"""What mining extracts of a call, kept for a while: agents ask the same again and again, and are told the same.

It is a function of tool, arguments and result alone and holds nothing that could change, so it is found by what they say, not by who they are.
"""

import marshal
from typing import Any, NamedTuple

from outcome_monitors.evidence.evidence import FeaturesByPath
from outcome_monitors.memory.past import Keepsake, all_of, records_to_remember
from outcome_monitors.model import Call
from outcome_monitors.records.extraction import features_of
from outcome_monitors.records.walk import Seen, look
from outcome_monitors.traces.form import has_no_text, plain_call

__all__ = ["Extracted", "extract", "extracted", "forget"]

MOST_BYTES = 2**21
"""Of the calls in one of two generations; what is held of them takes some ten times as much."""
LONGEST = 2**14
"""Bytes of a call that is looked for; a longer one seldom comes again, and would take much room."""


class Extracted(NamedTuple):
    """What stands where in a call, the features of its records, and what its session, if it has one, keeps of it."""

    seen: Seen
    """The task and the session are those of the first call that said so."""
    features: FeaturesByPath
    heard: Keepsake | None


class _Generations:
    """What was asked for last: when the younger generation is full, it becomes the older, and that one is forgotten.

    Unlike an order of use, this needs no lock: a race between threads loses an entry at worst.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._young: dict[bytes, Extracted | None] = {}
        self._old: dict[bytes, Extracted | None] = {}
        self._bytes = 0

    def find(self, written: bytes, call: Call) -> Extracted | None:
        if written in self._young:
            return self._young[written]
        found = self._old[written] if written in self._old else _lasting(_look_into(call))
        if self._bytes > MOST_BYTES:
            self._young, self._old, self._bytes = {}, self._young, 0
        self._young[written] = found
        self._bytes += len(written)
        return found


_kept = _Generations()


def forget() -> None:
    """Let go of all that is kept: who measures what mining costs begins with nothing, as a process does."""
    _kept.forget()


def extracted(call: Call) -> Extracted | None:
    """Return what is extracted of a call, which must not be changed; None of one with a number that no file can hold."""
    said: Any = (call.tool, call.arguments, call.result, call.session is None)
    try:
        # Unlike JSON, this tells a tuple from a list and the key 1 from "1", and refuses what is no plain value.
        written = marshal.dumps(said, 2)
    except ValueError:
        return _look_into(call)
    return _kept.find(written, call) if len(written) <= LONGEST else _look_into(call)


def _lasting(found: Extracted | None) -> Extracted | None:
    """Return the same with arguments of its own: the caller may change those that were given."""
    if found is not None:
        given: Any = found.seen.arguments
        found.seen.arguments = marshal.loads(marshal.dumps(given))  # noqa: S302 - written here
    return found


def _look_into(call: Call) -> Extracted | None:
    plain = plain_call(call)
    if has_no_text(plain.result) or has_no_text(plain.arguments):
        return None
    return extract(look(plain))


def extract(seen: Seen) -> Extracted:
    """Return what is extracted of a call that was looked at in full depth."""
    features = list(features_of(seen))
    _copy_lists(seen)
    if seen.session is None:
        return Extracted(seen, features, None)
    records = records_to_remember(seen.arguments, seen.result, seen.found)
    return Extracted(seen, features, all_of(seen.tool, seen.arguments, records))


def _copy_lists(seen: Seen) -> None:
    """Put copies in the place of lists: they are counted later, and the caller may have changed them by then."""
    for path, values in seen.values.items():
        if list in {*map(type, values)}:
            seen.values[path] = [[*value] if type(value) is list else value for value in values]
