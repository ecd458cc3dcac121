"""The proxy over streamable HTTP: every request is passed on to the server behind it, and its answer back.

Its path is that of the server behind it; beside it, only the metadata of its authorisation are found. Sessions are told apart by `Mcp-Session-Id`; a request without one is a session of its own.
`/healthz` and `/readyz` alone are answered here.
"""

import asyncio
import logging
import re
import time
import zlib
from codecs import BOM_UTF8
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from hashlib import sha256
from ipaddress import ip_address, ip_network

from aiohttp import ClientError, ClientResponse, HttpVersion11, StreamReader, web
from multidict import CIMultiDict

from outcome_monitors.alerting.policy import this_host

from .context import ProxyContext
from .framing import EVENT_END, Cutter, Piece, Unpack, as_utf8, unpacker, with_data
from .http_upstream import UnreachableError, Upstream
from .listed import Listed
from .readiness import PROBES, Reach
from .request_guard import RequestGuard
from .session import UNREADABLE, Id, JsonRpcSession

log = logging.getLogger("outcome_monitors.mcp")

SESSION = "Mcp-Session-Id"
MOST_SESSIONS = 1000
"""Those not heard of for longest are forgotten first: their memory is, not the server's session."""
BETWEEN_WARNINGS = 60.0
"""Seconds between two warnings of a server that cannot be reached: each of a thousand clients finds that out."""
SLOWEST_PART = 60.0
"""Seconds in which something more of a request's body is to come."""
_EVENT_ID = re.compile(rb"^id:", re.MULTILINE)
_OF_ONE_CONNECTION = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "content-length",
    ]
)
"""Headers that concern one connection, not the message; those that `Connection` names do too."""


