"""States of both sorts with lines recorded in them, for tests of what is learned from those."""

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from outcome_monitors.storage.address import StateAddress, is_address
from outcome_monitors.storage.layout import TRACES
from outcome_monitors_server.storage.documents import put
from outcome_monitors_server.storage.postgres import Postgres

__all__ = ["decide", "orders", "record", "state_at"]


def orders(many: int, start: int = 0) -> list[dict[str, Any]]:
    """Clean calls of one tool, each in a task of its own."""
    return [
        {
            "tool": "get_order",
            "arguments": {"order": f"o{number}"},
            "result": {"order": f"o{number}", "total": 5 + number % 7, "state": ("open", "paid")[number % 2]},
            "task": f"t{number}",
            "session": f"s{number}",
            "time": "2031-03-10T09:00:41Z",
        }
        for number in range(start, start + many)
    ]


def record(place: str, lines: Iterable[dict[str, Any] | str]) -> None:
    """Record lines, given as objects or as they stand."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    if not is_address(place):
        Path(place, TRACES).mkdir(parents=True, exist_ok=True)
        with Path(place, TRACES, "a.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(f"{text}\n" for text in texts)
        return
    with state_at(place).writing() as shared:
        shared.executemany(
            "INSERT INTO traces (time, tool, session, line) VALUES (?, 'get_order', NULL, ?)",
            [(time.time(), text) for text in texts],
        )


def decide(place: str, name: str, text: str) -> None:
    """Put a document into a state."""
    if not is_address(place):
        Path(place, name).write_text(text, encoding="utf-8")
        return
    state = state_at(place)
    with state.writing() as shared:
        put(shared, name, text)


def state_at(place: str) -> Postgres:
    """The fleet's state at an address."""
    return Postgres(StateAddress.read(place))
