"""The table of sources, and which of them a file is of."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from outcome_monitors.model import Json

from . import (
    _spanreader,
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
from ._json import JsonRecord
from ._reader import Alone, Source
from ._spanreader import Spans
from ._tally import Notes, PendingCount, Reason

__all__ = ["AUTO", "SOURCES", "Recognised", "in_order", "recognised"]

AUTO = "auto"

SOURCES: Mapping[str, Source] = {
    "mcp": Source(mcp.recognise, mcp.look, mcp.Mcp),
    "inspect": Source(inspect.recognise, inspect.look, Alone),
    "agents": Source(agents.recognise, _spanreader.look, Spans),
    "mlflow": Source(mlflow.recognise, _spanreader.look, Spans),
    "langsmith": Source(langsmith.recognise, _spanreader.look, Spans),
    "langfuse": Source(langfuse.recognise, _spanreader.look, Spans),
    "openinference": Source(openinference.recognise, _spanreader.look, Spans),
    "traceloop": Source(traceloop.recognise, _spanreader.look, Spans),
    "logfire": Source(logfire.recognise, _spanreader.look, Spans),
    "vercel": Source(vercel.recognise, _spanreader.look, Spans),
    "otel": Source(otel.recognise, _spanreader.look, Spans),
    "phoenix": Source(phoenix.recognise, phoenix.look, Alone),
    "langchain": Source(langchain.recognise, langchain.look, langchain.LangChain),
    "anthropic": Source(anthropic.recognise, anthropic.look, anthropic.Anthropic),
    "openai": Source(openai.recognise, openai.look, openai.OpenAI),
    "table": Source(table.recognise, table.look, Alone),
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

Item = JsonRecord | PendingCount
"""What stands in a file, in order."""


class Recognised(NamedTuple):
    """What a file is."""

    source: str | None
    items: Iterator[Item]
    """All that stands in it; of a file that is of no source, what is to be said of it."""
    enough: bool = True
    """The sample is as large as it may be: more of the file would not change what it is."""


def in_order(records: Iterable[JsonRecord], notes: Notes) -> Iterator[Item]:
    """Yield records, and what is noted while they are read, in the order in which they stand."""
    for record in records:
        yield from notes.take()
        yield record
    yield from notes.take()


def recognised(items: Iterator[Item], file: str) -> Recognised:
    """Return the source that recognises most of a file's first records."""
    head: list[Item] = []
    sample: list[JsonRecord] = []
    for item in items:
        head.append(item)
        if isinstance(item, JsonRecord):
            sample.append(item)
            if len(sample) >= SAMPLE or sum(record.size for record in sample) > SAMPLE_SIZE:
                break
    else:
        return Recognised(*_chosen(head, sample, items, file), enough=False)
    return Recognised(*_chosen(head, sample, items, file))


def _chosen(
    head: list[Item], sample: list[JsonRecord], items: Iterator[Item], file: str
) -> tuple[str | None, Iterator[Item]]:
    votes = {key: sum(source.recognise(record.value) for record in sample) for key, source in SOURCES.items()}
    best = max(votes, key=lambda key: votes[key])
    if votes[best]:
        return _closest(best, votes), chain(head, items)
    noted: list[Item] = [item for item in head if isinstance(item, PendingCount)]
    if sample:
        noted.append(PendingCount(TRACES if all(map(_is_trace_line, sample)) else UNKNOWN, file))
    elif not noted:
        noted.append(PendingCount(EMPTY, file))
    return None, iter(noted)


def _closest(best: str, votes: Mapping[str, int]) -> str:
    """Return the most distinct source of the same reader: spans of others stand among those of a convention."""
    make = SOURCES[best].reader
    return next(key for key in SOURCES if SOURCES[key].reader is make and 2 * votes[key] >= votes[best])


def _is_trace_line(record: JsonRecord) -> bool:
    value: Json = record.value
    return isinstance(value, dict) and "tool" in value and "result" in value
