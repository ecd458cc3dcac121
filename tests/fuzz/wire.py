"""The relay passes on what comes, byte for byte but for receipts; every proper call is one event; nothing in it goes wrong."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from outcome_monitors.events import Watch
from outcome_monitors.mcp import JsonRpcSession, ProxyContext, TimeLimit
from outcome_monitors.mcp.framing import EVENT_END, LINE_END, Cutter, with_data
from outcome_monitors.receipts.mcp import KEY
from tests.events.shop import Kept, monitor
from tests.fuzz.messages import Exchange, altered, exchanges, in_chunks

__all__ = ["passes_events", "passes_lines"]

CALLS = 100
MONITOR = monitor()


class _Relay:
    """A conversation as the relay has it, in one process."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.sink = rng, Kept()
        self.largest = rng.choice((200, 2000, 2**22))
        self.context = ProxyContext(
            Watch(MONITOR, self.sink),
            limit=TimeLimit(0, self.largest),
            carrier=rng.choice(("both", "text", "meta")),
        )
        self.dialogue = JsonRpcSession(self.context, "s")

    def ask(self, line: bytes) -> None:
        cutter = Cutter(self.largest)
        pieces = [*cutter.feed(line), *cutter.end()]
        assert b"".join(self.context.inspect(piece, self.dialogue.from_client) for piece in pieces) == line

    def receive(
        self, chunks: Iterable[bytes], look: Callable[[bytes], bytes], end: re.Pattern[bytes]
    ) -> bytes:
        """Return what is passed on of what the server says."""
        cutter, came = Cutter(self.largest, end), b""
        for chunk in [*chunks, None]:
            for piece in cutter.end() if chunk is None else cutter.feed(chunk):
                came += self.context.inspect(piece, look, self.dialogue.too_large)
        return came

    def end(self, proper: set[str], imitated: set[str]) -> None:
        """Demand that nothing went wrong, and that there is one event of every proper call that no other line imitates."""
        assert self.context.troubles == 0
        proper -= imitated
        # A trace that was changed may be any, and that of several.
        traces = [event.trace or "" for event in self.sink.events]
        traces = [trace for trace in traces if re.fullmatch(r"n\d+|\d{4,}", trace)]
        events = Counter(trace for trace in traces if trace not in imitated)
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
    came = relay.receive(in_chunks(rng, stream), relay.dialogue.from_server, LINE_END)
    before, after = stream.split(b"\n"), came.split(b"\n")
    assert len(before) == len(after)
    for sent, taken in zip(before, after, strict=True):
        demand_same(sent, taken)
    relay.end(
        {str(one.number) for one in made if one.proper and len(one.asked) <= relay.largest}, _imitated(made)
    )
    return 2 * CALLS


def _imitated(made: Sequence[Exchange]) -> set[str]:
    """Return the numbers of calls that a damaged line happens to bear too: it takes their place, or has their trace."""
    return {
        word.decode()
        for one in made
        if not one.proper
        for word in re.findall(rb"\bn?\d+\b", one.asked)
        if word != str(one.number).encode()
    }


def passes_events(seed: int) -> int:
    """Send the events of an SSE stream through; return how many."""
    rng = random.Random(seed)
    relay = _Relay(rng)
    made = list(exchanges(rng, CALLS))
    end = rng.choice((b"\n", b"\r\n", b"\r"))
    events = [_event(rng, one.answered.rstrip(b"\n"), end) for one in made]
    for one in made:
        relay.ask(one.asked)
    chunks = in_chunks(rng, b"".join(events))
    came = relay.receive(chunks, lambda event: with_data(event, relay.dialogue.from_server), EVENT_END)
    _demand_within(b"".join(events), came)
    assert relay.context.troubles == 0
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
    sent, taken = (json.loads(one.decode(errors="surrogateescape")) for one in (before, after))
    assert json.dumps(_without_receipt(taken, sent)) == json.dumps(sent)


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
