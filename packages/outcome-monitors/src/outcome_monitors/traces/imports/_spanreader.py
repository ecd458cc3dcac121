"""Turns spans into calls, whatever convention each follows: one export often holds several."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from outcome_monitors.model import Call, Json

from . import adk, agents, langfuse, langsmith, logfire, mlflow, openinference, otel, traceloop, vercel
from ._conversations import NAMES_LOST, Conversations, Said, ToolAnswer, ToolAsk, Turn, prepared
from ._events import as_event, is_event, said
from ._json import JsonRecord
from ._memory import Lately
from ._order import CallOrder, Item
from ._payload import PayloadMaker
from ._reader import ANOTHER_SHAPE
from ._spans import MISSING, Span, SpanCall, as_span
from ._tally import ImportTally, Notes, Reason
from ._values import time_text

__all__ = ["Spans", "look"]

ENVELOPES = (
    as_event,
    as_span,
    logfire.as_row,
    agents.as_agents_span,
    mlflow.as_mlflow_span,
    langfuse.as_observation,
    langsmith.as_run,
)
CONVENTIONS = (
    traceloop.found,
    adk.found,
    otel.found,
    langfuse.found,
    openinference.found,
    logfire.found,
    agents.found,
    vercel.found,
    mlflow.found,
    langsmith.found,
)
"""What says what a span records: where several know its result, the first."""
ASKS = 5000
"""How many questions for calls are remembered, to know the arguments of spans that lost them."""

DUPLICATE = Reason("span came twice", "spans came twice", "each is read once", lost=False)
NO_RESULT = Reason(
    "tool span carries no result",
    "tool spans carry no result",
    "switch on the recording of content (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY for OpenTelemetry's own,"
    " include_content=True for pydantic-ai, no OPENINFERENCE_HIDE_OUTPUTS for OpenInference) and record again",
)
MCP_SPAN = Reason(
    "span is MCP's own record of a call, without its result",
    "spans are MCP's own records of calls, without their results",
    "record tool spans in the agent, or log the JSON-RPC messages and import those",
    lost=False,
)


class SpanSeen(NamedTuple):
    """What a span says by itself."""

    span: Span
    """Without its attributes: all that they say is here."""
    tools: tuple[str, ...] | None
    found: SpanCall | None
    """The call that it records,"""
    heard: tuple[Said, ...] = ()
    """else the calls and results of a model's messages,"""
    logged: tuple[Said, ...] = ()
    """or of messages that are log events,"""
    time: str | None = None
    is_event: bool = False
    is_mcp: bool = False
    """or that it is MCP's own."""


class RecordSeen(NamedTuple):
    """What a record of spans says by itself."""

    place: str
    size: int
    spans: tuple[SpanSeen | None, ...]
    """Nothing for what is no span."""


def look(record: JsonRecord, _notes: Notes, payloads: PayloadMaker) -> RecordSeen:
    """Look at the spans of a record."""
    spans: list[SpanSeen | None] = []
    for value, context in _family(record.value, record.context):
        span = _span(value, context)
        if span is None:
            spans.append(None)
        elif not logfire.is_pending(span):
            spans.append(_seen(span, payloads))
    return RecordSeen(record.place, record.size, tuple(spans))


def _seen(span: Span, payloads: PayloadMaker) -> SpanSeen:
    bare, tools, found = span._replace(attributes={}), otel.tools_of(span), _found(span)
    if found is not None:
        return SpanSeen(bare, tools, _whole(found, span, payloads), time=time_text(span.start))
    if otel.is_mcp(span):
        return SpanSeen(bare, tools, None, is_mcp=True)
    heard = prepared((*otel.said(span), *openinference.said(span)), payloads)
    logged = prepared(said(span), payloads)
    time = time_text(span.start) if heard or logged else None
    return SpanSeen(bare, tools, None, heard, logged, time, is_event(span))


def _whole(found: SpanCall, span: Span, payloads: PayloadMaker) -> SpanCall:
    """Return a call with what its span says of its failure; one without a result has none to make ready."""
    tool, arguments, result, error, call_id, _ = found
    if result is MISSING and not (span.failed or error):
        return found
    return SpanCall(
        tool,
        None if arguments is None else payloads.arguments(arguments),
        payloads.result(span.says if result is MISSING else result),
        error or span.failed,
        call_id,
        recorded=result is not MISSING,
    )


