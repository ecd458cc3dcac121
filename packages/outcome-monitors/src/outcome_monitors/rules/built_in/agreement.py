"""What the lists and records of a session say of each other.

An empty answer to a filter that rows match, a count that is not that of the list, an id that is listed and not known, two ids of one thing.

Only answers to reads are compared, and none across a write of the same server: between the two, things may have changed. Across sessions
things change as well, so that there only counts tell (`FilterCounts`).
"""

import re
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from outcome_monitors.features.tool_names import named_action
from outcome_monitors.jsonvalue.text import words
from outcome_monitors.jsonvalue.times import when
from outcome_monitors.model import Json

from .base import bare, lists_in, record_in, rows_in
from .reading import data_of
from .truncated import is_cut
from .vocabulary import LIMITS, PARTS, QUESTIONS, named
from .wording import is_negative

MAX_READS = 64
MAX_UPDATES = 16
MAX_ROWS = 20
MAX_FIELDS = 40
"""What is kept of each of the last reads."""
MIN_SESSIONS = 3
"""Sessions in which a filter found nothing, and as many in which rows had its value."""
MAX_VALUES = 4096
TITLES = ("name", "title", "subject")
NAMES = (*TITLES, "email", "sku", "slug", "isbn", "symbol", "ticker", "username", "login")
"""Names of fields by which a thing is asked for."""
PEOPLE = frozenset({"from", "to", "author", "sender", "assignee"})
"""Names of fields of whom a thing is, and what stands before them where they are looked for: `from:lena`."""
MAX_NEGATIVE = 200
"""Characters of a text that says no more than that there is nothing."""
RANKINGS = named("trending popular top hottest headlines latest")
"""Words of names of tools that have an answer for everyone."""
COUNTS = ("count", "total", "totalcount", "number")

_WHOLE = re.compile(r"\d{1,9}")
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

    @property
    def record(self) -> Row:
        """The one thing that the answer is of; nothing where it is a list."""
        return self.rows[0] if self.listed is None and len(self.rows) == 1 else {}


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


class FilterCounts:
    """In how many sessions each filter found nothing or something, and each value stood in rows; bounded, shared by sessions."""

    def __init__(self) -> None:
        self._counts: OrderedDict[tuple[str, ...], set[int]] = OrderedDict()

    def never(self, read: Read, session: int) -> str:
        """Count a read, and return its filter where that never finds anything, though rows with its value were there time and again."""
        kind = (read.server, *sorted(singulars(read.nouns)))
        for row in read.rows:
            for name, value in row.items():
                self._count(("row", *kind, name, value), session)
        if len(read.asked) != 1 or read.listed is None:
            return ""
        [(name, value)] = read.asked.items()
        if read.listed:
            self._count(("found", *kind, name, value), session)
            return ""
        empty = self._count(("empty", *kind, name, value), session)
        seen = len(self._counts.get(("row", *kind, name, value), ()))
        found = self._counts.get(("found", *kind, name, value))
        return f"{name}={value}" if empty >= MIN_SESSIONS <= seen and not found else ""

    def _count(self, key: tuple[str, ...], session: int) -> int:
        sessions = self._counts.pop(key, None) or set()
        if len(sessions) < MIN_SESSIONS:
            sessions.add(session)
        self._counts[key] = sessions
        if len(self._counts) > MAX_VALUES:
            self._counts.popitem(last=False)
        return len(sessions)


class Agreement:
    """What is kept of the reads of one session since the last write of their server; bounded."""

    def __init__(self, counts: FilterCounts) -> None:
        self._reads: deque[Read] = deque(maxlen=MAX_READS)
        self._counts = counts
        self._updates: list[tuple[int, str, str, Row]] = []

    def written(self, number: int, tool: str, server: str, arguments: Mapping[str, Json]) -> None:
        """Forget what a write may have changed, and keep what it has set."""
        self._updates = [one for one in self._updates if one[2] == server and named_action(tool) == "update"][
            -MAX_UPDATES:
        ]
        self._updates.append((number, tool, server, _row(arguments)))
        self._reads = deque((one for one in self._reads if one.server != server), MAX_READS)

    def failed(self, server: str, arguments: Mapping[str, Json], message: str) -> Iterator[Disagreement]:
        """Yield the list that named what a call knows nothing of."""
        if not _UNKNOWN.search(message):
            return
        asked = [(name, value) for name, value in _row(arguments).items() if name.endswith("id")]
        for earlier in reversed(self._reads):
            for name, value in asked:
                own = name in {f"{noun}id" for noun in singulars(earlier.nouns)}
                if earlier.server == server and any(
                    row.get(name) == value or (own and row.get("id") == value) for row in earlier.rows
                ):
                    yield Disagreement("unknown_id", earlier.number, earlier, value, message, "named it")
                    return

    def observe(self, read: Read) -> Iterator[Disagreement]:
        """Yield what a read and the earlier ones say of each other, and keep it."""
        found = self._not_updated(read)
        for earlier in reversed(self._reads) if found is None else ():
            if earlier.server == read.server and _alike(earlier.nouns, read.nouns):
                found = (
                    _empty_but_there(earlier, read) or _other_count(earlier, read) or _other_id(earlier, read)
                )
            if found is not None:
                break
        if found is None and read.listed == 0 and not read.asked and RANKINGS.intersection(words(read.tool)):
            found = Disagreement(
                "false_empty", read.number, read, "some", "none", "was asked without conditions"
            )
        never = self._counts.never(read, id(self))
        if found is None and never:
            said = f"found nothing in {MIN_SESSIONS} sessions, and as many showed some"
            found = Disagreement("false_empty", read.number, read, never, "none", said)
        if found is not None:
            yield found
        self._reads.append(read)

    def _not_updated(self, read: Read) -> Disagreement | None:
        """Say what a read of one thing shows, that the last write to just that thing had set to something else."""
        for number, tool, server, row in reversed(self._updates):
            alike = read.asked and all(row.get(name) == value for name, value in read.asked.items())
            if server != read.server or not alike or named_action(tool) != "update":
                continue
            for name, value in row.items():
                shown = read.record.get(name)
                if (
                    name not in read.asked
                    and shown is not None
                    and bare(value) not in bare(shown)
                    and not when(value)
                ):
                    said = f"reported that {name} is {value}"
                    return Disagreement(
                        "lost_write", number, Read(number, tool, *read[2:]), value, shown, said
                    )
            return None
        return None


