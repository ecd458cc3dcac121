"""What JSON-RPC messages of MCP say: what a client asks and calls itself, and what of an answer is the result to check."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeGuard

from outcome_monitors.jsonvalue.canonical.wrappers import are_blocks, of_mcp
from outcome_monitors.learning.recorder import ToolResult

__all__ = [
    "CALL",
    "LIST",
    "TASK",
    "Id",
    "Request",
    "RequestBook",
    "client_of",
    "is_id",
    "request_of",
    "result_of",
    "task_of",
]

CALL, LIST, TASK = "tools/call", "tools/list", "tasks/result"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
LONGEST_CLIENT = 80
LONGEST_NAME, LONGEST_TRACE = 256, 512
"""Characters of a tool's name, and of a trace's: they are kept beyond the call, and may be as long as a message."""
ERROR = "the server answered with an error"
IS_ERROR = "the result says that the call failed"
UNFINISHED = "the result is not final"
ODD = "the answer is not a tool result"
NOT_JSON = "the content is not JSON"
EMPTY = "the content is empty"
SENSES = "the content is a picture or a sound"

Id = str | int | float


class Request(NamedTuple):
    """A request whose answer is looked at."""

    id: Id
    method: str
    tool: str = ""
    arguments: dict[str, Any] = {}
    trace: str | None = None
    first_page: bool = True
    task: str = ""
    """The task whose result is asked for."""
    size: int = 0
    """Bytes of the message that asks, which is about what is held of it."""


def is_id(value: Any) -> TypeGuard[Id]:
    """Say whether a value can be the id of a message; true can not, though Python takes it for 1."""
    return type(value) in (str, int, float)


def request_of(message: Any, size: int = 0) -> Request | None:
    """Return what a message of so many bytes asks for, where the answer is looked at."""
    if not isinstance(message, dict) or not is_id(number := message.get("id")):
        return None
    method, params = message.get("method"), message.get("params")
    params = params if isinstance(params, dict) else {}
    if method == CALL and isinstance(tool := params.get("name"), str):
        arguments, meta = params.get("arguments"), params.get("_meta")
        trace = meta.get("traceparent") if isinstance(meta, dict) else None
        return Request(
            number,
            CALL,
            # The beginning of a very long name is marked, so that it is no other tool's name.
            tool if len(tool) <= LONGEST_NAME else f"{tool[:LONGEST_NAME]}…",
            arguments if isinstance(arguments, dict) else {},
            trace if isinstance(trace, str) and len(trace) <= LONGEST_TRACE else None,
            size=size,
        )
    if method == LIST:
        return Request(number, LIST, first_page=params.get("cursor") is None)
    if method == TASK and isinstance(params.get("taskId"), str):
        return Request(number, TASK, task=params["taskId"], size=size)
    return None


def client_of(message: Any) -> str:
    """Return the name and version that a message gives of its client; nothing where it gives none.

    A client gives them when a session begins or, where there are no sessions, with every request.
    """
    params = message.get("params") if isinstance(message, dict) else None
    if not isinstance(params, dict):
        return ""
    meta = params.get("_meta")
    info = params.get("clientInfo") or (meta.get(CLIENT_INFO) if isinstance(meta, dict) else None)
    if not isinstance(info, dict) or not isinstance(info.get("name"), str):
        return ""
    version = info.get("version")
    name = f"{info['name']} {version}" if isinstance(version, str) else info["name"]
    return str(name[:LONGEST_CLIENT])


class RequestBook:
    """Requests that are remembered by a key: so many, of so many bytes together, and the oldest are given up first.

    A request alone is kept whatever its size: it has passed already.
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self.requests: dict[Id, Request] = {}
        self._most, self._most_bytes, self._bytes = most, most_bytes, 0

    def put(self, key: Id, request: Request) -> Sequence[Request]:
        """Write a request down; return those that are given up for it."""
        self.pop(key)
        self.requests[key] = request
        self._bytes += request.size
        given_up = []
        while len(self.requests) > self._most or (self._bytes > self._most_bytes and len(self.requests) > 1):
            oldest = self.requests.pop(next(iter(self.requests)))
            self._bytes -= oldest.size
            given_up.append(oldest)
        return given_up

    def pop(self, key: Any) -> Request | None:
        """Strike a request out, and return it."""
        request = self.requests.pop(key, None)
        if request is not None:
            self._bytes -= request.size
        return request


def result_of(message: dict[str, Any]) -> ToolResult:
    """Return the result that an answer to `tools/call` or to `tasks/result` carries, in its canonical form.

    Structured content is the result where there is any, else what the blocks say. A task that was only begun, and a
    question back to the client, are no results yet.
    """
    if "error" in message:
        return ToolResult(message["error"], ERROR, failed=True)
    result = message.get("result")
    if not isinstance(result, dict):
        return ToolResult(why=ODD)
    content = result.get("content")
    if result.get("isError") is True:
        return ToolResult(content, IS_ERROR, failed=True)
    if result.get("resultType") not in (None, "complete") or "task" in result:
        return ToolResult(why=UNFINISHED)
    if result.get("structuredContent") is None:
        if not content:
            return ToolResult(why=EMPTY)
        if not are_blocks(content):
            return ToolResult(why=NOT_JSON)
        if all(block["type"] in ("audio", "image") for block in content):
            return ToolResult(why=SENSES)
    return ToolResult(of_mcp(result))


def task_of(message: dict[str, Any]) -> str | None:
    """Return the id of the task that a call has only begun, if it has."""
    result = message.get("result")
    task = result.get("task") if isinstance(result, dict) else None
    number = task.get("taskId") if isinstance(task, dict) else None
    return number if isinstance(number, str) else None
