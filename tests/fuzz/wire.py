"""The relay passes on what comes, byte for byte but for receipts; every proper call is one event; nothing in it goes wrong."""

import json
import random
from collections import Counter
from typing import Any

from outcome_monitors.events import Watch
from outcome_monitors.proxy import JsonRpcSession, ProxyContext, TimeLimit
from outcome_monitors.proxy.context import PieceLook
from outcome_monitors.proxy.framing import EVENT_END, Cutter
from outcome_monitors.receipts.mcp import KEY
from tests.events.shop import Kept, monitor
from tests.fuzz.messages import altered, exchanges, in_chunks

__all__ = ["passes_events", "passes_lines", "reads_answers"]

CALLS = 100
MONITOR = monitor()


class _Relay:
    """A conversation as the relay has it, in one process."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.sink = rng, Kept()
        self.largest = rng.choice((200, 2000, 2**22))
        self.desk = ProxyContext(
            Watch(MONITOR, self.sink),
            limit=TimeLimit(0, self.largest),
            carrier=rng.choice(("both", "text", "meta")),
        )
        self.dialogue = JsonRpcSession(self.desk, "s")

    def ask(self, line: bytes) -> None:
        look, cutter = PieceLook(self.desk, self.dialogue.asked), Cutter(self.largest)
        assert b"".join(look(piece) for piece in [*cutter.feed(line), *cutter.end()]) == line

    def end(self, proper: set[str]) -> None:
        """Demand that nothing went wrong, and that there is one event of every proper call."""
        assert self.desk.troubles == 0
        # A trace that was changed may be any.
        events = Counter(event.trace for event in self.sink.events if len(event.trace or "") > 1)
        assert max(events.values(), default=1) == 1, events.most_common(3)
        assert proper <= {*events}, proper - {*events}


def passes_lines(seed: int) -> int:
    """Send lines through; return how many."""
    rng = random.Random(seed)
    relay = _Relay(rng)
    made = list(exchanges(rng, CALLS))
    stream = b"".join(one.answered for one in made)
    for one in made:
        relay.ask(one.asked)
    look, cutter, came = (
        PieceLook(relay.desk, relay.dialogue.answered, relay.dialogue.passed),
        Cutter(relay.largest),
        b"",
    )
    for chunk in in_chunks(rng, stream):
        came += b"".join(map(look, cutter.feed(chunk)))
    came += b"".join(map(look, cutter.end()))
    before, after = stream.split(b"\n"), came.split(b"\n")
    assert len(before) == len(after)
    for sent, taken in zip(before, after, strict=True):
        demand_same(sent, taken)
    relay.end({str(one.number) for one in made if one.proper and len(one.asked) <= relay.largest})
    return 2 * CALLS


def passes_events(seed: int) -> int:
    """Send the events of an SSE stream through; return how many."""
    from outcome_monitors.proxy.framing import with_data  # noqa: PLC0415 - an extra

    rng = random.Random(seed)
    relay = _Relay(rng)
    made = list(exchanges(rng, CALLS))
    end = rng.choice((b"\n", b"\r\n", b"\r"))
    events = [_event(rng, one.answered.rstrip(b"\n"), end) for one in made]
    for one in made:
        relay.ask(one.asked)
    look = PieceLook(
        relay.desk, lambda event: with_data(event, relay.dialogue.answered), relay.dialogue.passed
    )
    cutter, came = Cutter(relay.largest, EVENT_END), b""
    for chunk in in_chunks(rng, b"".join(events)):
        came += b"".join(map(look, cutter.feed(chunk)))
    came += b"".join(map(look, cutter.end()))
    _demand_within(b"".join(events), came)
    assert relay.desk.troubles == 0
    return CALLS


def _event(rng: random.Random, data: bytes, end: bytes) -> bytes:
    lines = [b"data:" + rng.choice((b"", b" ")) + data]
    if rng.random() < 0.5:
        lines.insert(
            rng.randrange(2),
            rng.choice((b"id: 7", b"event: message", b": a comment", b"retry: 5", b"data", b"x")),
        )
    return (altered(rng, end.join(lines)) if rng.random() < 0.1 else end.join(lines)) + end + end


def demand_same(before: bytes, after: bytes) -> None:
    """Demand that a message came as it was sent, but for a receipt."""
    if before == after:
        return
    _demand_within(before, after)
    assert json.dumps(_without_receipt(json.loads(after), json.loads(before))) == json.dumps(
        json.loads(before)
    )


def _demand_within(before: bytes, after: bytes) -> None:
    """Demand that all bytes are there still, in their order."""
    rest = iter(after)
    assert all(byte in rest for byte in before)


def _without_receipt(after: Any, before: Any) -> Any:
    """Return a message without what was put into it."""
    if isinstance(before, dict) and isinstance(after, dict):
        return {key: _without_receipt(value, before[key]) for key, value in after.items() if key in before}
    if isinstance(before, list) and isinstance(after, list):
        more = after[len(before) :]
        assert all(KEY in block.get("text", "") or "text" in block for block in more)
        return [_without_receipt(one, other) for one, other in zip(after, before, strict=False)]
    return after


HEADS = (
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3;x=y\r\nabc\r\n0\r\nT: x\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No\r\nX: \xff\r\n\r\n",
    b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nuntil the end",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nConnection: keep-alive, x\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n",
    b"HTTP/1.1 304 Not\r\nContent-Length: 500\r\n\r\n",
    b"HTTP/1.1 200\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
)
_PARTS = (
    b"\r\n",
    b"\n",
    b": ",
    b"Content-Length: 7\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n",
    b" " * 2000,
    b"\0",
    b"9" * 4400,
    b"ffffffffffffffff\r\n",
)


def reads_answers(seed: int) -> int:
    """Read HTTP answers, whole and in pieces, and demand that both are the same answer; return how many."""
    rng, tries = random.Random(seed), 50
    for _ in range(tries):
        said = rng.choice(HEADS)
        for _ in range(rng.randint(0, 3)):
            at = rng.randint(0, len(said))
            said = altered(rng, said) if rng.random() < 0.5 else said[:at] + rng.choice(_PARTS) + said[at:]
        bodiless = rng.random() < 0.1
        whole, parts = _read([said], bodiless=bodiless), _read([*in_chunks(rng, said)], bodiless=bodiless)
        # An end that comes in two parts may look like more than was asked for: such a connection is not used again.
        assert whole[:3] == parts[:3], (said, whole, parts)
        assert parts[3:] <= whole[3:], (said, whole, parts)
    return tries


def _read(chunks: list[bytes], *, bodiless: bool) -> tuple[Any, ...]:
    from outcome_monitors.proxy.http1 import BadAnswerError, Reading  # noqa: PLC0415 - an extra

    reading, body = Reading(bodiless=bodiless), b""
    try:
        for chunk in chunks:
            body += reading.feed(chunk)
        reading.end()
    except BadAnswerError:
        return ("bad",)
    return reading.head, body, reading.done, reading.reusable