class Spans:
    """Joins what spans, observations and runs say."""

    def __init__(self, tally: ImportTally) -> None:
        self._tally = tally
        self._order = CallOrder(tally, self._settle)
        self._conversations = Conversations(tally)
        self._seen: Lately[tuple[str, str], bool] = Lately()
        self._spanned: Lately[str, bool] = Lately()
        """The ids of calls that have a span with a result, and their traces."""
        self._tooled: Lately[str, bool] = Lately()
        """The traces that have tool spans, with results or not."""
        self._told: Lately[str, bool] = Lately()
        """The ids of calls whose results stand in messages."""
        self._asks: Lately[str, ToolAsk] = Lately(ASKS)
        self._begun: Lately[str, str] = Lately()
        """The conversation of each span whose messages are log events."""

    def join(self, seen: RecordSeen) -> Iterator[Call]:
        """Return calls that are complete and in order."""
        for one in seen.spans:
            if one is None:
                self._tally.count(ANOTHER_SHAPE, seen.place)
            elif self._seen.get((one.span.trace, one.span.id)):
                self._tally.count(DUPLICATE, seen.place)
            else:
                self._seen.put((one.span.trace, one.span.id), True)
                self._take(one, seen)
        return self._order.full()

    def end(self) -> Iterator[Call]:
        """Return what was held back."""
        yield from self._order.rest()
        self._conversations.end(lambda turn: self._tooled.get(turn.begins or ""))

    def _take(self, seen: SpanSeen, record: RecordSeen) -> None:
        span, found = seen.span, seen.found
        self._order.see(span, seen.tools)
        if found is None:
            self._listen(seen, record)
            return
        self._tooled.put(span.trace, True)
        if found.recorded:
            self._spanned.put(span.trace, True)
            self._spanned.put(found.call_id or span.trace, True)
        self._order.hold(Item(span, found, record.place, record.size, time=seen.time))

    def _listen(self, seen: SpanSeen, record: RecordSeen) -> None:
        """Hear the calls and results that stand in a model's messages."""
        if seen.is_mcp:
            self._tally.count(MCP_SPAN, record.place)
            return
        span = seen.span
        events = (*seen.heard, *self._with_asks(seen.logged))
        if not events:
            return
        for event in events:
            if isinstance(event, ToolAsk):
                self._asks.put(event.id, event)
        of = span.parent or span.trace if seen.is_event else span.trace
        begins = self._begun.get(of) or span.trace
        turn = Turn(events, record.place, span.session, seen.time, begins=begins)
        if seen.is_event:
            self._begun.put(of, self._conversations.session(turn))
        for call_id, call in self._conversations.tell(turn):
            self._told.put(call_id, True)
            found = SpanCall(call.tool, call.arguments, call.result, call.error, call_id)
            self._order.hold(Item(span, found, record.place, record.size, call.session, seen.time))

    def _with_asks(self, events: Iterable[Said]) -> Iterator[Said]:
        """Yield events, each answer after its question: the two are events of their own, and come again with every question."""
        for event in events:
            if isinstance(event, ToolAnswer) and (ask := self._asks.get(event.id)) is not None:
                yield ask
            yield event

    def _settle(self, item: Item) -> SpanCall | None:
        """Say what a call is, now that all its trace has been heard."""
        found = item.found
        known = found.call_id or ""
        if item.told is not None:
            return None if self._spanned.get(known) or self._spanned.get(item.span.trace) else found
        if found.result is MISSING:
            if not self._told.get(known):
                self._tally.count(NO_RESULT, item.place)
            return None
        if found.arguments is None:
            ask = self._asks.get(known)
            found = found._replace(arguments=ask.arguments if ask is not None else None)
            if found.arguments is None:
                self._tally.count(NAMES_LOST, item.place)
        return found


def _family(value: Json, context: Mapping[str, Json]) -> Iterator[tuple[Json, Mapping[str, Json]]]:
    """Yield a run and the runs inside it, or the spans of a trace; anything else by itself. Each with what is around it."""
    if spans := mlflow.spans_of(value):
        yield from spans
        return
    yield value, context
    children = value.get("child_runs") if isinstance(value, dict) else None
    for child in children if isinstance(children, list) else ():
        yield from _family(child, context)


def _span(value: Json, context: Mapping[str, Json]) -> Span | None:
    # A loop: a generator for each record takes as long as what it asks.
    for envelope in ENVELOPES:
        span = envelope(value, context)
        if span is not None:
            return span
    return None


def _found(span: Span) -> SpanCall | None:
    """Return the call by the first convention that knows its result, else by the first that knows it."""
    first = None
    for convention in CONVENTIONS:
        call = convention(span)
        if call is not None and call.result is not MISSING:
            return call
        first = call if first is None else first
    return first
