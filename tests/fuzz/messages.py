"""What comes over a wire: calls and answers as MCP has them, and then changed, as texts and as bytes."""

import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.events.shop import order
from tests.fuzz.results import ODD, changed

__all__ = ["Exchange", "altered", "exchanges", "in_chunks"]

TOOLS = ("get_order", "get_order", "get_order", "other", "\ud800", "")
BYTES = (
    *(bytes([code]) for code in b'\0\t\n\r"\\[]{}\xc3\xff'),
    *(
        b"",
        b"\r\n",
        b"\n\n",
        b"\xef\xbb\xbf",
        b" " * 50,
        b"9" * 5000,
        b"[" * 3000,
        b"NaN",
        b"1e999",
        b"\\ud800",
    ),
    *(b'"id":', b'{"id":007', b'"id":"\\q"', b'{"id":"\\u12', b'{"id":-', b'INFO {"request": {"id": 0042'),
    *(b'"result":', b'"method":"tools/call"', b"data: ", b": x"),
)
"""What is put somewhere in a line."""


class Exchange(NamedTuple):
    """A call, and its answer; both as they are sent."""

    number: int | str
    asked: bytes
    answered: bytes
    proper: bool
    """Neither of them was changed: there is an event of it, and one only."""


def exchanges(rng: random.Random, count: int) -> Iterator[Exchange]:
    """Yield calls and answers, of which some are as they should be."""
    for index in range(count):
        # Not one of those that odd values are equal to.
        number: int | str = rng.choice((1000 + index, f"n{index}"))
        trace = {"traceparent": str(number)}
        params = {"name": rng.choice(TOOLS), "arguments": {"id": f"W{index}"}, "_meta": trace}
        asked: Any = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        said: Any = {"jsonrpc": "2.0", "id": number, "result": _result(rng, index)}
        how = rng.random()
        if how < 0.1:
            asked, said = [asked], [said]
        elif how < 0.15:
            asked = {
                **asked,
                "method": rng.choice(("tools/list", "tasks/result", "initialize", "ping", None)),
            }
        elif how < 0.25:
            asked = changed(rng, asked)
        elif how < 0.45:
            said = changed(rng, said)
        lines = [_text(rng, asked), _text(rng, said)]
        torn = rng.random() < 0.25
        if torn:
            side = rng.randrange(2)
            lines[side] = altered(rng, lines[side])
        # A line of its own is what makes it one.
        first, second = (line.replace(b"\n", b" ") + b"\n" for line in lines)
        yield Exchange(number, first, second, proper=not torn and (how < 0.1 or how >= 0.45))


def _result(rng: random.Random, index: int) -> Any:
    value = order(index, **({"total": -1.0} if rng.random() < 0.3 else {}))
    if rng.random() < 0.2:
        value = changed(rng, value)
    block = {"type": "text", "text": json.dumps(value, default=repr)}
    return rng.choice(
        (
            {"content": [block], "structuredContent": value},
            {"content": [block]},
            {"structuredContent": value},
            {"content": [], "structuredContent": value, "_meta": {}},
            {"content": [block], "isError": True},
            {"tools": [{"name": "get_order", "inputSchema": {}, "outputSchema": {"type": "object"}}]},
            rng.choice(ODD),
        )
    )


def _text(rng: random.Random, message: Any) -> bytes:
    """Return a message as text: in whatever way JSON may be written."""
    separators = rng.choice(((",", ":"), (", ", ": "), (" ,\t", " : ")))
    text = json.dumps(
        message, separators=separators, ensure_ascii=rng.random() < 0.5, default=repr, skipkeys=True
    )
    # Half a surrogate pair has no bytes: escaped, as here, it passes for a name.
    return rng.choice(("", " ", "\t")).encode() + text.encode(errors="backslashreplace")


def altered(rng: random.Random, line: bytes) -> bytes:
    """Return bytes with a place or two cut, doubled, or with something else in it."""
    for _ in range(rng.randint(1, 3)):
        at, end = sorted((rng.randint(0, len(line)), rng.randint(0, len(line))))
        how = rng.randrange(5)
        if how == 0:
            line = line[:at]
        elif how == 1:
            line = line[:at] + rng.choice(BYTES) + line[at:]
        elif how == 2:
            line = line[:at] + line[end:]
        elif how == 3 and line:
            line = line[:at] + bytes([rng.randrange(256)]) + line[at + 1 :]
        else:
            line = line[:end] + line[at : at + 200] + line[end:]
    return line


def in_chunks(rng: random.Random, stream: bytes) -> Iterator[bytes]:
    """Yield a stream as it may be read: in pieces of whatever size."""
    at, usual = 0, rng.choice((7, 200, 5000, 65536))
    while at < len(stream):
        size = rng.choice((1, usual, rng.randint(1, 2 * usual)))
        yield stream[at : at + size]
        at += size
