"""Serving the proxy over HTTP, start to finish."""

import asyncio
import os
import sys
import time
from collections.abc import Collection
from urllib.parse import urlsplit

from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError

from .doors import doors_of
from .drain_loop import LoopOrder
from .settings import Setting

try:
    from aiohttp import web

    from .http_clients import Clients
    from .http_relay import Relay
except ImportError as error:
    missing = error.name if error.name in ("aiohttp", "httptools") else "aiohttp"
    raise MissingExtra("the proxy over HTTP", missing, "proxy-http") from None

__all__ = ["serve"]

SHUTDOWN = 0.25
"""Seconds that streams which only listen are given at the end; most would never end by themselves."""

LEAVING = 1.0
"""Seconds in which a client that keeps its connection is told to go elsewhere by the answer to its next request: were the
connection just closed, that request might be on its way."""


def serve(
    setting: Setting,
    upstream: str,
    listen: str,
    *,
    token: str | None = None,
    origins: Collection[str] = (),
    verbose: bool = False,
) -> int:
    """Serve until told to stop."""
    if urlsplit(upstream).scheme not in ("http", "https") or not urlsplit(upstream).netloc:
        raise OutcomeMonitorsError(
            f"--upstream {_shown(upstream)} is not an address as in http://localhost:8000/mcp"
        )
    host, _, port = listen.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise OutcomeMonitorsError(f"--listen {listen} is not of the form HOST:PORT")
    host = host.strip("[]") or "localhost"
    doors = doors_of(host, token, origins, os.environ)
    with setting.desk(verbose=verbose, server=_place(upstream)) as desk:
        asyncio.run(_serve(Relay(desk, upstream, doors), upstream, host, int(port), setting.drain))
    return 0


def _shown(address: str) -> str:
    """Return an address without the name and the password that may stand in it."""
    before, slashes, rest = address.partition("//")
    place, slash, path = rest.partition("/")
    return f"{before}{slashes}{place.rpartition('@')[2]}{slash}{path}"


def _place(address: str) -> str:
    """Return what an address names: neither who asks, nor what is asked."""
    parts = urlsplit(address)
    return f"{parts.netloc.rpartition('@')[2]}{parts.path}"


async def _serve(relay: Relay, upstream: str, host: str, port: int, drain: float) -> None:
    clients = Clients(relay.handle, shortcuts=relay.shortcuts)
    runner = web.ServerRunner(clients, shutdown_timeout=SHUTDOWN)
    await runner.setup()
    _keep_buffers()
    site = web.TCPSite(runner, host, port)
    try:
        try:
            await site.start()
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        # Before it is said that it serves: whoever reads that may stop it at once.
        order = LoopOrder()
        relay.open()
        _say_where(upstream, host, runner.addresses[0][1])
        await order.told()
        until = time.monotonic() + drain
        relay.end()
        await site.stop()
        await order.until(lambda: not clients.connections, min(drain, LEAVING))
        clients.pre_shutdown()
        await order.until_quiet(lambda: relay.under_way, until - time.monotonic())
    finally:
        await runner.cleanup()
        relay.close()


def _say_where(upstream: str, host: str, port: int) -> None:
    place = f"[{host}]" if ":" in host else host
    sys.stderr.write(
        f"outcome-monitors: {_shown(upstream)} is served at http://{place}:{port}{urlsplit(upstream).path}\n"
    )
    sys.stderr.flush()


def _keep_buffers() -> None:
    """Have glibc take the loop's buffers of 256 KiB from the heap, as it does once a larger block was given back.

    Until then it asks the system for each of them, and gives it back after each read, which takes ten times as long.
    """
    bytes(2**20)
