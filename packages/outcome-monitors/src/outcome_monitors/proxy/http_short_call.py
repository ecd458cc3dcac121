"""One request on the short way, from its body to the end of its answer."""

import asyncio
from typing import TYPE_CHECKING, Any

from aiohttp import HttpVersion11
from aiohttp.http_writer import StreamWriter

from .dialogue import Dialogue
from .http1 import BadAnswerError
from .http_connection import Answer
from .http_response import relayed_head
from .http_shortcut import MOST_GATHERED, KnownHead, WaitingClient
from .look import look_at
from .upstream import UnreachableError

if TYPE_CHECKING:
    from .http_relay import Relay

__all__ = ["ShortCall", "ShortRequest"]


class ShortRequest:
    """What the long way needs to know of a request, where there is no other: it was a plain POST."""

    method = "POST"
    version = HttpVersion11
    keep_alive = True

    def __init__(self, client: Any) -> None:
        self.transport = client.transport
        self.writer = StreamWriter(client, asyncio.get_running_loop())


class ShortCall:
    """Is told when something of the answer has come, and passes it back when all of it is there."""

    __slots__ = ("_answer", "_client", "_dialogue", "_known", "_relay", "_task")

    def __init__(
        self, relay: "Relay", client: WaitingClient, known: KnownHead, dialogue: Dialogue, answer: Answer
    ) -> None:
        self._relay, self._client, self._known = relay, client, known
        self._dialogue, self._answer = dialogue, answer
        self._task: asyncio.Task[None] | None = None

    def begin(self, body: bytes) -> None:
        """Pass the request on."""
        self._relay.under_way += 1
        self._answer.begin(b"%b%d\r\n\r\n%b" % (self._known.request, len(body), body), self.news)
        # While the server is at work on it: its answer cannot be heard before.
        if body:
            look_at(self._relay.desk, body, self._dialogue.asked)

    def news(self) -> None:
        """Look at what has come so far."""
        answer = self._answer
        if answer.has_head:
            if not (answer.head.is_json and answer.held <= self._relay.desk.budget.largest):
                self._go_over()
            elif answer.whole:
                self._end()
            elif answer.trouble is not None or (answer.head.size or MOST_GATHERED) >= MOST_GATHERED:
                self._go_over()
            # Else it comes in parts, and the rest of it is about to.
        elif answer.trouble is not None:
            self._cannot(answer.trouble)

    def give_up(self) -> None:
        """Take note that the client has left; the server is to learn of it."""
        if self._task is not None:
            self._task.cancel()
        else:
            self._relay.under_way -= 1
            self._answer.news = None
            self._answer.close()

    def _end(self) -> None:
        """Pass the answer back, which is all there."""
        answer, relay = self._answer, self._relay
        relay.heard("POST", self._known.session, answer, self._dialogue)
        body = look_at(relay.desk, answer.taken(), self._dialogue.answered)
        self._client.write(relayed_head(answer.head, len(body), stays=not relay.ending) + body)
        self._leave()

    def _leave(self) -> None:
        self._relay.under_way -= 1
        self._answer.news = None
        self._relay.upstream.back(self._answer)
        if self._relay.ending and self._client.transport is not None:
            # What was written goes out first.
            self._client.transport.close()
        self._client.done()

    def _cannot(self, error: BadAnswerError) -> None:
        said = UnreachableError(f"{self._relay.upstream.name}: {error}")
        self._relay.warn(said)
        text = f"the server behind this proxy cannot be reached: {said}\n".encode()
        head = b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
        self._client.write(head % len(text) + text)
        self._leave()

    def _go_over(self) -> None:
        self._answer.news = None
        self._task = asyncio.get_running_loop().create_task(self._rest())

    async def _rest(self) -> None:
        """Pass the answer back as the long way does."""
        answer, relay = self._answer, self._relay
        try:
            relay.heard("POST", self._known.session, answer, self._dialogue)
            await relay.back(ShortRequest(self._client), answer, self._dialogue)
        except (ConnectionError, asyncio.CancelledError):
            # The client has left in the middle of it.
            answer.close()
        finally:
            self._leave()
