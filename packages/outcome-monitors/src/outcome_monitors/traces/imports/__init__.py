"""Trace lines from what other systems record.

Each module reads one source; `SOURCES` is the table of them. All of them stream: what is held in memory at a time is one
record, a bounded number of calls that wait for their results, and a bounded number that wait to be put in order.
"""

from collections.abc import Callable, Iterable, Iterator

from outcome_monitors.model import Call
from outcome_monitors.values.files import FilePath

from ._dealer import entries_by
from ._entries import Entry, entries
from ._inputs import spread
from ._reader import Reader
from ._sources import AUTO, SOURCES
from ._tally import ImportTally, PendingCount
from ._wrappers import unwrapped

__all__ = ["AUTO", "SOURCES", "ImportTally", "calls_to_write", "import_traces"]


def import_traces(
    paths: Iterable[FilePath], source: str = AUTO, *, strict: bool = False, tally: ImportTally | None = None
) -> Iterator[Call]:
    """Yield the tool calls that files, folders and standard input (`-`) hold.

    What cannot be used goes to `tally`; with `strict` the first thing that is lost raises TraceError. A file that is missing
    raises at once, before any is read.
    """
    counts = ImportTally() if tally is None else tally
    counts.strict = counts.strict or strict
    return calls_to_write(paths, source, counts)


def calls_to_write(
    paths: Iterable[FilePath], source: str, tally: ImportTally, workers: int = 1
) -> Iterator[Call]:
    """Yield the calls for `write_traces`: with several workers their payloads are written already, as `WrittenJson`."""
    inputs = spread(paths, tally)
    found = entries(inputs, source) if workers < 2 else entries_by(workers, inputs, source)
    return _counted(_joined(found, tally), tally)


def _counted(calls: Iterable[Call], tally: ImportTally) -> Iterator[Call]:
    for found in calls:
        call = unwrapped(found, tally)
        tally.see(call)
        yield call


def _joined(found: Iterable[Entry], tally: ImportTally) -> Iterator[Call]:
    """Yield the calls that records make together, and count what was noted of them, in their order."""
    # Readers are shared by all files: a trace goes on where a log was rotated.
    readers: dict[Callable[[ImportTally], Reader], Reader] = {}
    for entry in found:
        if isinstance(entry, PendingCount):
            tally.count(*entry)
            continue
        file, source, seen = entry
        tally.records[file, source] += 1
        make = SOURCES[source].reader
        reader = readers.get(make) or readers.setdefault(make, make(tally))
        yield from reader.join(seen)
    for reader in readers.values():
        yield from reader.end()
