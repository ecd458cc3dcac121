"""Turns spans into calls, whatever convention each follows: one export often holds several."""

from collections.abc import Iterable, Iterator, Mapping

from outcome_monitors.model import Call, Json

from . import adk, agents, langfuse, langsmith, logfire, mlflow, openinference, otel, traceloop, vercel
from ._conversations import NAMES_LOST, Conversations, ToolAnswer, ToolAsk, Turn
from ._events import as_event, is_event, said
from ._json import JsonRecord
from ._memory import Lately
from ._order import CallOrder, Item
from ._reader import ANOTHER_SHAPE
from ._spans import MISSING, Span, SpanCall, as_span
from ._tally import ImportTally, Reason
from ._values import time_text

__all__ = ["Spans"]

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


class Spans:
    """Reads spans, observations and runs."""

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

    def read(self, record: JsonRecord) -> Iterator[Call]:
        """Return calls that are complete and in order."""
        for value, context in _family(record.value, record.context):
            span = _span(value, context)
            if span is None:
                self._tally.count(ANOTHER_SHAPE, record.place)
            elif logfire.is_pending(span):
                continue
            elif self._seen.get((span.trace, span.id)):
                self._tally.count(DUPLICATE, record.place)
            else:
                self._seen.put((span.trace, span.id), True)
                self._read(span, record)
        yield from self._order.full()

    def end(self) -> Iterator[Call]:
        """Return what was held back."""
        yield from self._order.rest()
        self._conversations.end(lambda turn: self._tooled.get(turn.begins or ""))

    def _read(self, span: Span, record: JsonRecord) -> None:
        self._order.see(span, otel.tools_of(span))
        found = _found(span)
        if found is None:
            self._listen(span, record)
            return
        self._tooled.put(span.trace, True)
        if found.result is not MISSING:
            self._spanned.put(span.trace, True)
            self._spanned.put(found.call_id or span.trace, True)
        elif span.failed or found.error:
            found = found._replace(result=span.says)
        if span.failed:
            found = found._replace(error=True)
        self._order.hold(Item(span, found, record.place, record.size))

    def _listen(self, span: Span, record: JsonRecord) -> None:
        """Hear the calls and results that stand in a model's messages."""
        if otel.is_mcp(span):
            self._tally.count(MCP_SPAN, record.place)
            return
        events = (*otel.said(span), *openinference.said(span), *self._with_asks(said(span)))
        if not events:
            return
        for event in events:
            if isinstance(event, ToolAsk):
                self._asks.put(event.id, event)
        of = span.parent or span.trace if is_event(span) else span.trace
        begins = self._begun.get(of) or span.trace
        turn = Turn(events, record.place, span.session, time_text(span.start), begins=begins)
        if is_event(span):
            self._begun.put(of, self._conversations.session(turn))
        for call_id, call in self._conversations.tell(turn):
            self._told.put(call_id, True)
            found = SpanCall(call.tool, dict(call.arguments), call.result, call.error, call_id)
            self._order.hold(Item(span, found, record.place, record.size, call.session))

    def _with_asks(self, events: Iterable[ToolAsk | ToolAnswer]) -> Iterator[ToolAsk | ToolAnswer]:
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
