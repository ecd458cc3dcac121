"""The way to the server behind the proxy: straight, or through the HTTP proxy that the environment names.

An address of this machine is always asked straight; others as `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` say.
"""

import base64
import ssl
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

__all__ = ["Route", "basic", "is_local", "route_to"]


class Route(NamedTuple):
    """Where to connect to, and what to say there."""

    host: str
    port: int
    tls: ssl.SSLContext | None
    """Of the server itself."""
    before_path: bytes = b""
    """What stands before the path in a request: a proxy is told the whole address."""
    headers: bytes = b""
    """What a proxy is told with each request."""
    connect: bytes = b""
    """What a proxy is told first, where it is only to hand bytes on."""
    name: str = ""
    """The server's, which its certificate is to have."""


def route_to(parts: SplitResult) -> Route:
    """Return the way to an address."""
    secure, host = parts.scheme == "https", parts.hostname or ""
    port = parts.port or (443 if secure else 80)
    tls = ssl.create_default_context() if secure else None
    between = None if is_local(host) or proxy_bypass(host) else getproxies().get(parts.scheme)
    if not between:
        return Route(host, port, tls, name=host)
    through = urlsplit(between if "//" in between else f"//{between}")
    allowed = basic(b"Proxy-Authorization", through)
    where = through.hostname or "", through.port or 80
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if secure:
        lines = [f"CONNECT {place} HTTP/1.1\r\nHost: {place}".encode(), *([allowed] if allowed else [])]
        return Route(*where, tls, connect=b"\r\n".join([*lines, b"", b""]), name=host)
    return Route(*where, None, f"http://{place}".encode(), allowed, name=host)


def is_local(host: str) -> bool:
    """Say whether a name or an address, in whatever spelling, is that of this machine."""
    host = host.rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def basic(header: bytes, address: SplitResult) -> bytes:
    """Return the header that a name and a password in an address stand for; nothing where there is none."""
    if address.username is None:
        return b""
    pair = f"{unquote(address.username)}:{unquote(address.password or '')}"
    return header + b": Basic " + base64.b64encode(pair.encode())
