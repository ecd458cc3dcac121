"""What a soak asks, what the server replies, and whether the proxy passed that on: byte for byte, with a receipt where one is due."""

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
"""Stands in a cached line where the id of a call goes."""


@dataclass(slots=True)
class Account:
    """What became of the calls."""

    replies: int = 0
    repeated: int = 0
    """Calls without a reply, which were made again."""
    receipts: int = 0
    without_receipt: int = 0
    """Replies that should have had one."""
    outcomes: Counter[str] = field(default_factory=Counter)
    """Events by outcome."""
    lost: int = 0
    """Events that the proxy says it lost."""
    wrong: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    memory: int = 0
    """The most megabytes of a proxy."""

    def reply(self, number: int, name: int, reply: bytes) -> None:
        """Compare a reply with what the server sends."""
        self.replies += 1
        expected = _line(number % len(CALLS), _breaks(number))[1].replace(b"%d" % _ID, b"%d" % name)
        if _breaks(number) and reply != expected and _without_receipt(reply) == json.loads(expected):
            self.receipts += 1
        elif reply == expected:
            self.without_receipt += _breaks(number)
        else:
            self.wrong.append(f"{request(number, name)!r} gave {reply!r}")

    @property
    def miscounted(self) -> list[str]:
        """What doesn't add up: events and receipts that are missing and not counted as lost, or events without a call."""
        events = self.outcomes.total()
        found = {
            "events are missing": self.replies - events - self.lost,
            "events have no call": events - self.replies - self.repeated,
            "receipts are missing": self.without_receipt - self.outcomes["not_checked"] - self.lost,
        }
        return [f"{number} {what}" for what, number in found.items() if number > 0]


def _breaks(number: int) -> bool:
    return number % EVERY == 0


def request(number: int, name: int) -> bytes:
    """Return a call, with an id of its own."""
    return _line(number % len(CALLS), _breaks(number))[0].replace(b"%d" % _ID, b"%d" % name)


def _without_receipt(reply: bytes) -> dict[str, Any] | None:
    """Return a reply without the second block of its content."""
    message: dict[str, Any] = json.loads(reply)
    content = message["result"]["content"]
    message["result"]["content"] = content[:1]
    return message if len(content) == 2 else None


@cache
def _line(number: int, wrong: bool) -> tuple[bytes, bytes]:
    call = CALLS[number]
    params = {"name": call.tool, "arguments": {**call.arguments, **({WRONG: True} if wrong else {})}}
    message = {"jsonrpc": "2.0", "id": _ID, "method": "tools/call", "params": params}
    return json.dumps(message).encode(), json.dumps(answer(message)).encode()
