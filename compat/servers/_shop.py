"""What the servers in Python share: an order, the tools that take only a context, and the events of streams."""

import asyncio
from collections.abc import Callable
from typing import Any

from mcp.server.streamable_http import EventMessage, EventStore
from typing_extensions import TypedDict

__all__ = ["Kept", "Order", "kept", "tools", "wrong"]


class Kept(EventStore):
    """Keeps every event, so that a client can resume its stream."""

    def __init__(self) -> None:
        self._events: list[tuple[str, Any]] = []
        self.resumed = 0

    async def store_event(self, stream_id: str, message: Any) -> str:
        """Keep an event, and return its id."""
        self._events.append((stream_id, message))
        return str(len(self._events))

    async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str | None:
        """Send what its stream had behind an event, and return the stream."""
        self.resumed += 1
        last = int(last_event_id)
        stream = self._events[last - 1][0]
        for number, (of, message) in enumerate(self._events[last:], last + 1):
            if of == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


class Order(TypedDict):
    """An order."""

    id: str
    total: float
    status: str


kept = Kept()
_cancelled: list[str] = []


def wrong(status: str) -> Order:
    """Return an order that breaks its contract."""
    return {"id": "W1", "total": -5.0, "status": status}


def tools(context: Any) -> list[Callable[..., Any]]:
    """Return the tools that every server has, for the class that its SDK's contexts are of."""

    def get_order(id: str, total: float = 12.5) -> Order:  # noqa: A002 - the tool's argument
        """Return an order."""
        return {"id": id, "total": total, "status": "sent"}

    async def count(ctx: context) -> Order:
        """Report progress."""
        for number in range(3):
            await ctx.report_progress(number, 3)
            await asyncio.sleep(0.1)
        return wrong("counted")

    async def log(ctx: context) -> Order:
        """Log something."""
        await ctx.info("the shop is open")
        return wrong("logged")

    async def wait(ctx: context) -> Order:
        """Wait for a minute, and note a cancellation."""
        await ctx.report_progress(0, 1)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            _cancelled.append("wait")
            raise
        return wrong("waited")

    def waited() -> Order:
        """Say how many calls were cancelled."""
        return wrong(f"called off: {len(_cancelled)}")

    async def resume(ctx: context) -> Order:
        """Break the stream, and answer when it is gone."""
        await ctx.close_sse_stream()
        await asyncio.sleep(0.2)
        return wrong("resumed")

    def resumed() -> Order:
        """Say how many streams were resumed."""
        return wrong(f"resumed: {kept.resumed}")

    return [get_order, count, log, wait, waited, resume, resumed]
