"""Turns spans into calls, whatever convention each follows: one export often holds several.

Calls that come out of order are put in order, as far back as a bounded buffer reaches.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from outcome_monitors.model import Call, Json

from ._conventions import (
    MISSING,
    SpanCall,
    call_of,
    is_log_record,
    is_mcp,
    is_pending,
    messages_of,
    tools_of,
)
from ._joining import RECENT, Bounded, Conversations, Message, ToolRequest, ToolResponse, Turn
from ._payloads import arguments_of, time_text
from ._source import ANOTHER_SHAPE, NAMES_LOST, ImportTally, Reason, Record, call
from ._spans import Span, members_of, span_of

HELD_BACK = 8 << 20
"""About how many characters of records are held back, to put calls in order."""
SPAN_SIZE = 200
"""What it takes to remember a span that is no call."""
REQUESTS = 5000
"""How many requests for calls are remembered, to know the arguments of spans that lost them."""

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
CLOCKS = Reason(
    "tool span starts before its parent",
    "tool spans start before their parents",
    "clocks differ between machines; in such traces the order of the export was kept",
    lost=False,
)
NO_SESSION = Reason(
    "tool call names no session",
    "tool calls name no session",
    "its trace stands for it; set gen_ai.conversation.id or session.id where a session has several traces",
    lost=False,
)


class _Held(NamedTuple):
    """A call that is held back."""

    span: Span
    """Without its attributes."""
    found: SpanCall
    place: str
    size: int
    joined: str | None = None
    """The session, of a call that stands in a model's messages and has no span of its own."""


@dataclass(slots=True)
class _Trace:
    session: str | None = None
    tools: tuple[str, ...] | None = None
    starts: dict[str, int] = field(default_factory=dict)
    """When each span starts that has been seen, to see whether clocks agree."""
    calls: list[_Held] = field(default_factory=list)
    size: int = 0


