"""What a client asks, and what it says of itself: when a conversation begins or, where there are none, with every request."""

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
    if not isinstance(message, dict) or not is_id(message.get("id")):
        return None
    method, params = message.get("method"), message.get("params")
    params = params if isinstance(params, dict) else {}
    if method == LIST:
        return Asked(LIST, first_page=params.get("cursor") is None)
    if method == TASK and isinstance(params.get("taskId"), str):
        return Asked(TASK, task=params["taskId"], size=size)
    if method != CALL or not isinstance(params.get("name"), str):
        return None
    arguments, meta = params.get("arguments"), params.get("_meta")
    trace = meta.get("traceparent") if isinstance(meta, dict) else None
    return Asked(
        CALL,
        _short(params["name"]),
        arguments if isinstance(arguments, dict) else {},
        trace if isinstance(trace, str) and len(trace) <= LONGEST_TRACE else None,
        size=size,
    )


def _short(name: str) -> str:
    """Return the name of a tool; of a very long one the beginning, marked so that it is no other tool's name."""
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"


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


class AskedBook:
    """Requests that are remembered by their id: so many, of so many bytes together, and the oldest are given up first.

    A request alone is kept whatever its size: it has passed already.
    """

    __slots__ = ("_asked", "_bytes", "_most", "_most_bytes")

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._asked: dict[Id, Asked] = {}
        self._bytes = 0

    def put(self, number: Id, asked: Asked) -> list[Asked]:
        """Write a request down; return those that are given up for it."""
        self.pop(number)
        self._asked[number] = asked
        self._bytes += asked.size
        given_up = []
        while len(self._asked) > self._most or (self._bytes > self._most_bytes and len(self._asked) > 1):
            oldest = self.pop(next(iter(self._asked)))
            assert oldest is not None
            given_up.append(oldest)
        return given_up

    def pop(self, number: Id) -> Asked | None:
        """Strike a request out, and return it."""
        asked = self._asked.pop(number, None)
        if asked is not None:
            self._bytes -= asked.size
        return asked

    def get(self, number: Id) -> Asked | None:
        """Return a request."""
        return self._asked.get(number)

    def numbers(self) -> frozenset[Id]:
        """Return the ids of all that are remembered."""
        return frozenset(self._asked)

    def __len__(self) -> int:
        return len(self._asked)
