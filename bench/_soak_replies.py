"""What a long run asks, what the server says to it, and whether what came back is that, byte for byte, or that with a receipt."""

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ._servers import CALLS, WRONG, answer

__all__ = ["Account", "request"]

EVERY = 10
"""Every so many-th call asks for a result that breaks the contract."""
_ID = 10**15
"""An id that no call has: where it stands in a line, the id goes."""


@dataclass(slots=True)
class Account:
    """What became of the calls."""

    answered: Counter[str] = field(default_factory=Counter)
    """By conversation."""
    unanswered: Counter[str] = field(default_factory=Counter)
    """By conversation: the client left, or the server did, and somebody asked again."""
    told: int = 0
    """Replies with the receipt that they must have."""
    untold: int = 0
    """Replies without one that should have had it."""
    events: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    """Events that the proxy itself says to have lost."""
    wrong: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    memory: list[int] = field(default_factory=list)

    def reply(self, conversation: str, number: int, name: int, reply: bytes) -> None:
        """Take a reply: what the server says, with one receipt where there must be one, and only there."""
        self.answered[conversation] += 1
        said = _expected(number, name)
        if _breaks(number) and reply != said and _without_receipt(reply) == json.loads(said):
            self.told += 1
        elif reply == said:
            self.untold += _breaks(number)
        else:
            self.wrong.append(f"{request(number, name)!r} gave {reply!r}")

    def event(self, conversation: str, outcome: str, count: int = 1) -> None:
        """Take events."""
        self.events[conversation] += count
        self.outcomes[outcome] += count

    @property
    def miscounted(self) -> list[str]:
        """What does not come out even: a reply without an event that is not known to be lost, or an event without a call."""
        names = {*self.answered, *self.unanswered, *self.events}
        few = sum(max(0, self.answered[name] - self.events[name]) for name in names)
        many = [name for name in names if self.events[name] > self.answered[name] + self.unanswered[name]]
        silent = self.untold - self.outcomes["not_checked"] - self.lost
        return [
            *(f"{name} has more events than calls" for name in many),
            *([f"{few - self.lost} events are missing"] if few > self.lost else []),
            *([f"{silent} receipts are missing"] if silent > 0 else []),
        ]


def _breaks(number: int) -> bool:
    return number % EVERY == 0


def request(number: int, name: int) -> bytes:
    """Return a call, with an id of its own."""
    return _line(number % len(CALLS), _breaks(number))[0].replace(b"%d" % _ID, b"%d" % name)


def _expected(number: int, name: int) -> bytes:
    """Return what the server says to it."""
    return _line(number % len(CALLS), _breaks(number))[1].replace(b"%d" % _ID, b"%d" % name)


def _without_receipt(reply: bytes) -> dict[str, Any] | None:
    """Return a reply as it was before its one receipt was put in."""
    found: dict[str, Any] = json.loads(reply)
    content = found["result"]["content"]
    found["result"]["content"] = content[:1]
    return found if len(content) == 2 else None


@cache
def _line(number: int, wrong: bool) -> tuple[bytes, bytes]:
    call = CALLS[number]
    params = {"name": call.tool, "arguments": {**call.arguments, **({WRONG: True} if wrong else {})}}
    message = {"jsonrpc": "2.0", "id": _ID, "method": "tools/call", "params": params}
    return json.dumps(message).encode(), json.dumps(answer(message)).encode()
