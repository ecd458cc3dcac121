"""The server behind the proxy over HTTP: aiohttp's client, asked to do no more than a proxy may.

It follows no redirect, keeps no cookie and unpacks no body. Addresses of this machine are asked straight; others as `HTTP_PROXY`,
`HTTPS_PROXY` and `NO_PROXY` say.
"""

import asyncio
import errno
import os
import re
import socket
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any
from urllib.request import getproxies, proxy_bypass

from aiohttp import (
    ClientError,
    ClientOSError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    InvalidURL,
    TCPConnector,
    TraceConfig,
)
from multidict import CIMultiDict
from yarl import URL

from .request_guard import is_local

IDLE = 3.0
"""Seconds that a connection is kept without use: less than servers commonly keep one (5), which would else close it just when a
request is on its way."""
CONNECTING = 10.0
"""Seconds in which a connection comes about, or does not."""
LONGEST_HEADER = 32 * 1024
_METADATA = re.compile(r"/\.well-known(?:/(?!\.\.?(?:/|$))[\w.~-]+)+/?", re.ASCII)
_REFUSED = frozenset({errno.ECONNRESET, errno.EPIPE})


class UnreachableError(Exception):
    """The server does not answer."""


class _Socket(socket.socket):
    """Reports a reset where the end of the connection came first: the system reports the end alone.

    A server that closes an idle connection just when a request is on its way refuses that request by a reset, unread.
    """

    def recv(self, *arguments: Any) -> bytes:
        data = super().recv(*arguments)
        self._refuse(len(data))
        return data

    def recv_into(self, *arguments: Any) -> int:
        size = super().recv_into(*arguments)
        self._refuse(size)
        return size

    def _refuse(self, size: int) -> None:
        if not size and (code := self.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)):
            raise OSError(code, os.strerror(code))


class Upstream:
    """The server behind the proxy."""

    def __init__(self, address: str) -> None:
        url = URL(address)
        self._base, self._authorization = _without_user(url)
        self._path = self._base.raw_path or "/"
        host = url.host or ""
        between = None if is_local(host) or proxy_bypass(host) else getproxies().get(url.scheme)
        self._proxy, allowed = None, ""
        if between:
            self._proxy, allowed = _without_user(URL(between if "//" in between else f"http://{between}"))
        self._proxy_headers = {"Proxy-Authorization": allowed} if allowed else {}
        self._tls: ssl.SSLContext | bool = ssl.create_default_context() if url.scheme == "https" else True
        self._client: ClientSession | None = None

    @property
    def place(self) -> tuple[str, int]:
        """Where connections go: to the server, or to the proxy on the way there."""
        url = self._proxy or self._base
        return url.host or "", url.port or 80

    def target(self, asked: str) -> URL | None:
        """Return what a path and query mean there; None for those that are not the server's own, which are nobody's business.

        What is asked of the server's own path has its query, and the name and password that go with it. Metadata beside it, which say
        how to log in, are asked for without these.
        """
        path, _, query = asked.partition("?")
        if path.rstrip("/") == self._path.rstrip("/"):
            queries = "&".join(filter(None, (self._base.raw_query_string, query)))
            return URL(f"{self._base.origin()}{path}{'?' if queries else ''}{queries}", encoded=True)
        if _METADATA.fullmatch(path):
            return URL(f"{self._base.origin()}{asked}", encoded=True)
        return None

    async def ask(
        self, method: str, asked: str, headers: CIMultiDict[str], data: bytes | AsyncIterator[bytes] | None
    ) -> ClientResponse:
        """Pass a request for a path and query on, and return its answer when the head of it is there."""
        url = self.target(asked)
        if url is None:
            raise UnreachableError(f"{self._base.authority}: it has another path")
        for name in ("Host", "Accept-Encoding", "Expect"):
            # The host is the other one's, what is compressed cannot be looked at, and whoever waits to be told to go on was told.
            headers.popall(name, None)
        headers["Accept-Encoding"] = "identity"
        if self._authorization and not _METADATA.fullmatch(url.raw_path):
            headers.setdefault("Authorization", self._authorization)
        if self._proxy is not None and self._base.scheme == "http":
            headers.update(self._proxy_headers)
        try:
            # So that the loop takes note of connections that the server has closed meanwhile: none of them is used again.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            used: Any = SimpleNamespace(again=False)
            try:
                return await self._request(method, url, headers, data, used)
            except ClientOSError as error:
                if not (used.again and error.errno in _REFUSED and not isinstance(data, AsyncIterator)):
                    raise
                # A reset: the server had closed the connection and has not read the request. An end without a reset says
                # nothing of the kind, and the call is not made twice.
                return await self._request(method, url, headers, data, used)
        except (ClientError, ValueError, OSError) as error:
            if isinstance(error, TimeoutError) and not isinstance(error, ClientError):
                raise
            # Of an address that is none, the words would say all of it.
            words = "" if isinstance(error, InvalidURL) else str(error)
            raise UnreachableError(f"{self._base.authority}: {words or type(error).__name__}") from None

    async def close(self) -> None:
        """Close all connections."""
        if self._client is not None:
            await self._client.close()

    async def _request(
        self, method: str, url: URL, headers: CIMultiDict[str], data: Any, used: Any
    ) -> ClientResponse:
        if self._client is None:
            self._client = self._new_client()
        return await self._client.request(
            method,
            url,
            headers=headers,
            data=data,
            allow_redirects=False,
            ssl=self._tls,
            proxy=self._proxy,
            proxy_headers=self._proxy_headers if url.scheme == "https" else None,
            trace_request_ctx=used,
        )

    def _new_client(self) -> ClientSession:
        async def note_use(_client: object, context: Any, _parameters: object) -> None:
            context.trace_request_ctx.again = True

        tracing = TraceConfig()
        tracing.on_connection_reuseconn.append(note_use)
        return ClientSession(
            connector=TCPConnector(
                limit=0, keepalive_timeout=IDLE, socket_factory=lambda address: _Socket(*address[:3])
            ),
            cookie_jar=DummyCookieJar(),
            timeout=ClientTimeout(total=None, sock_connect=CONNECTING),
            skip_auto_headers=("User-Agent", "Accept", "Content-Type"),
            auto_decompress=False,
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
            trace_configs=[tracing],
        )


def _without_user(url: URL) -> tuple[URL, str]:
    """Return an address without the name and password in it, and the header value that they stand for."""
    if url.user is None:
        return url, ""
    pair = b64encode(f"{url.user}:{url.password or ''}".encode()).decode()
    return url.with_user(None), f"Basic {pair}"