class Spans:
    """Reads spans, observations and runs."""

    def __init__(self, tally: ImportTally) -> None:
        self._tally = tally
        self._traces: OrderedDict[str, _Trace] = OrderedDict()
        """Traces that may go on. What is too much gives way: the traces that began first."""
        self._size = 0
        self._conversations = Conversations(tally)
        self._seen = Bounded[tuple[str, str], bool](RECENT)
        self._spanned = Bounded[str, bool](RECENT)
        """The ids of calls that have a span with a result, and their traces."""
        self._tooled = Bounded[str, bool](RECENT)
        """The traces that have tool spans, with results or not."""
        self._joined = Bounded[str, bool](RECENT)
        """The ids of calls whose results stand in messages."""
        self._requests = Bounded[str, ToolRequest](REQUESTS)
        self._begun = Bounded[str, str](RECENT)
        """The conversation of each span whose messages are log events."""

    def read(self, record: Record) -> Iterator[Call]:
        """Return calls that are complete and in order."""
        for value, context in members_of(record.value, record.context):
            span = span_of(value, context)
            if span is None:
                self._tally.count(ANOTHER_SHAPE, record.place)
            elif is_pending(span):
                continue
            elif self._seen.get((span.trace, span.id)):
                self._tally.count(DUPLICATE, record.place)
            else:
                self._seen.put((span.trace, span.id), True)
                self._take(span, record)
        if self._size > HELD_BACK:
            yield from self._release(HELD_BACK // 2)

    def end(self) -> Iterator[Call]:
        """Return what was held back."""
        yield from self._release(0)
        self._conversations.end(lambda turn: self._tooled.get(turn.begins or ""))

    def _take(self, span: Span, record: Record) -> None:
        trace = self._traces.get(span.trace) or self._traces.setdefault(span.trace, _Trace())
        trace.session = span.session or trace.session
        trace.tools = tools_of(span) or trace.tools
        if span.start is not None:
            trace.starts[span.id] = span.start
        trace.size += SPAN_SIZE
        self._size += SPAN_SIZE
        found = call_of(span)
        if found is None:
            self._read_messages(span, record)
            return
        self._tooled.put(span.trace, True)
        failed = found.error or span.failed
        if found.result is not MISSING:
            self._spanned.put(span.trace, True)
            self._spanned.put(found.call_id or span.trace, True)
        elif failed:
            found = found._replace(result=span.message)
        self._hold(span, found._replace(error=failed), record)

    def _hold(self, span: Span, found: SpanCall, record: Record, joined: str | None = None) -> None:
        trace = self._traces[span.trace]
        trace.calls.append(_Held(span._replace(attributes={}), found, record.place, record.size, joined))
        trace.size += record.size
        self._size += record.size

    def _read_messages(self, span: Span, record: Record) -> None:
        """Join the calls and results that stand in a model's messages."""
        if is_mcp(span):
            self._tally.count(MCP_SPAN, record.place)
            return
        is_event = is_log_record(span)
        messages = tuple(self._with_requests(messages_of(span)) if is_event else messages_of(span))
        if not messages:
            return
        for message in messages:
            if isinstance(message, ToolRequest):
                self._requests.put(message.id, message)
        of = span.parent or span.trace if is_event else span.trace
        begins = self._begun.get(of) or span.trace
        turn = Turn(messages, record.place, span.session, time_text(span.start), begins=begins)
        if is_event:
            self._begun.put(of, self._conversations.session(turn))
        for call_id, joined in self._conversations.join(turn):
            self._joined.put(call_id, True)
            found = SpanCall(joined.tool, dict(joined.arguments), joined.result, joined.error, call_id)
            self._hold(span, found, record, joined.session)

    def _with_requests(self, messages: Iterable[Message]) -> Iterator[Message]:
        """Yield messages, each response after its request: the two are events of their own, and come again with every question."""
        for message in messages:
            if isinstance(message, ToolResponse) and (known := self._requests.get(message.id)) is not None:
                yield known
            yield message

    def _release(self, to: int) -> Iterator[Call]:
        """Yield calls that are held back, of the traces that began first, until no more than so much is left."""
        sessions: dict[str, list[_Trace]] = {}
        while self._traces and self._size > to:
            name, trace = self._traces.popitem(last=False)
            self._size -= trace.size
            if trace.calls:
                sessions.setdefault(trace.session or name, []).append(trace)
        for name, traces in sessions.items():
            for trace in sorted(traces, key=lambda trace: min(trace.starts.values(), default=0)):
                yield from self._ordered(trace, name)

    def _ordered(self, trace: _Trace, session: str) -> Iterator[Call]:
        skewed = [held for held in trace.calls if _starts_before_parent(held.span, trace.starts)]
        if skewed:
            self._tally.count(CLOCKS, skewed[0].place, len(skewed))
        elif all(held.span.start is not None for held in trace.calls):
            trace.calls.sort(key=lambda held: held.span.start or 0)
        for held in trace.calls:
            span, found = held.span, self._settled(held)
            if found is None:
                continue
            named = held.joined or span.session or trace.session
            if named is None:
                self._tally.count(NO_SESSION, held.place)
            yield call(
                found.tool,
                found.arguments or {},
                found.result,
                session=named or session,
                task=span.task,
                error=found.error,
                time=time_text(span.start),
                tools=trace.tools,
            )

    def _settled(self, held: _Held) -> SpanCall | None:
        """Say what a call is, now that all its trace has been read; nothing where it is none after all."""
        found = held.found
        known = found.call_id or ""
        if held.joined is not None:
            return None if self._spanned.get(known) or self._spanned.get(held.span.trace) else found
        if found.result is MISSING:
            if not self._joined.get(known):
                self._tally.count(NO_RESULT, held.place)
            return None
        if found.arguments is None:
            request = self._requests.get(known)
            found = found._replace(arguments=arguments_of(request.given) if request is not None else None)
            if found.arguments is None:
                self._tally.count(NAMES_LOST, held.place)
        return found


def spans_with(mark: str) -> Callable[[Json], bool]:
    """Return what recognises spans that have an attribute whose name begins so, and traces of MLflow's that hold some."""

    def recognise(value: Json) -> bool:
        span = span_of(*next(members_of(value, {})))
        return span is not None and any(key.startswith(mark) for key in span.attributes)

    return recognise


def _starts_before_parent(span: Span, starts: Mapping[str, int]) -> bool:
    parent = starts.get(span.parent or "")
    return parent is not None and span.start is not None and span.start < parent
