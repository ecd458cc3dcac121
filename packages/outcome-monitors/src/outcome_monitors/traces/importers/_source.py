"""What all sources share: records, the readers of them, and what became of everything that was read."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from outcome_monitors.exceptions import TraceError
from outcome_monitors.model import Call, Json


class Reason(NamedTuple):
    """Why something could not be used as it is."""

    one: str
    """What it is, with its verb, for a single one: `tool span carries no result`."""
    many: str
    then: str
    """What to do about it, or what was done."""
    lost: bool = True
    """Something is missing from the trace lines; with `strict` that is an error."""


ANOTHER_SHAPE = Reason(
    "record is of another shape than the rest",
    "records are of another shape than the rest",
    "name the format with --from where the wrong one was recognised",
)
NO_RESULT_CAME = Reason(
    "call has no result in the log",
    "calls have no result in the log",
    "add the part of the log that follows",
)
NAMES_LOST = Reason(
    "call has arguments without names",
    "calls have arguments without names",
    "they are written without arguments",
    lost=False,
)

MOST_TOOLS = 10_000
"""Tools that are counted: where the name differs with each call, a list of them is of no use."""


@dataclass(slots=True)
class ImportTally:
    """The counts of an import."""

    strict: bool = False
    """Raise TraceError at the first thing that is lost."""
    calls: int = 0
    failed_openly: int = 0
    unwrapped: int = 0
    """Results that were in the wrapper of a framework, or printed by Python."""
    tools: Counter[str] = field(default_factory=Counter)
    samples: dict[str, Call] = field(default_factory=dict)
    """One call of each tool to look at; one that did not fail, where there is any."""
    records: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Records by file and source."""
    reasons: Counter[Reason] = field(default_factory=Counter)
    first: dict[Reason, str] = field(default_factory=dict)
    """Where each reason was met first: file and line."""

    @property
    def lost(self) -> int:
        """How many things are missing from the trace lines."""
        return sum(number for reason, number in self.reasons.items() if reason.lost)

    def add(self, call: Call) -> None:
        """Count a call that is written."""
        self.calls += 1
        self.failed_openly += call.error
        if call.tool not in self.tools and len(self.tools) >= MOST_TOOLS:
            return
        self.tools[call.tool] += 1
        known = self.samples.get(call.tool)
        if known is None or (known.error and not call.error):
            self.samples[call.tool] = call

    def count(self, reason: Reason, place: str, number: int = 1) -> None:
        """Count what could not be used; `place` names file and line."""
        self.reasons[reason] += number
        self.first.setdefault(reason, place)
        if self.strict and reason.lost:
            raise TraceError(f"{place}: a {reason.one}; {reason.then}, or import without strict")

    def explain(self) -> list[str]:
        """Say what could not be used, what is lost first, each with its number, its first place and the next step."""
        found = sorted(self.reasons.items(), key=lambda item: (not item[0].lost, -item[1]))
        return [
            f"{number:,} {reason.one if number == 1 else reason.many} (first {self.first[reason]}): {reason.then}"
            for reason, number in found
        ]


class Record(NamedTuple):
    """A JSON object that may hold a call, and where it was found."""

    file: str
    line: int
    size: int
    """About how many characters it takes."""
    value: Json
    context: Mapping[str, Json]
    """The other fields of the object whose list holds it."""

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"


class Reader(Protocol):
    """Reads calls from the records of all files. It may hold calls back to join or order them; `end` gives the rest."""

    def read(self, record: Record) -> Iterable[Call]:
        """Return the calls that a record completes."""
        ...

    def end(self) -> Iterable[Call]:
        """Return what was held back, and count what is incomplete."""
        ...


class Source(NamedTuple):
    """A format that can be imported."""

    recognise: Callable[[Json], bool]
    """Says whether a record is of this format."""
    reader: Callable[[ImportTally], Reader]


def record_by_record(
    read: Callable[[Record, ImportTally], Iterable[Call]],
) -> Callable[[ImportTally], Reader]:
    """Make the reader of a source whose records are whole calls: nothing is to be joined."""

    class Whole:
        def __init__(self, tally: ImportTally) -> None:
            self._tally = tally

        def read(self, record: Record) -> Iterable[Call]:
            return read(record, self._tally)

        def end(self) -> Iterable[Call]:
            return ()

    return Whole


def call(
    tool: str,
    arguments: dict[str, Json],
    result: Json,
    *,
    session: str | None = None,
    task: str | None = None,
    error: bool = False,
    time: str | None = None,
    tools: tuple[str, ...] | None = None,
) -> Call:
    """Return a call, with its time as the trace line's `time`."""
    return Call(tool, arguments, result, task, session, error, tools, {"time": time} if time else {})
