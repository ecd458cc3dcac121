"""`python -m bench.http_clients`: which library the proxy over HTTP passes requests on by, and why.

Each answers the same questions of a server that sends bytes as it is told, and then makes calls to one that does next to nothing.
"""

import asyncio
import importlib.metadata
import importlib.util
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from textwrap import fill

import click

from outcome_monitors.cli._output import write

from ._connections import free_port, request, server_command, serving
from ._http_clients import CLIENTS, Asking, Pairs
from ._report import WIDTH, Table, facts, show

CALLS = 2000
PATIENCE = 20.0
_OK = b"HTTP/1.1 200 OK\r\n"
_BODY = b"Content-Length: 2\r\n\r\nhi"
Say = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
Probe = Callable[[Asking], Awaitable[str]]


@asynccontextmanager
async def saying(*answers: bytes, heard: list[bytes] | None = None) -> AsyncIterator[str]:
    """Run a server that says these bytes, one after each request."""
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while left:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
                await reader.readexactly(length)
                if heard is not None:
                    heard.append(head)
                writer.write(left.pop(0))
                await writer.drain()
            await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"


async def posted(client: Asking, url: str, headers: Pairs | None = None) -> tuple[int, Pairs, bytes]:
    """Post once, and return all of the answer."""
    async with client.ask(url, headers or [], b"{}") as answer:
        return answer.status, answer.headers, b"".join([part async for part in answer.parts])


async def bytes_kept(client: Asking) -> str:
    """Say whether bytes of headers that are no UTF-8 pass, out and in."""
    heard: list[bytes] = []
    async with saying(_OK + b"X-A: caf\xe9\r\n" + _BODY, heard=heard) as url:
        _, headers, _ = await posted(client, url, [(b"X-B", b"caf\xe9")])
    out, back = b"X-B: caf\xe9\r\n" in heard[0], (b"X-A", b"caf\xe9") in headers
    return "yes" if out and back else "in" if back else "out" if out else "no"


async def plain(client: Asking) -> str:
    """Say whether redirects, cookies and packed bodies are left alone."""
    heard: list[bytes] = []
    first = b"HTTP/1.1 302 Found\r\nLocation: /other\r\nSet-Cookie: a=1\r\n" + _BODY
    packed = _OK + b"Content-Encoding: gzip\r\n" + _BODY
    async with saying(first, packed, heard=heard) as url:
        status, _, _ = await posted(client, url)
        _, _, body = await posted(client, url)
    return "yes" if status == 302 and body == b"hi" and b"ookie" not in heard[1] else "no"


async def streams(client: Asking) -> str:
    """Say whether a part of an answer is there before the next is sent."""
    gate = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(_OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
        await gate.wait()
        writer.write(b"0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
        async with client.ask(url, [], b"{}") as answer:
            async for part in answer.parts:
                gate.set()
                return "yes" if part == b"ab" else "no"
    return "no"


def refuses(answer: bytes) -> Probe:
    """Return a probe: whether an answer is refused, and how long that takes."""

    async def probe(client: Asking) -> str:
        async with saying(answer) as url:
            start = time.perf_counter()
            try:
                await asyncio.wait_for(posted(client, url), PATIENCE)
                said = "passed"
            except TimeoutError:
                said = "stuck"
            except Exception:  # noqa: BLE001 - each has its own
                said = "refused"
            return f"{said}, {(time.perf_counter() - start) * 1e3:.0f} ms"

    return probe


PROBES: dict[str, Probe] = {
    "header bytes kept": bytes_kept,
    "nothing done to answers": plain,
    "parts as they are sent": streams,
    "a length beside chunks": refuses(
        _OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    "1,600 spaces and a NUL": refuses(_OK + b"X: " + b" " * 1600 + b"\0\r\n" + _BODY),
    "4,300 digits of length": refuses(_OK + b"Content-Length: " + b"9" * 4300 + b"\r\n\r\n"),
    "200,000 times 100 Continue": refuses(b"HTTP/1.1 100 Continue\r\n\r\n" * 200_000 + _OK + _BODY),
}


WHAT = ("processor time, µs", "a call, ms", *PROBES, "HTTP_PROXY")


async def probed(name: str, url: str) -> tuple[str, ...]:
    """Return a row."""
    through, make = CLIENTS[name]
    found, start, used = [], 0.0, 0.0
    for probe in PROBES.values():
        client = make()
        try:
            found.append(await probe(client))
        except Exception as error:  # noqa: BLE001 - each has its own
            found.append(type(error).__name__)
        await client.close()
    client = make()
    json = [(b"Content-Type", b"application/json")]
    for number in range(-100, CALLS):
        if number == 0:
            start, used = time.perf_counter(), time.process_time()
        async with client.ask(url, json, request(number % 1000)) as answer:
            [part async for part in answer.parts]
    took, used = time.perf_counter() - start, time.process_time() - used
    await client.close()
    return (f"{used / CALLS * 1e6:.0f}", f"{took / CALLS * 1e3:.2f}", *found, through)


def tables() -> Iterator[Table]:
    """Yield the table."""
    port = free_port()
    with serving(server_command("http", str(port)), port) as server:
        names = [name for name in CLIENTS if importlib.util.find_spec(name)]
        found = [asyncio.run(probed(name, server.address)) for name in names]
    columns = ("", *(f">{name} {importlib.metadata.version(name)}" for name in names))
    rows = zip(WHAT, *found, strict=True)
    note = (
        f"{CALLS:,} calls, one after the other: processor time of the client and all of the time for a call. Header bytes are some"
        " that are no UTF-8, out and in; what may be done to answers is to follow redirects, to keep cookies, to unpack."
    )
    yield Table("What passes a request on", columns, tuple(rows), (note,))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure the libraries that could pass requests on.

    Example: python -m bench.http_clients
    """
    write(fill(facts(), WIDTH) + "\n\n")
    for table in tables():
        show(table)


if __name__ == "__main__":
    main(prog_name="python -m bench.http_clients")
