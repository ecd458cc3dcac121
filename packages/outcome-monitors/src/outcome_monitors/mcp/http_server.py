"""Serving the proxy over HTTP, start to finish."""

import asyncio
import logging
import os
import re
import sys
import time
from collections.abc import Collection
from typing import Any

from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError

from .request_guard import RequestGuard
from .settings import ProxySettings
from .shutdown import LoopShutdown
from .status_server import host_and_port

try:
    from aiohttp import web
    from aiohttp.http_exceptions import HttpProcessingError
    from yarl import URL

    from .http_relay import Relay
    from .http_upstream import LONGEST_HEADER
except ImportError:
    raise MissingExtra("the proxy over HTTP", "aiohttp", "proxy-http") from None

MOST_CLIENTS = 2000
"""Connections of clients at a time; a further one is closed at once."""
SLOWEST_HEAD = 20.0
"""Seconds in which the head of a connection's first request is to be there; those of later ones have as long as it may be idle."""
IDLE_CLIENT = 75.0
"""Seconds that a client's connection is kept without use."""
SHUTDOWN = 0.25
"""Seconds that streams which only listen are given at the end; most would never end by themselves."""
LEAVING = 1.0
"""Seconds in which a client that keeps its connection is told to go elsewhere by the answer to its next request: were the
connection just closed, that request might be on its way."""

_log = logging.getLogger("outcome_monitors.mcp.clients")
# Whoever sends what is no HTTP can send much of it, and is answered; the log is for what goes wrong in here.
_log.addFilter(
    lambda record: record.exc_info is None or not isinstance(record.exc_info[1], HttpProcessingError)
)


class ConnectionLimiter(web.Server):
    """A server that takes so many connections, and no more, and waits for their first words so long, and no longer."""

    def __init__(self, relay: Relay) -> None:
        super().__init__(
            relay.handle,
            request_factory=_request,
            handler_cancellation=True,
            logger=_log,
            access_log=None,
            auto_decompress=False,
            keepalive_timeout=IDLE_CLIENT,
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
        )

    def __call__(self) -> Any:
        """Return what takes a connection."""
        if len(self.connections) >= MOST_CLIENTS:
            return _Refusal()
        return _Connection(self, loop=asyncio.get_running_loop(), **self._kwargs)


class _Connection(web.RequestHandler):
    """A connection that is given up where no request comes of it in time."""

    __slots__ = ("_waiting",)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        assert isinstance(transport, asyncio.Transport)
        self._waiting = asyncio.get_running_loop().call_later(SLOWEST_HEAD, transport.abort)

    def connection_lost(self, exc: BaseException | None) -> None:
        super().connection_lost(exc)
        self._waiting.cancel()

    def spoken(self) -> None:
        """Wait no more."""
        self._waiting.cancel()


class _Refusal(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.abort()


def _request(message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> web.BaseRequest:
    protocol.spoken()
    return web.BaseRequest(message, payload, protocol, writer, task, asyncio.get_running_loop())


def serve(
    settings: ProxySettings,
    upstream: str,
    listen: str,
    *,
    token: str | None = None,
    origins: Collection[str] = (),
    verbose: bool = False,
) -> int:
    """Serve until told to stop."""
    try:
        address = URL(upstream)
        named = address.scheme in ("http", "https") and bool(address.host)
        # Neither who asks nor what is asked is shown.
        place = address.with_user(None).with_query(None) if named else address
    except ValueError:
        named, place = False, URL()
    if not named:
        shown = re.sub(r"//[^/]*@", "//", upstream.partition("?")[0])
        raise OutcomeMonitorsError(f"--upstream {shown} is not an address as in http://localhost:8000/mcp")
    host, port = host_and_port(listen, "--listen", "localhost")
    guard = RequestGuard.at(host, token, origins, os.environ)
    with settings.context(verbose=verbose, server=f"{place.authority}{place.path}") as context:
        asyncio.run(_serve(Relay(context, upstream, guard), place, host, port, settings.drain))
    return 0


async def _serve(relay: Relay, place: URL, host: str, port: int, drain: float) -> None:
    clients = ConnectionLimiter(relay)
    runner = web.ServerRunner(clients, shutdown_timeout=SHUTDOWN)
    await runner.setup()
    site = web.TCPSite(runner, host, port)
    try:
        try:
            await site.start()
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        # Before it is said that it serves: whoever reads that may stop it at once.
        shutdown = LoopShutdown()
        relay.open()
        here = f"[{host}]" if ":" in host else host
        sys.stderr.write(
            f"outcome-monitors: {place} is served at http://{here}:{runner.addresses[0][1]}{place.path}\n"
        )
        sys.stderr.flush()
        await shutdown.ordered()
        until = time.monotonic() + drain
        relay.end()
        await site.stop()
        await shutdown.until(lambda: not clients.connections, min(drain, LEAVING))
        clients.pre_shutdown()
        await shutdown.until_quiet(lambda: relay.under_way, until - time.monotonic())
    finally:
        await runner.cleanup()
        await relay.close()
