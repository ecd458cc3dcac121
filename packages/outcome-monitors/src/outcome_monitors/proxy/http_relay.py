"""The proxy over streamable HTTP: every request is passed on to the server behind it, and its answer back.

The paths are those of the server behind it, so that what stands beside its endpoint, such as the metadata of its
authorisation, is found too. Conversations are told apart by `Mcp-Session-Id`; a request without one is a conversation of its
own. `/healthz` and `/readyz` alone are answered here.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256

from aiohttp import HttpVersion11, web

from .desk import Desk
from .dialogue import Dialogue
from .doors import Doors
from .http1 import BadAnswerError
from .http_connection import Answer
from .http_heads import Head
from .http_looks import EventLook, HeadLook
from .http_message import body_of
from .http_response import RelayedResponse
from .http_short_call import ShortCall, ShortRequest
from .http_shortcut import KnownHead, Shortcuts, WaitingClient
from .look import PieceLook, look_at
from .readiness import PROBES, Reach
from .upstream import UnreachableError, Upstream

__all__ = ["Relay"]

log = logging.getLogger("outcome_monitors.proxy")

SESSION = "Mcp-Session-Id"
MOST_CONVERSATIONS = 1000
"""Those not heard of for longest are forgotten first: their memory is, not the server's session."""
NOT_FOUND, UNKNOWN = 404, 401
BETWEEN_WARNINGS = 60.0
"""Seconds between two warnings of a server that cannot be reached: each of a thousand clients finds that out."""


