"""What mining extracts of a call, kept for a while: agents ask the same again and again, and are told the same.

It is a function of tool, arguments and result alone and holds nothing that could change, so it is found by what they say, not by who they are.
"""

import marshal
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.memory.past import Keepsake, all_of, records_to_remember
from outcome_monitors.records.extraction import features_of
from outcome_monitors.records.features import Features
from outcome_monitors.records.walk import Seen

__all__ = ["Extracted", "extracted"]

MOST = 4096
LONGEST = 2**14
"""Bytes of a call that is looked for; a longer one seldom comes again, and would take much room."""


class Extracted(NamedTuple):
    """The records of a call, by path, and what its session, if it has one, keeps of it."""

    features: list[tuple[str, list[Features]]]
    heard: Keepsake | None


class _Content:
    """A call, as equal to another as what they say; the first of them is asked, and then let go."""

    __slots__ = ("_written", "seen")

    def __init__(self, written: bytes, seen: Seen) -> None:
        self._written = written
        self.seen: Seen | None = seen

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and self._written == other._written

    def __hash__(self) -> int:
        return hash(self._written)


def extracted(seen: Seen) -> Extracted:
    """Return what is extracted of a call that was looked at in full depth; it must not be changed."""
    said: Any = (seen.tool, seen.arguments, seen.result, seen.session is None)
    try:
        # Unlike JSON, this tells a tuple from a list and the key 1 from "1", and refuses what is no plain value.
        written = marshal.dumps(said, 2)
    except ValueError:
        return _extract(seen)
    return _kept(_Content(written, seen)) if len(written) <= LONGEST else _extract(seen)


def _extract(seen: Seen) -> Extracted:
    features = list(features_of(seen))
    if seen.session is None:
        return Extracted(features, None)
    records = records_to_remember(seen.arguments, seen.result, seen.found)
    return Extracted(features, all_of(seen.tool, seen.arguments, records))


@lru_cache(maxsize=MOST)
def _kept(content: _Content) -> Extracted:
    seen, content.seen = content.seen, None
    assert seen is not None
    return _extract(seen)