class Relay:
    """Passes requests on, and answers back."""

    def __init__(self, context: ProxyContext, upstream: str, guard: RequestGuard | None = None) -> None:
        self.context = context
        self.upstream = Upstream(upstream)
        self._guard = RequestGuard() if guard is None else guard
        self._sessions: OrderedDict[str, JsonRpcSession] = OrderedDict()
        self._tools: dict[str, Listed] = {}
        """Those that requests without a session were told."""
        self._warned = -BETWEEN_WARNINGS
        self.under_way = 0
        """Requests that wait for their answer; streams that only listen are none."""
        self.ending = False
        """Whether clients are told, with the answers that they still get, to go elsewhere."""

    def open(self) -> None:
        """Be ready for requests, as long as the server can be reached."""
        self.context.readiness.begin(Reach(*self.upstream.place))

    def end(self) -> None:
        """Be ready for none."""
        self.context.readiness.end()
        self.ending = True

    async def close(self) -> None:
        """Close the connections to the server."""
        await self.upstream.close()

    @property
    def sessions(self) -> int:
        """How many sessions are remembered."""
        return len(self._sessions)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request; what stops the proxy waits for all but streams that listen."""
        refusal = self._guard.refusal(request.headers.getall)
        # Whoever probes knows no token, and learns next to nothing.
        if request.raw_path in PROBES and (refusal is None or refusal[0] == 401):
            # Not in the loop: the server may have to be asked.
            status, text = await asyncio.to_thread(self.context.readiness.answer, request.raw_path)
            return web.Response(status=status, text=text)
        if refusal is not None:
            return web.Response(status=refusal[0], text=f"{refusal[1]}\n")
        if request.method == "CONNECT" or not request.raw_path.startswith("/"):
            # A request for another address, or for a tunnel, would be taken for us elsewhere.
            return web.Response(status=400, text="this proxy takes paths of its server alone\n")
        if self.upstream.target(request.raw_path) is None:
            return web.Response(status=404, text="this proxy serves the path of its server alone\n")
        counts = request.method != "GET"
        self.under_way += counts
        try:
            return await self._relay(request)
        finally:
            self.under_way -= counts

    async def _relay(self, request: web.BaseRequest) -> web.StreamResponse:
        name = request.headers.get(SESSION)
        session = self._session(name, *_asks(request))
        asked = set[Id]()
        try:
            answer = await self._ask(request, session, asked)
        except TimeoutError:
            return web.Response(status=408, text="the rest of the request did not come\n")
        except UnreachableError as error:
            now = time.monotonic()
            if now - self._warned >= BETWEEN_WARNINGS:
                self._warned = now
                log.warning("the server behind the proxy cannot be reached: %s", error)
            return web.Response(status=502, text=f"the server behind this proxy cannot be reached: {error}\n")
        try:
            if name is not None:
                if request.method == "DELETE" or answer.status == 404:
                    self._sessions.pop(name, None)
            elif (begun := answer.headers.get(SESSION)) and begun not in self._sessions:
                # It knows what its client has called itself in the request.
                self._session(begun, *_asks(request))
            return await self._answer(request, answer, session, asked)
        except (ClientError, zlib.error):
            # The client is to see an answer that broke off, as it did, not one that came to its end.
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=502)
        finally:
            answer.release()
            failed = answer.status >= 400
            words = f"the server answered with HTTP status {answer.status}" if failed else UNREADABLE
            session.unanswered(asked & session.waiting(), words, openly=failed)

    def _session(self, name: str | None, client: str, witness: str) -> JsonRpcSession:
        if name is None:
            return JsonRpcSession(self.context, None, tools=self._tools, client=client, witness=witness)
        session = self._sessions.pop(name, None)
        if session is None:
            # In events and traces it has another name: who knows its id can speak for it.
            shown = sha256(name.encode(errors="surrogateescape")).hexdigest()[:16]
            session = JsonRpcSession(self.context, shown, replays=True, client=client, witness=witness)
        self._sessions[name] = session
        if len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return session

    async def _ask(self, request: web.BaseRequest, session: JsonRpcSession, asked: set[Id]) -> ClientResponse:
        """Pass a request on, and note what it asks: its body whole, or, where that is too large to be looked at, in parts."""
        headers = CIMultiDict(self._guard.without_token(_of_the_message(request.headers)))
        if request.headers.get("Expect", "").lower() == "100-continue":
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body, rest = bytearray(), _parts(request.content)
        async for part in rest:
            body += part
            if len(body) > self.context.limit.largest:
                if request.content_length is not None:
                    headers["Content-Length"] = str(request.content_length)
                return await self.upstream.ask(request.method, request.raw_path, headers, _chain(body, rest))
        data = bytes(body) if request.can_read_body or body else None
        if data:
            before = session.waiting()
            self.context.inspect(Piece(data, whole=True), session.from_client)
            asked |= session.waiting() - before
        return await self.upstream.ask(request.method, request.raw_path, headers, data)

    async def _answer(
        self, request: web.BaseRequest, answer: ClientResponse, session: JsonRpcSession, asked: set[Id]
    ) -> web.StreamResponse:
        """Pass an answer back: JSON whole, events one by one, all else unread but for its head."""
        context, content = self.context, answer.content
        unpack = unpacker(answer.headers.get("Content-Encoding", "").strip().lower())
        kind = answer.headers.get("Content-Type", "").lower()
        headers = CIMultiDict(_of_the_message(answer.headers))
        response = web.StreamResponse(status=answer.status, reason=answer.reason, headers=headers)
        if self.ending or request.version < HttpVersion11:
            # Before HTTP/1.1, the end of an answer whose size nobody knows is that of the connection.
            response.force_close()
        if unpack is not None and "text/event-stream" in kind:
            # Passed on as it was unpacked: a receipt may have to go into any event.
            response.headers.popall("Content-Encoding", None)
            await self._events(request, response, content, unpack, session, asked)
            return response
        size, first = answer.content_length, bytearray()
        if unpack is not None and "application/json" in kind and (size or 0) <= context.limit.largest:
            # Its size may not be told before: what turns out to be too large goes on as a stream.
            while len(first) <= context.limit.largest and (chunk := await content.readany()):
                first += chunk
            if len(first) <= context.limit.largest and request.method != "HEAD":
                changed = self._whole(bytes(first), unpack, answer.charset or "", session)
                if changed is not None:
                    response.headers.popall("Content-Encoding", None)
                    response.headers["Content-Type"] = "application/json"
                body = bytes(first) if changed is None else changed
                response.content_length = len(body)
                await response.prepare(request)
                await response.write_eof(body)
                return response
        if size is not None:
            response.content_length = size
        await response.prepare(request)
        first += b"" if first else await content.readany()
        if first:
            await response.write(
                context.inspect(Piece(bytes(first), whole=False), session.from_server, session.too_large)
            )
        async for chunk in content.iter_any():
            await response.write(chunk)
        await response.write_eof()
        return response

    def _whole(self, body: bytes, unpack: Unpack, charset: str, session: JsonRpcSession) -> bytes | None:
        """Return what becomes of a body of JSON, unpacked and in UTF-8; None where it goes on as it came."""
        try:
            text = as_utf8(unpack(body, self.context.limit.largest), charset)
        except zlib.error:
            return None
        changed = self.context.inspect(Piece(text, whole=True), session.from_server)
        return None if changed == text else changed

    async def _events(
        self,
        request: web.BaseRequest,
        response: web.StreamResponse,
        content: StreamReader,
        unpack: Unpack,
        session: JsonRpcSession,
        asked: set[Id],
    ) -> None:
        """Pass events on, one by one."""
        context = self.context
        cutter = Cutter(context.limit.largest, EVENT_END)

        def inspected(event: bytes) -> bytes:
            if _EVENT_ID.search(event):
                # A client may have the rest of such a stream later, on another one.
                asked.clear()
            return with_data(event, session.from_server)

        def events(pieces: Iterable[Piece]) -> bytes:
            return b"".join([context.inspect(piece, inspected, session.too_large) for piece in pieces])

        # The head at once: the first event may come late.
        await response.prepare(request)
        first = True
        async for chunk in content.iter_any():
            text = unpack(chunk, context.limit.largest)
            if first and text:
                text, first = text.removeprefix(BOM_UTF8), False
            if data := events(cutter.feed(text)):
                await response.write(data)
        await response.write_eof(events(cutter.end()))


def _asks(request: web.BaseRequest) -> tuple[str, str]:
    """Return which client asks, and the one witness that all of its connection is: what it cannot choose freely.

    Session ids and names can be made up. Of IPv6, one client may have a whole network of addresses.
    """
    place = None if request.transport is None else request.transport.get_extra_info("peername")
    host, port = place[:2] if isinstance(place, tuple) else (request.remote or "", 0)
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host, f"{host}:{port}"
    if address.is_loopback:
        return this_host(), f"{host}:{port}"
    network = ip_network((address, 64), strict=False) if address.version == 6 else address
    return str(network), f"{host}:{port}"


def _of_the_message(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the headers that are not of one connection alone."""
    named = {
        word.strip().lower()
        for name, value in headers.items()
        if name.lower() == "connection"
        for word in value.split(",")
    }
    for name, value in headers.items():
        if name.lower() not in _OF_ONE_CONNECTION | named:
            # aiohttp writes UTF-8 alone; a byte that is none is replaced.
            yield name, value.encode(errors="surrogateescape").decode(errors="replace")


async def _parts(content: StreamReader) -> AsyncIterator[bytes]:
    """Yield what comes of a body; raise TimeoutError where nothing comes."""
    while True:
        async with asyncio.timeout(SLOWEST_PART):
            part = await content.readany()
        if not part:
            return
        yield part


async def _chain(first: bytearray, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield bytes(first)
    async for part in rest:
        yield part