class Relay:
    """Passes requests on, and answers back."""

    def __init__(self, desk: Desk, upstream: str, doors: Doors | None = None) -> None:
        self.desk = desk
        self.upstream = Upstream(upstream)
        self.shortcuts = Shortcuts(self.begin)
        self._doors = Doors() if doors is None else doors
        self._conversations: OrderedDict[str, Dialogue] = OrderedDict()
        self._shared: dict[str, bool] = {}
        self._warned = -BETWEEN_WARNINGS
        self.under_way = 0
        """Requests that wait for their answer; streams that only listen are none."""
        self.ending = False
        """Whether clients are told, with the answers that they still get, to go elsewhere."""

    def open(self) -> None:
        """Be ready for requests, as long as the server can be reached."""
        self.desk.readiness.begin(Reach(*self.upstream.place))

    def end(self) -> None:
        """Be ready for none."""
        self.desk.readiness.end()
        self.ending = True

    def close(self) -> None:
        """Close the connections to the server."""
        self.upstream.close()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Pass one request on, and its answer back; what stops the proxy waits for all but streams that listen."""
        if request.method == "GET":
            return await self._handle(request)
        self.under_way += 1
        try:
            return await self._handle(request)
        finally:
            self.under_way -= 1

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        refusal = self._doors.refusal(request.headers)
        # Whoever probes knows no token, and learns next to nothing.
        if request.raw_path in PROBES and (refusal is None or refusal[0] == UNKNOWN):
            return await self._probed(request.raw_path)
        if refusal is not None:
            return web.Response(status=refusal[0], text=f"{refusal[1]}\n")
        if not _is_plain(request):
            return web.Response(status=400, text="this proxy takes paths of its server alone\n")
        session = request.headers.get(SESSION)
        dialogue = self._dialogue(session, request.remote or "")
        try:
            answer = await self._asked(request, dialogue)
        except TimeoutError:
            return web.Response(status=408, text="the rest of the request did not come\n")
        except UnreachableError as error:
            self.warn(error)
            return web.Response(status=502, text=f"the server behind this proxy cannot be reached: {error}\n")
        try:
            self._learn(request, session)
            self.heard(request.method, session, answer, dialogue)
            return await self.back(request, answer, dialogue)
        finally:
            self.upstream.back(answer)

    def begin(self, client: WaitingClient, known: KnownHead, body: bytes) -> Callable[[], None] | None:
        """Pass a request on by the short way; return what gives it up. Where no connection is kept it has to go the long way."""
        answer = None if self.ending else self.upstream.take()
        if answer is None:
            return None
        call = ShortCall(self, client, known, self._dialogue(known.session, client.remote), answer)
        call.begin(body)
        return call.give_up

    def _learn(self, request: web.BaseRequest, session: str | None) -> None:
        """Remember the head of a plain request, which was passed on."""
        pattern = getattr(request.protocol, "pattern", None)
        odd = any(name in request.headers for name in ("Expect", "Transfer-Encoding", "Upgrade"))
        if pattern is None or odd or request.method != "POST" or request.content_length is None:
            return
        if request.version == HttpVersion11 and request.keep_alive:
            headers = self._doors.own(request.raw_headers)
            said = self.upstream.head_of("POST", request.raw_path, headers, b"Content-Length: ")
            self.shortcuts.learn(pattern, KnownHead(said, session))

    def heard(self, method: str, session: str | None, answer: Answer, dialogue: Dialogue) -> None:
        """Take note of sessions that an answer begins or ends."""
        if session is None:
            self._begun(answer, dialogue)
        elif method == "DELETE" or answer.head.status == NOT_FOUND:
            self._conversations.pop(session, None)

    async def _probed(self, path: str) -> web.Response:
        # Not in the loop: the server may have to be asked.
        status, text = await asyncio.to_thread(self.desk.readiness.answer, path)
        return web.Response(status=status, text=text)

    async def _asked(self, request: web.BaseRequest, dialogue: Dialogue) -> Answer:
        """Pass a request on; raise TimeoutError where it does not come to its end."""
        body = await body_of(request, self.desk.budget.largest)
        if body.first and body.rest is None:
            look_at(self.desk, body.first, dialogue.asked)
        headers = self._doors.own(request.raw_headers)
        return await self.upstream.ask(request.method, request.raw_path, headers, body)

    @property
    def conversations(self) -> int:
        """How many conversations are remembered."""
        return len(self._conversations)

    def warn(self, error: UnreachableError) -> None:
        """Log that the server cannot be reached, now and then."""
        now = time.monotonic()
        if now - self._warned >= BETWEEN_WARNINGS:
            self._warned = now
            log.warning("the server behind the proxy cannot be reached: %s", error)

    def _begun(self, answer: Answer, dialogue: Dialogue) -> None:
        """Let a session that begins with an answer know what its client has called itself in the request."""
        new = answer.head.values.get(SESSION.lower())
        if new and new not in self._conversations:
            self._dialogue(new, dialogue.client)

    def _dialogue(self, session: str | None, client: str) -> Dialogue:
        if session is None:
            return Dialogue(self.desk, None, tools=self._shared, client=client)
        dialogue = self._conversations.pop(session, None)
        if dialogue is None:
            dialogue = Dialogue(self.desk, _hashed(session), replays=True, client=client)
        self._conversations[session] = dialogue
        if len(self._conversations) > MOST_CONVERSATIONS:
            self._conversations.popitem(last=False)
        return dialogue

    async def back(
        self, request: web.BaseRequest | ShortRequest, answer: Answer, dialogue: Dialogue
    ) -> web.StreamResponse:
        """Pass an answer back, as it comes."""
        try:
            return await self._pass_back(request, answer, dialogue)
        except BadAnswerError:
            # The client is to see an answer that broke off, as it did, not one that came to its end.
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=502)

    async def _pass_back(
        self, request: web.BaseRequest | ShortRequest, answer: Answer, dialogue: Dialogue
    ) -> web.StreamResponse:
        largest, size, head = self.desk.budget.largest, answer.head.size, answer.head
        kind = head.value("content-type").partition(";")[0].strip()
        plain = head.value("content-encoding") in ("", "identity")
        if plain and kind == "text/event-stream":
            events = EventLook(self.desk, dialogue)
            return await _stream(request, answer, self._response(head, None), events)
        body = b""
        if plain and kind == "application/json" and (size or 0) <= largest and request.method != "HEAD":
            # Its size may not be told before: what turns out to be too large goes on as a stream.
            body = await _up_to(largest, answer)
            if len(body) <= largest:
                changed = look_at(self.desk, body, dialogue.answered)
                return await _whole(request, self._response(head, len(changed)), changed)
        look = HeadLook(PieceLook(self.desk, dialogue.answered, dialogue.passed))
        return await _stream(request, answer, self._response(head, size), look, body)

    def _response(self, head: Head, size: int | None) -> RelayedResponse:
        return RelayedResponse(head, size, stays=not self.ending)


def _is_plain(request: web.BaseRequest) -> bool:
    """Say whether a request is for a path: one for another address, or for a tunnel, would be taken for us elsewhere."""
    return request.method != "CONNECT" and (request.raw_path.startswith("/") or request.raw_path == "*")


def _hashed(session: str) -> str:
    """Return what a session is called in events and traces: who knows its id can speak in its name."""
    return sha256(session.encode(errors="surrogateescape")).hexdigest()[:16]


async def _up_to(largest: int, answer: Answer) -> bytes:
    """Return the body of an answer, or, where it is larger, its first part."""
    body = await answer.some()
    if len(body) <= largest and (part := await answer.some()):
        parts = bytearray(body)
        while part:
            parts += part
            part = await answer.some() if len(parts) <= largest else b""
        body = bytes(parts)
    return body


async def _whole(
    request: web.BaseRequest | ShortRequest, response: RelayedResponse, body: bytes
) -> web.StreamResponse:
    await response.prepare(request)
    await response.write_eof(body)
    return response


async def _stream(
    request: web.BaseRequest | ShortRequest,
    answer: Answer,
    response: RelayedResponse,
    look: EventLook | HeadLook,
    first: bytes = b"",
) -> web.StreamResponse:
    await response.prepare(request)
    # The head at once: the first event may come late.
    await (response.write(look.feed(first)) if first else response.begin())
    while chunk := await answer.some():
        if data := look.feed(chunk):
            await response.write(data)
    if rest := look.end():
        await response.write(rest)
    await response.write_eof()
    return response
