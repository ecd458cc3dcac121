"""Trace lines from what other systems record.

Each module reads one source; `SOURCES` is the table of them. All of them stream: what is held in memory at a time is one
record, a bounded number of calls that wait for their results, and a bounded number that wait to be put in order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BufferedReader
from itertools import chain
from typing import IO

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.model import Call, Json
from outcome_monitors.values.files import FilePath
from outcome_monitors.values.packed_files import ERRORS as PACKING_ERRORS

from . import (
    _protobuf,
    agents,
    anthropic,
    inspect,
    langchain,
    langfuse,
    langsmith,
    logfire,
    mcp,
    mlflow,
    openai,
    openinference,
    otel,
    phoenix,
    table,
    traceloop,
    vercel,
)
from ._inputs import opened, spread
from ._json import JsonRecord, records
from ._reader import Reader, Source
from ._spanreader import Spans
from ._tally import ImportTally, Reason
from ._wrappers import unwrapped

__all__ = ["AUTO", "SOURCES", "ImportTally", "import_traces"]

AUTO = "auto"

SOURCES: Mapping[str, Source] = {
    "mcp": Source(mcp.recognise, mcp.Mcp),
    "inspect": Source(inspect.recognise, inspect.Inspect),
    "agents": Source(agents.recognise, Spans),
    "mlflow": Source(mlflow.recognise, Spans),
    "langsmith": Source(langsmith.recognise, Spans),
    "langfuse": Source(langfuse.recognise, Spans),
    "openinference": Source(openinference.recognise, Spans),
    "traceloop": Source(traceloop.recognise, Spans),
    "logfire": Source(logfire.recognise, Spans),
    "vercel": Source(vercel.recognise, Spans),
    "otel": Source(otel.recognise, Spans),
    "phoenix": Source(phoenix.recognise, phoenix.Phoenix),
    "langchain": Source(langchain.recognise, langchain.LangChain),
    "anthropic": Source(anthropic.recognise, anthropic.Anthropic),
    "openai": Source(openai.recognise, openai.OpenAI),
    "table": Source(table.recognise, table.OwnRows),
}
"""The sources, the most distinct first: of those that recognise as many records of a file, the first reads it."""

SAMPLE = 50
"""Records looked at to recognise a file."""
SAMPLE_SIZE = 4 << 20

UNKNOWN = Reason(
    "file is of no format that is known",
    "files are of no format that is known",
    "name the format with --from; docs/guides/imports.md says what each looks like",
)
TRACES = Reason(
    "file holds trace lines already",
    "files hold trace lines already",
    "give it to `mine` as it is",
    lost=False,
)
EMPTY = Reason(
    "file holds no records", "files hold no records", "see whether the export went through", lost=False
)
PACKED = Reason(
    "packed file is cut short or broken",
    "packed files are cut short or broken",
    "what came before was read; export again",
)
ZSTD = Reason(
    "archive cannot be unpacked",
    "archives cannot be unpacked",
    str(MissingExtra("it", "zstandard", "zstd")),
)
PROTOBUF = Reason(
    "file is OTLP in protobuf",
    "files are OTLP in protobuf",
    str(MissingExtra("it", "opentelemetry-proto", "otlp")),
)


def import_traces(
    paths: Iterable[FilePath], source: str = AUTO, *, strict: bool = False, tally: ImportTally | None = None
) -> Iterator[Call]:
    """Yield the tool calls that files, folders and standard input (`-`) hold.

    What cannot be used goes to `tally`; with `strict` the first thing that is lost raises TraceError. A file that is missing
    raises at once, before any is read.
    """
    counts = ImportTally() if tally is None else tally
    counts.strict = counts.strict or strict
    inputs = spread(paths, counts)
    return _counted(_calls([(item.path, item.name) for item in inputs], source, counts), counts)


def _counted(calls: Iterable[Call], tally: ImportTally) -> Iterator[Call]:
    for found in calls:
        call = unwrapped(found, tally)
        tally.see(call)
        yield call


def _calls(inputs: Iterable[tuple[FilePath, str]], source: str, tally: ImportTally) -> Iterator[Call]:
    # Readers are shared by all files: a trace goes on where a log was rotated.
    readers: dict[Callable[[ImportTally], Reader], Reader] = {}
    for path, name in inputs:
        with opened(path, inspect.MAGIC) as (stream, is_archive):
            found = _records(stream, is_archive, name, tally)
            named = "table" if source == AUTO and table.is_table(name) and not is_archive else source
            chosen, found = (named, found) if named != AUTO else _recognised(found, name, tally)
            if chosen is None:
                continue
            make = SOURCES[chosen].reader
            reader = readers.setdefault(make, readers.get(make) or make(tally))
            for record in found:
                tally.records[name, chosen] += 1
                yield from reader.read(record)
    for reader in readers.values():
        yield from reader.end()


def _records(stream: IO[bytes], is_archive: bool, name: str, tally: ImportTally) -> Iterator[JsonRecord]:
    is_protobuf = (
        not is_archive
        and isinstance(stream, BufferedReader)
        and _protobuf.begins(stream.peek(_protobuf.HEAD))
    )
    plain = table.rows if table.is_table(name) else records
    read = inspect.archive if is_archive else _protobuf.records if is_protobuf else plain
    try:
        yield from read(stream, name, tally)
    except (OSError, *PACKING_ERRORS):
        tally.count(PACKED, name)
    except MissingExtra:
        tally.count(PROTOBUF if is_protobuf else ZSTD, name)


def _recognised(
    found: Iterator[JsonRecord], name: str, tally: ImportTally
) -> tuple[str | None, Iterator[JsonRecord]]:
    """Return the source that recognises most of a file's first records, and all its records."""
    said_so_far = tally.reasons.total()
    head: list[JsonRecord] = []
    for record in found:
        head.append(record)
        if len(head) >= SAMPLE or sum(item.size for item in head) > SAMPLE_SIZE:
            break
    votes = {key: sum(source.recognise(record.value) for record in head) for key, source in SOURCES.items()}
    best = max(votes, key=lambda key: votes[key])
    if votes[best]:
        return _closest(best, votes), chain(head, found)
    if head:
        tally.count(TRACES if all(map(_is_trace_line, head)) else UNKNOWN, name)
    elif tally.reasons.total() == said_so_far:
        tally.count(EMPTY, name)
    return None, iter(())


def _closest(best: str, votes: Mapping[str, int]) -> str:
    """Return the most distinct source of the same reader: spans of others stand among those of a convention."""
    make = SOURCES[best].reader
    return next(key for key in SOURCES if SOURCES[key].reader is make and 2 * votes[key] >= votes[best])


def _is_trace_line(record: JsonRecord) -> bool:
    value: Json = record.value
    return isinstance(value, dict) and "tool" in value and "result" in value
