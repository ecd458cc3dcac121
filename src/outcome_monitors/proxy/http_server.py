"""Serving the proxy over HTTP, start to finish."""

import asyncio
import os
import signal
import sys
from collections.abc import Collection
from contextlib import suppress
from urllib.parse import urlsplit

from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError

from .doors import doors_of
from .settings import Setting

try:
    from aiohttp import web

    from .http_clients import Clients
    from .http_relay import Relay
except ImportError as error:
    missing = error.name if error.name in ("aiohttp", "httptools") else "aiohttp"
    raise MissingExtra("the proxy over HTTP", missing, "proxy-http") from None

__all__ = ["serve"]

SHUTDOWN = 1.0
"""Seconds that open streams are given at the end; most would never end by themselves."""


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
    with setting.desk(verbose=verbose) as desk:
        asyncio.run(_serve(Relay(desk, upstream, doors), upstream, host, int(port)))
    return 0


def _shown(address: str) -> str:
    """Return an address without the name and the password that may stand in it."""
    before, slashes, rest = address.partition("//")
    place, slash, path = rest.partition("/")
    return f"{before}{slashes}{place.rpartition('@')[2]}{slash}{path}"


async def _serve(relay: Relay, upstream: str, host: str, port: int) -> None:
    runner = web.ServerRunner(Clients(relay.handle, shortcuts=relay.shortcuts), shutdown_timeout=SHUTDOWN)
    await runner.setup()
    _keep_buffers()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        place = f"[{host}]" if ":" in host else host
        bound = runner.addresses[0][1]
        sys.stderr.write(
            f"outcome-monitors: {_shown(upstream)} is served at http://{place}:{bound}{urlsplit(upstream).path}\n"
        )
        sys.stderr.flush()
        await _told_to_stop()
    finally:
        await runner.cleanup()
        relay.close()


def _keep_buffers() -> None:
    """Have glibc take the loop's buffers of 256 KiB from the heap, as it does once a larger block was given back.

    Until then it asks the system for each of them, and gives it back after each read, which takes ten times as long.
    """
    bytes(2**20)


async def _told_to_stop() -> None:
    stop = asyncio.Event()
    for name in ("SIGINT", "SIGTERM"):
        # Windows has no handlers in loops; there Ctrl-C ends the program as it always does.
        with suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), stop.set)
    await stop.wait()