def read_of(
    number: int, tool: str, server: str, nouns: frozenset[str], arguments: Mapping[str, Json], result: Json
) -> Read:
    """Return what is kept of an answer."""
    part = any(bare(name) in PARTS for name in arguments) or is_cut(result)
    said, result = result, stated(result)
    asked = {name: value for name, value in _row(arguments).items() if name not in PARTS | LIMITS}
    lists = lists_in(result)
    _, rows = rows_in(result)
    record = record_in(result)[1]
    some = [_row(row) for row in (rows[:MAX_ROWS] if rows else [record] if record and not lists else [])]
    size = len(next(iter(lists.values()))) if len(lists) == 1 and not part else None
    if isinstance(said, str) and (len(said) <= MAX_NEGATIVE and is_negative(said)):
        size = 0
    return Read(number, tool, server, nouns, asked, tuple(some), size, _count(record, result))


def stated(result: Json) -> Json:
    """Return what a result states: of a text, what can be read off it."""
    if not isinstance(result, str):
        return result
    return int(result) if _WHOLE.fullmatch(result.strip()) else data_of(result)


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
        if empty.listed == 0 and empty.asked and any(_matches(empty.asked, row) for row in other.rows):
            what = ", ".join(f"{name}={value}" for name, value in sorted(empty.asked.items()))
            said = "answered that there is none" if empty is earlier else "showed one"
            return Disagreement("false_empty", empty.number, earlier, what, "none", said)
    return None


def _matches(asked: Row, row: Row) -> bool:
    """Say whether a row is what was asked for: by the value of a field, or by all words of what was looked for in its names."""
    name = {
        word for field, value in row.items() if field in NAMES or field in PEOPLE for word in words(value)
    }
    return all(
        row.get(field) == value
        or (field in QUESTIONS and bool(words(value)) and {*words(value)} - PEOPLE <= name)
        for field, value in asked.items()
    )


def _other_count(earlier: Read, read: Read) -> Disagreement | None:
    """Say where one counts what the other counts or lists in full, and comes to another number."""
    if earlier.asked != read.asked or earlier.tool == read.tool or not (earlier.nouns and read.nouns):
        return None
    counts = (earlier.counted, read.listed), (earlier.listed, read.counted), (earlier.counted, read.counted)
    for was, now in counts:
        if was is not None and now is not None and was != now:
            return Disagreement("other_count", earlier.number, earlier, was, now, f"came to {was}")
    return None


def _other_id(earlier: Read, read: Read) -> Disagreement | None:
    """Say where what was asked for by a name has another id in the other answer, which has one thing of that name."""
    for asking, other in ((earlier, read), (read, earlier)):
        own = asking.record.get("id")
        for value in asking.asked.values() if own else ():
            named = [row for row in other.rows if any(row.get(name) == value for name in NAMES)]
            if len(named) == 1 and named[0].get("id", own) != own:
                was, now = (own, named[0]["id"]) if asking is earlier else (named[0]["id"], own)
                return Disagreement(
                    "other_id", earlier.number, earlier, was, now, f"had {value} with the id {was}"
                )
    return None


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two tools are of the same things; one may name none, as `search` does."""
    first, second = singulars(one), singulars(other)
    return first == second or not first or not second


def singulars(nouns: frozenset[str]) -> frozenset[str]:
    """Return the things that the name of a tool speaks of, each as one."""
    return frozenset(noun.removesuffix("s") for noun in nouns) - {"count", "number", "total", "all"}
