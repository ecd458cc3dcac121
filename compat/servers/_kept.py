"""Keeps the events of streams, so that a client whose stream broke can have what it missed; for both majors of the SDK."""

from typing import Any

from mcp.server.streamable_http import EventMessage, EventStore

__all__ = ["Kept"]


class Kept(EventStore):
    """Events in memory, each numbered by its place among all."""

    def __init__(self) -> None:
        self._events: list[tuple[str, Any]] = []
        self.resumed = 0
        """How many streams were resumed."""

    async def store_event(self, stream_id: str, message: Any) -> str:
        """Keep an event, and return its number."""
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
