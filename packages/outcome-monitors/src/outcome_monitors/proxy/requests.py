"""What a client asks, and what it says of itself: when a conversation begins or, where there are none, with every request."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeGuard

__all__ = ["CALL", "LIST", "TASK", "Asked", "AskedBook", "Id", "asked_of", "client_of", "is_id"]

CALL, LIST, TASK = "tools/call", "tools/list", "tasks/result"
IN_REQUEST = "io.modelcontextprotocol/clientInfo"
LONGEST = 80
LONGEST_NAME, LONGEST_TRACE = 256, 512
"""Characters of a tool's name, and of a trace's: they are kept beyond the call, and may be as long as a message."""

Id = str | int | float
_IDS = frozenset((str, int, float))


def is_id(number: Any) -> TypeGuard[Id]:
    """Say whether a value can be the id of a message; true can not, though Python takes it for 1."""
    return type(number) in _IDS


class Asked(NamedTuple):
    """A request whose answer is looked at."""

    method: str
    tool: str = ""
    arguments: dict[str, Any] = {}
    trace: str | None = None
    first_page: bool = True
    task: str = ""
    """The task whose result is asked for."""
    size: int = 0
    """Bytes of the message that asks, which is about what is held of it."""


def asked_of(message: Any, size: int = 0) -> Asked | None:
    """Return what a message of so many bytes asks for, where the answer is looked at."""
    if not isinstance(message, dict) or type(message.get("id")) not in _IDS:
        return None
    method, params = message.get("method"), message.get("params")
    params = params if isinstance(params, dict) else {}
    if method == CALL:
        return _call_of(params, size)
    if method == LIST:
        return Asked(LIST, first_page=params.get("cursor") is None)
    if method == TASK and isinstance(params.get("taskId"), str):
        return Asked(TASK, task=params["taskId"], size=size)
    return None


def _call_of(params: dict[str, Any], size: int) -> Asked | None:
    tool, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta")
    if not isinstance(tool, str):
        return None
    trace = meta.get("traceparent") if isinstance(meta, dict) else None
    return Asked(
        CALL,
        tool if len(tool) <= LONGEST_NAME else _short(tool),
        arguments if isinstance(arguments, dict) else {},
        trace if isinstance(trace, str) and len(trace) <= LONGEST_TRACE else None,
        size=size,
    )


def _short(name: str) -> str:
    """Return the beginning of a very long name of a tool, marked so that it is no other tool's name."""
    return f"{name[:LONGEST_NAME]}…"


def client_of(message: Any) -> str:
    """Return the name and version that a message gives of its client; nothing where it gives none."""
    params = message.get("params") if isinstance(message, dict) else None
    if not isinstance(params, dict):
        return ""
    meta = params.get("_meta")
    info = params.get("clientInfo") or (meta.get(IN_REQUEST) if isinstance(meta, dict) else None)
    if not isinstance(info, dict) or not isinstance(info.get("name"), str):
        return ""
    version = info.get("version")
    return f"{info['name']} {version}"[:LONGEST] if isinstance(version, str) else info["name"][:LONGEST]


class AskedBook(dict[Id, Asked]):
    """Requests that are remembered by their id: so many, of so many bytes together, and the oldest are given up first.

    A request alone is kept whatever its size: it has passed already. It is a dictionary, since every message looks into one.
    """

    __slots__ = ("_bytes", "_most", "_most_bytes")

    def __init__(self, most: int, most_bytes: int) -> None:
        super().__init__()
        self._most, self._most_bytes = most, most_bytes
        self._bytes = 0

    def put(self, number: Id, asked: Asked) -> Sequence[Asked]:
        """Write a request down; return those that are given up for it."""
        if number in self:
            self.strike(number)
        self[number] = asked
        self._bytes += asked.size
        if len(self) > self._most or self._bytes > self._most_bytes:
            return self._given_up()
        return ()

    def strike(self, number: Id) -> Asked | None:
        """Strike a request out, and return it."""
        asked = self.pop(number, None)
        if asked is not None:
            self._bytes -= asked.size
        return asked

    def numbers(self) -> frozenset[Id]:
        """Return the ids of all that are remembered."""
        return frozenset(self)

    def _given_up(self) -> Sequence[Asked]:
        given_up = []
        while len(self) > self._most or (self._bytes > self._most_bytes and len(self) > 1):
            oldest = self.strike(next(iter(self)))
            assert oldest is not None
            given_up.append(oldest)
        return given_up
