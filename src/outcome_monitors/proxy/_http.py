"""The proxy over streamable HTTP: every request is passed on to the server behind it, and its answer back.

The paths are those of the server behind it, so that what stands beside its endpoint, such as the metadata of its
authorisation, is found too. Conversations are told apart by `Mcp-Session-Id`; a request without one is a conversation of its
own.
"""

import logging
from collections import OrderedDict
from io import BytesIO
from urllib.parse import urlsplit

from aiohttp import (
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    TCPConnector,
    web,
)
from yarl import URL

from ._desk import Desk
from ._dialogue import Dialogue
from ._lines import EVENT_END, Cutter, Piece
from ._sse import with_data

__all__ = ["Relay"]

log = logging.getLogger("outcome_monitors.proxy")

SESSION = "Mcp-Session-Id"
MOST_CONVERSATIONS = 1000
"""Those not heard of for longest are forgotten first: their memory is, not the server's session."""
LARGE_BODY = 2**18

# What concerns one connection, not the message; the host is the other one's; and what is compressed cannot be looked at.
_NOT_FOR_SERVER = frozenset(
    """
    host connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade
    content-length accept-encoding
    """.split()  # noqa: SIM905 - words read better as words
)
_NOT_FOR_CLIENT = _NOT_FOR_SERVER - {"host", "accept-encoding"}


class Relay:
    """Passes requests on, and answers back."""

    def __init__(self, desk: Desk, upstream: str, *, names: frozenset[str] | None = None) -> None:
        self._desk = desk
        address = urlsplit(upstream)
        self._origin = f"{address.scheme}://{address.netloc}"
        self._names = names
        self._conversations: OrderedDict[str, Dialogue] = OrderedDict()
        self._shared: dict[str, bool] = {}
        self._client: ClientSession | None = None

    async def start(self) -> None:
        """Open what requests are passed on with."""
        self._client = ClientSession(
            auto_decompress=False,
            timeout=ClientTimeout(total=None),
            connector=TCPConnector(limit=0),
            cookie_jar=DummyCookieJar(),
            skip_auto_headers=("User-Agent", "Accept", "Content-Type"),
        )

    async def stop(self) -> None:
        """Close it."""
        if self._client is not None:
            await self._client.close()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Pass one request on, and its answer back."""
        if self._names is not None and (request.url.host or "").lower() not in self._names:
            # A page that had its own name point here could else speak to the server as if it were local.
            return web.Response(status=403, text="this proxy serves local clients alone\n")
        assert self._client is not None
        session = request.headers.get(SESSION)
        dialogue = self._dialogue(session)
        body = await request.read() if request.can_read_body else None
        if body and len(body) <= self._desk.budget.largest:
            dialogue.asked(body)
        headers = [
            (name, value) for name, value in request.headers.items() if name.lower() not in _NOT_FOR_SERVER
        ]
        try:
            answer = await self._client.request(
                request.method,
                URL(self._origin + request.raw_path, encoded=True),
                headers=[*headers, ("Accept-Encoding", "identity")],
                # In pieces: a large body must not hold up the others.
                data=body if body is None or len(body) < LARGE_BODY else BytesIO(body),
                allow_redirects=False,
            )
        except ClientError as error:
            log.warning("the server behind the proxy cannot be reached: %s", error)
            return web.Response(status=502, text=f"the server behind this proxy cannot be reached: {error}\n")
        async with answer:
            if session is not None and (request.method == "DELETE" or answer.status == 404):
                self._conversations.pop(session, None)
            return await self._back(request, answer, dialogue)

    @property
    def conversations(self) -> int:
        """How many conversations are remembered."""
        return len(self._conversations)

    def _dialogue(self, session: str | None) -> Dialogue:
        if session is None:
            return Dialogue(self._desk, None, tools=self._shared)
        dialogue = self._conversations.pop(session, None) or Dialogue(self._desk, session, replays=True)
        self._conversations[session] = dialogue
        if len(self._conversations) > MOST_CONVERSATIONS:
            self._conversations.popitem(last=False)
        return dialogue

    async def _back(
        self, request: web.Request, answer: ClientResponse, dialogue: Dialogue
    ) -> web.StreamResponse:
        response = web.StreamResponse(status=answer.status, reason=answer.reason)
        try:
            await self._pass_back(request, answer, response, dialogue)
        except ClientError:
            # The client is to see an answer that broke off, as it did, not one that came to its end.
            if request.transport is not None:
                request.transport.abort()
        return response

    async def _pass_back(
        self, request: web.Request, answer: ClientResponse, response: web.StreamResponse, dialogue: Dialogue
    ) -> None:
        largest, size = self._desk.budget.largest, answer.content_length
        for name, value in answer.headers.items():
            if name.lower() not in _NOT_FOR_CLIENT:
                response.headers.add(name, value)
        plain = answer.headers.get("Content-Encoding", "identity") == "identity"
        if plain and answer.content_type == "text/event-stream":
            await _stream(request, answer, response, _Events(dialogue, largest))
            return
        body = bytearray()
        if plain and answer.content_type == "application/json" and (size or 0) <= largest:
            # Its size may not be told before: what turns out to be too large goes on as a stream.
            async for chunk in answer.content.iter_any():
                body += chunk
                if len(body) > largest:
                    break
            else:
                await _whole(request, response, dialogue.answered(bytes(body)))
                return
        response.content_length = size
        await _stream(request, answer, response, _Unread(dialogue), bytes(body))


async def _whole(request: web.Request, response: web.StreamResponse, body: bytes) -> None:
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body)
    await response.write_eof()


async def _stream(
    request: web.Request,
    answer: ClientResponse,
    response: web.StreamResponse,
    look: "_Events | _Unread",
    first: bytes = b"",
) -> None:
    await response.prepare(request)
    if first:
        await response.write(look.feed(first))
    async for chunk in answer.content.iter_any():
        if data := look.feed(chunk):
            await response.write(data)
    if rest := look.end():
        await response.write(rest)
    await response.write_eof()


class _Events:
    """The events of an SSE stream, each looked at."""

    def __init__(self, dialogue: Dialogue, largest: int) -> None:
        self._dialogue = dialogue
        self._cutter = Cutter(largest, EVENT_END)

    def feed(self, chunk: bytes) -> bytes:
        return b"".join([self._look(piece) for piece in self._cutter.feed(chunk)])

    def end(self) -> bytes:
        return b"".join([self._look(piece) for piece in self._cutter.end()])

    def _look(self, piece: Piece) -> bytes:
        if piece.whole:
            return with_data(piece.data, self._dialogue.answered)
        if piece.head:
            self._dialogue.passed(piece.data)
        return piece.data


class _Unread:
    """An answer that is too large to be looked at, or is not JSON."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue: Dialogue | None = dialogue

    def feed(self, chunk: bytes) -> bytes:
        if self._dialogue is not None:
            self._dialogue.passed(chunk)
            self._dialogue = None
        return chunk

    def end(self) -> bytes:
        return b""
