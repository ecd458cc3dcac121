"""Calls that come out of order are put in order, as far back as a bounded buffer reaches."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from outcome_monitors.model import Call

from ._reader import call
from ._spans import Span, SpanCall
from ._tally import ImportTally, Reason

__all__ = ["CallOrder", "Item"]

MOST = 8 << 20
"""About how many characters of records are held back."""
SPAN = 200
"""What it takes to remember a span that is no call."""

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


class Item(NamedTuple):
    """A call that is held back."""

    span: Span
    found: SpanCall
    place: str
    size: int
    told: str | None = None
    """The session, of a call that stands in a model's messages and has no span of its own."""
    time: str | None = None
    """When the span starts."""


Settle = Callable[[Item], SpanCall | None]
"""Says last what a call is, when all has been heard that is going to be; nothing where it is none after all."""


@dataclass(slots=True)
class _Trace:
    session: str | None = None
    tools: tuple[str, ...] | None = None
    starts: dict[str, int] = field(default_factory=dict)
    """When each span starts that has been seen, to tell whether clocks agree."""
    items: list[Item] = field(default_factory=list)
    size: int = 0


class CallOrder:
    """Holds the calls of traces that may go on. What is full gives way: the traces that began first."""

    def __init__(self, tally: ImportTally, settle: Settle, most: int = MOST) -> None:
        self._tally = tally
        self._settle = settle
        self._most = most
        self._traces: OrderedDict[str, _Trace] = OrderedDict()
        self._size = 0

    def see(self, span: Span, tools: tuple[str, ...] | None) -> None:
        """Take note of a span: a later one may tell the session of an earlier."""
        trace = self._traces.get(span.trace)
        if trace is None:
            trace = self._traces[span.trace] = _Trace()
        trace.session = span.session or trace.session
        trace.tools = trace.tools if tools is None else tools
        if span.start is not None:
            trace.starts[span.id] = span.start
        trace.size += SPAN
        self._size += SPAN

    def hold(self, item: Item) -> None:
        """Hold a call back; its span has been seen."""
        trace = self._traces[item.span.trace]
        trace.items.append(item)
        trace.size += item.size
        self._size += item.size

    def full(self) -> Iterator[Call]:
        """Yield calls where too much is held back: those of the older half."""
        if self._size > self._most:
            yield from self._give_way(self._most // 2)

    def rest(self) -> Iterator[Call]:
        """Yield all that is held back."""
        yield from self._give_way(0)

    def _give_way(self, to: int) -> Iterator[Call]:
        sessions: dict[str, list[_Trace]] = {}
        while self._traces and self._size > to:
            name, trace = self._traces.popitem(last=False)
            self._size -= trace.size
            if trace.items:
                sessions.setdefault(trace.session or name, []).append(trace)
        for name, traces in sessions.items():
            in_order = sorted(traces, key=lambda trace: min(trace.starts.values(), default=0))
            for trace in in_order:
                yield from self._calls(trace, name)

    def _calls(self, trace: _Trace, session: str) -> Iterator[Call]:
        skewed = [item for item in trace.items if _too_early(item, trace.starts)]
        if skewed:
            self._tally.count(CLOCKS, skewed[0].place, len(skewed))
        elif all(item.span.start is not None for item in trace.items):
            trace.items.sort(key=attrgetter("span.start"))
        for item in trace.items:
            found = self._settle(item)
            if found is None:
                continue
            named = item.told or item.span.session or trace.session
            if named is None:
                self._tally.count(NO_SESSION, item.place)
            yield call(
                found.tool,
                found.arguments or {},
                found.result,
                session=named or session,
                task=item.span.task,
                error=found.error,
                time=item.time,
                tools=trace.tools,
            )


def _too_early(item: Item, starts: dict[str, int]) -> bool:
    parent = starts.get(item.span.parent or "")
    return parent is not None and item.span.start is not None and item.span.start < parent
