"""What the lists and records of a session say of each other.

An empty answer to a filter that rows match, a count that is not that of the list, an id that is listed and not known.

Only answers to reads are compared, and none across a write of the same server: between the two, things may have changed.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from outcome_monitors.model import Json

from .base import bare, lists_in, record_in, rows_in
from .request import LIMITS
from .truncated import PARTS, is_cut

__all__ = ["Agreement", "Disagreement", "Read", "read_of"]

MAX_READS = 64
MAX_ROWS = 20
MAX_FIELDS = 40
"""What is kept of each of the last reads."""
COUNTS = ("count", "total", "totalcount", "number")

_UNKNOWN = re.compile(r"not\sfound|no\ssuch|(?:does\snot|doesn'?t)\sexist", re.IGNORECASE)

Row = Mapping[str, str]
"""The scalar fields of a record, by bare name, as texts."""


class Read(NamedTuple):
    """What is kept of one answer to a read."""

    number: int
    tool: str
    server: str
    nouns: frozenset[str]
    asked: Row
    """The arguments that say what is asked for; not how much of it."""
    rows: tuple[Row, ...]
    listed: int | None
    """How many rows there are, where it is a whole list."""
    counted: int | None
    """The count that is all of the answer."""


class Disagreement(NamedTuple):
    """A later answer that an earlier one contradicts."""

    kind: str
    about: int
    """The number of the call that is proven wrong; of two that disagree, the earlier one."""
    earlier: Read
    expected: Json
    observed: Json
    detail: str
    """What the earlier call did, to stand behind its name."""


class Agreement:
    """What is kept of the reads of one session since the last write of their server; bounded."""

    def __init__(self) -> None:
        self._reads: deque[Read] = deque(maxlen=MAX_READS)

    def written(self, server: str) -> None:
        """Forget what a write may have changed."""
        self._reads = deque((one for one in self._reads if one.server != server), MAX_READS)

    def failed(self, server: str, arguments: Mapping[str, Json], message: str) -> Iterator[Disagreement]:
        """Yield the list that named what a call knows nothing of."""
        if not _UNKNOWN.search(message):
            return
        asked = [(name, value) for name, value in _row(arguments).items() if name.endswith("id")]
        for earlier in reversed(self._reads):
            for name, value in asked:
                own = name in {f"{noun}id" for noun in _singulars(earlier.nouns)}
                if earlier.server == server and any(
                    row.get(name) == value or (own and row.get("id") == value) for row in earlier.rows
                ):
                    yield Disagreement("unknown_id", earlier.number, earlier, value, message, "named it")
                    return

    def observe(self, read: Read) -> Iterator[Disagreement]:
        """Yield what a read and the earlier ones say of each other, and keep it."""
        for earlier in reversed(self._reads):
            if earlier.server != read.server:
                continue
            found = _empty_but_there(earlier, read) or _other_count(earlier, read)
            if found is not None:
                yield found
                break
        self._reads.append(read)


def read_of(
    number: int,
    tool: str,
    server: str,
    nouns: frozenset[str],
    arguments: Mapping[str, Json],
    result: Json,
) -> Read:
    """Return what is kept of an answer."""
    part = any(bare(name) in PARTS for name in arguments) or is_cut(result)
    asked = {name: value for name, value in _row(arguments).items() if name not in PARTS | LIMITS}
    lists = lists_in(result)
    _, rows = rows_in(result)
    record = record_in(result)[1]
    some = [_row(row) for row in (rows[:MAX_ROWS] if rows else [record] if record and not lists else [])]
    size = len(next(iter(lists.values()))) if len(lists) == 1 and not part else None
    return Read(number, tool, server, nouns, asked, tuple(some), size, _count(record, result))


def _count(record: Mapping[str, Any], result: Json) -> int | None:
    if type(result) is int:
        return result
    found = [value for name, value in record.items() if isinstance(name, str) and bare(name) in COUNTS]
    return found[0] if len(record) == 1 and found and type(found[0]) is int else None


def _row(record: Mapping[str, Any]) -> Row:
    """Return the short scalars of a record as texts, by bare name."""
    found: dict[str, str] = {}
    for name, value in record.items():
        if len(found) == MAX_FIELDS:
            break
        short = type(value) is str and 0 < len(value) <= 80
        if isinstance(name, str) and (short or (type(value) is int and abs(value) < 10**18)):
            found[bare(name)] = str(value).casefold()
    return found


def _empty_but_there(earlier: Read, read: Read) -> Disagreement | None:
    """Say where one of two reads finds nothing for what a row of the other matches."""
    for empty, other in ((earlier, read), (read, earlier)):
        if empty.listed == 0 and empty.asked and empty.nouns == other.nouns:
            row = next((row for row in other.rows if empty.asked.items() <= row.items()), None)
            if row is not None:
                what = ", ".join(f"{name}={value}" for name, value in sorted(empty.asked.items()))
                said = "answered that there is none" if empty is earlier else "showed one"
                return Disagreement("false_empty", empty.number, earlier, what, "none", said)
    return None


def _other_count(earlier: Read, read: Read) -> Disagreement | None:
    """Say where one counts what the other lists in full, and comes to another number."""
    if earlier.asked != read.asked or earlier.tool == read.tool or not _alike(earlier.nouns, read.nouns):
        return None
    for was, now in ((earlier.counted, read.listed), (earlier.listed, read.counted)):
        if was is not None and now is not None and was != now:
            return Disagreement("other_count", earlier.number, earlier, was, now, f"came to {was}")
    return None


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(_singulars(one)) and _singulars(one) == _singulars(other)


def _singulars(nouns: frozenset[str]) -> frozenset[str]:
    return frozenset(noun.removesuffix("s") for noun in nouns) - {"count", "number", "total", "all"}
