"""Trace lines from what other systems record.

Each module reads one source; `SOURCES` is the table of them. All of them stream: what is held in memory at a time is one
record, a bounded number of calls that wait for their results, and a bounded number that wait to be put in order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from outcome_monitors.files import FilePath
from outcome_monitors.model import Call

from . import inspect, mcp, table
from ._inputs import Input, read_records, spread
from ._payloads import unwrapped
from ._source import ImportTally, Reader, Reason, Record, Source, record_by_record
from ._spanreader import Spans, spans_with
from ._spans import is_agents_record, is_otel_record, is_run
from .chats import Anthropic, LangChain, OpenAI, is_anthropic, is_langchain, is_openai

__all__ = ["AUTO", "SOURCES", "TRACES", "ImportTally", "import_traces"]

AUTO = "auto"

SOURCES: Mapping[str, Source] = {
    "mcp": Source(mcp.recognise, mcp.Mcp),
    "inspect": Source(inspect.recognise, record_by_record(inspect.read)),
    "agents": Source(is_agents_record, Spans),
    "mlflow": Source(spans_with("mlflow.spanType"), Spans),
    "langsmith": Source(is_run, Spans),
    "langfuse": Source(spans_with("langfuse.observation.type"), Spans),
    "openinference": Source(spans_with("openinference.span.kind"), Spans),
    "traceloop": Source(spans_with("traceloop."), Spans),
    "logfire": Source(spans_with("logfire.span_type"), Spans),
    "vercel": Source(spans_with("ai.operationId"), Spans),
    "otel": Source(is_otel_record, Spans),
    "langchain": Source(is_langchain, LangChain),
    "anthropic": Source(is_anthropic, Anthropic),
    "openai": Source(is_openai, OpenAI),
    "table": Source(table.recognise, record_by_record(table.read)),
}
"""The sources, the most distinct first: of those that recognise as many records of a file, the first reads it."""

SAMPLE = 50
"""Records that are looked at to recognise a file,"""
SAMPLE_SIZE = 4 << 20
"""as far as they have no more characters than so many."""

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


def import_traces(
    paths: Iterable[FilePath], source: str = AUTO, *, strict: bool = False, tally: ImportTally | None = None
) -> Iterator[Call]:
    """Yield the tool calls that files, folders and standard input (`-`) hold.

    What cannot be used goes to `tally`; with `strict` the first thing that is lost raises TraceError. A file that is missing
    raises at once, before any is read.
    """
    counts = ImportTally() if tally is None else tally
    counts.strict = counts.strict or strict
    return _calls(spread(paths, counts), source, counts)


def _calls(inputs: Iterable[Input], source: str, tally: ImportTally) -> Iterator[Call]:
    for found in _joined(inputs, source, tally):
        call = unwrapped(found, tally)
        tally.add(call)
        yield call


def _joined(inputs: Iterable[Input], source: str, tally: ImportTally) -> Iterator[Call]:
    # Readers are shared by all files: a trace goes on where a log was rotated.
    readers: dict[Callable[[ImportTally], Reader], Reader] = {}
    for item in inputs:
        records = read_records(item, tally)
        named: str | None = source
        if source == AUTO and table.is_table(item.name):
            named = "table"
        elif source == AUTO:
            named, records = _recognised(records, item.name, tally)
        if named is None:
            continue
        make = SOURCES[named].reader
        reader = readers.get(make) or readers.setdefault(make, make(tally))
        for record in records:
            tally.records[item.name, named] += 1
            yield from reader.read(record)
    for reader in readers.values():
        yield from reader.end()


def _recognised(
    records: Iterator[Record], file: str, tally: ImportTally
) -> tuple[str | None, Iterator[Record]]:
    """Return the source that recognises most of a file's first records, and all its records; count a file that is of none."""
    losses = tally.reasons.total()
    sample: list[Record] = []
    size = 0
    for record in records:
        sample.append(record)
        size += record.size
        if len(sample) >= SAMPLE or size > SAMPLE_SIZE:
            break
    votes = {
        name: sum(source.recognise(record.value) for record in sample) for name, source in SOURCES.items()
    }
    best = max(votes, key=lambda name: votes[name])
    if votes[best]:
        # Spans of the more distinct sources stand among those of a convention that the same reader reads.
        reader = SOURCES[best].reader
        named = next(
            key for key in SOURCES if SOURCES[key].reader is reader and 2 * votes[key] >= votes[best]
        )
        return named, chain(sample, records)
    if sample:
        tally.count(TRACES if all(map(_is_trace_line, sample)) else UNKNOWN, file)
    elif tally.reasons.total() == losses:
        tally.count(EMPTY, file)
    return None, iter(())


def _is_trace_line(record: Record) -> bool:
    return isinstance(record.value, dict) and {"tool", "result"} <= record.value.keys()
