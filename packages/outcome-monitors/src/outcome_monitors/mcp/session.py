"""One JSON-RPC session as the wire has it: what was asked, and the answers that a receipt may go into.

Everything is passed on unmodified, in order. Only two sorts of answer are ever changed, by insertion: a `tools/call` result
that breaks its contract, and the output schemas of a `tools/list` that receipts need declared.
"""

import json
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from outcome_monitors.alerting.policy import this_host
from outcome_monitors.jsonvalue.canonical.wrappers import are_blocks, of_mcp
from outcome_monitors.jsonvalue.splice import Insertion, TextSpan, inserted, items, members, value_at
from outcome_monitors.learning.recorder import ToolResult
from outcome_monitors.model import Unchecked
from outcome_monitors.receipts.mcp import attach, declare, must_declare

from .context import OverBudget, ProxyContext
from .listed import Listed

CALL, LIST, TASK = "tools/call", "tools/list", "tasks/result"
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

MOST_PENDING = 4096
MOST_HELD = 16 * 2**20
"""Bytes of requests that wait for an answer in one session; beyond both, the oldest are given up."""
MOST_KEPT = 4 * 2**20
"""Bytes of those that were answered."""
MOST_ANSWERED = 64
"""Answered calls that are kept, since a broken HTTP stream may send the answer once more."""
UNREADABLE = "the answer cannot be read"
_WHY: Mapping[Unchecked, str] = {
    "too large": "the result is too large",
    "took too long": "the check took too long",
    "failed inside": "the look at it went wrong inside, see the log",
    "no result": "too many calls waited for their answers",
}

_HIDDEN = b"\\u"
"""May hide any word."""
_ID = re.compile(rb'"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)')
_NEAR = 400
"""Bytes at the beginning of a message among which its id is looked for, where it is too large to be read."""


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


class JsonRpcSession:
    """One session. `from_client` and `from_server` may be called from two threads."""

    def __init__(
        self,
        context: ProxyContext,
        name: str | None = None,
        *,
        replays: bool = False,
        tools: dict[str, Listed] | None = None,
        client: str = "",
        witness: str | None = None,
    ) -> None:
        self.name = name
        # What a client calls itself is its own choice: it says nothing of who it is.
        self.client = client or this_host()
        self._context = context
        self._conversation = context.conversation(name, self.client, witness)
        recorder = context.recorder
        self._recording = None if recorder is None else recorder.conversation(name, self.client)
        self._lock = threading.Lock()
        self._pending = RequestBook(MOST_PENDING, MOST_HELD)
        self._answered = RequestBook(MOST_ANSWERED, MOST_KEPT)
        self._tasks = RequestBook(MOST_PENDING, MOST_KEPT)
        """Calls that have begun a task, whose result is asked for later."""
        self._unreadable: set[Id] = set()
        """Calls that something which cannot be read may be the answer to."""
        self._replays = replays
        self._at: Request | None = None
        """The request whose answer is being looked at."""
        self._tools = {} if tools is None else tools
        """The tools listed so far."""
        self._shared = tools is not None
        self.tools = tuple(tools) if tools else None
        """The tools that the client knows of; None before it has asked."""

    def from_client(self, data: bytes) -> None:
        """Take note of what the client says."""
        # Most of what a client says is calls; the rest need not be read.
        if not (b"tools" in data or b"tasks" in data or _HIDDEN in data):
            return
        try:
            message = json.loads(data.decode("utf-8-sig", errors="surrogateescape"))
        except (ValueError, RecursionError):
            return
        for single in message if isinstance(message, list) else (message,):
            request = request_of(single, len(data))
            if request is not None:
                with self._lock:
                    given_up = self._pending.put(request.id, request)
                for oldest in given_up:
                    self._skip(oldest, "no result")

    def from_server(self, data: bytes) -> bytes:
        """Return what is to be passed on of what the server says: the same bytes, or the same with a receipt put in."""
        if not self._pending.requests and not self._answered.requests:
            return data
        self._at = None
        why: Unchecked = "took too long"
        try:
            return self._context.limit.run(self._read, data)
        except OverBudget:
            pass
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets what the server said
            self._context.trouble(error)
            why = "failed inside"
        self._give_up(data, why)
        return data

    def _give_up(self, data: bytes, why: Unchecked) -> None:
        """Count a message that could not be looked at: the request that it answers, where that was read."""
        if self._at is not None:
            self._skip(self._at, why)
        else:
            self._pass(data, why)

    def too_large(self, head: bytes) -> None:
        """Take note of a message that is too large to be looked at, by its first bytes."""
        self._pass(head, "too large")

    def unanswered(self, numbers: Iterable[Id], words: str, *, openly: bool = False) -> None:
        """Count calls whose answers have come, and could not be read; `openly` where the client sees that it got none."""
        for number in numbers:
            request, again = self._take(number)
            if request is not None and not again:
                self._skip(request, "an open failure" if openly else "no result", words)

    def ended(self) -> None:
        """Count the calls of which nothing came but what could not be read."""
        self.unanswered(self._unreadable & self.waiting(), UNREADABLE)

    def waiting(self) -> frozenset[Id]:
        """Return the ids of calls that wait for their answer."""
        with self._lock:
            return frozenset(self._pending.requests)

    def _take(self, number: Any) -> tuple[Request | None, bool]:
        """Return what an answer with an id is the answer to, and whether it came before."""
        with self._lock:
            request = self._pending.pop(number)
            if request is None:
                return self._answered.requests.get(number), True
            if self._replays:
                self._answered.put(number, request)
        return request, False

    def _pass(self, data: bytes, why: Unchecked, words: str = "") -> None:
        request, again = self._take(_number_in(data))
        if request is not None and not again:
            self._skip(request, why, words)

    def _skip(self, request: Request, why: Unchecked, words: str = "") -> None:
        if request.method == CALL:
            result = ToolResult(why=words or _WHY[why])
            self._context.check(
                self._conversation, request.tool, {}, result, None, request.trace, unchecked=why
            )

    def _read(self, data: bytes) -> bytes:
        # Bytes that are no UTF-8 stay as they are: some clients read past them.
        text = data.decode(errors="surrogateescape")
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            # The answer may be another line that is still to come.
            number = _number_in(data) or _number_in(data[-_NEAR:])
            if number in self._pending.requests:
                self._unreadable.add(number)
            return data
        if isinstance(message, list):
            spans = items(text, value_at(text))
            insertions = [
                new
                for each, span in zip(message, spans, strict=True)
                for new in self._answer(text, each, span)
            ]
        else:
            insertions = [*self._answer(text, message, None)]
        return inserted(text, insertions).encode(errors="surrogateescape") if insertions else data

    def _answer(self, text: str, message: Any, span: TextSpan | None) -> Sequence[Insertion]:
        """Return what is to be put into one message; `span` is its place in a batch."""
        number = message.get("id") if isinstance(message, dict) and "method" not in message else None
        if isinstance(number, bool) or not isinstance(number, str | int | float):
            return ()
        # Before it is taken: whenever it is cut short, someone knows of it.
        self._at = self._pending.requests.get(number)
        request, again = self._take(number)
        if request is None:
            return ()
        if request.method == LIST:
            return self._list(text, message, span, request)
        if request.method == TASK:
            begun = self._tasks.requests.get(request.task)
            if begun is None:
                return ()
            request = begun
        if span is not None:
            # Each answer of a batch has the time that one by itself has.
            self._context.limit.restart()
        result = result_of(message)
        if result.why == UNFINISHED and (task := _task_of(message)) is not None:
            self._tasks.put(task, request)
        outcome = self._context.check(
            self._conversation,
            request.tool,
            request.arguments,
            result,
            self.tools,
            request.trace,
            again=again,
        )
        self._at = None
        if self._recording is not None and not again:
            self._recording.record(request.tool, request.arguments, result, outcome)
        if outcome is None or outcome.receipt is None:
            return ()
        place = members(text, value_at(text) if span is None else span)["result"]
        listed = self._tools.get(outcome.tool, Listed())
        return list(
            attach(
                text,
                place,
                outcome.receipt,
                self._context.carrier,
                structured=listed.takes_receipt,
                refused=listed.refuses(outcome.tool, message["result"], result.value),
            )
        )

    def _list(
        self, text: str, message: dict[str, Any], span: TextSpan | None, request: Request
    ) -> Sequence[Insertion]:
        """Take note of the tools that are listed; return what declares receipts in their output schemas."""
        result = message.get("result")
        tools = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(tools, list):
            return ()
        context = self._context
        if request.first_page and not self._shared:
            self._tools.clear()
        for tool in tools:
            if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                self._tools[tool["name"]] = Listed.of(tool)
        self.tools = tuple(self._tools)
        if context.listed is not None:
            context.listed(tools)
        if context.watch is not None:
            context.watch.listed(tools)
        wanted = {
            index: tool["name"]
            for index, tool in enumerate(tools)
            if isinstance(tool, dict)
            and tool.get("name") in self._tools
            and must_declare(tool.get("outputSchema"))
            and context.declares_for(tool["name"])
        }
        if not wanted:
            return ()
        found = []
        place = members(text, members(text, value_at(text) if span is None else span)["result"])["tools"]
        for index, tool in enumerate(items(text, place)):
            if index in wanted:
                schema = members(text, tool)["outputSchema"]
                found.append(declare(text, schema, as_text=context.as_text))
                self._tools[wanted[index]] = self._tools[wanted[index]]._replace(takes_receipt=True)
        return found


def _number_in(data: bytes) -> Any:
    """Return the id that stands near the beginning; None where there is none."""
    found = _ID.search(data[:_NEAR])
    try:
        return None if found is None else json.loads(found[1])
    except ValueError:
        # No JSON: a log line may have an id too.
        return None


def request_of(message: Any, size: int = 0) -> Request | None:
    """Return what a message of so many bytes asks for, where the answer is looked at."""
    number = message.get("id") if isinstance(message, dict) else None
    # True is no id, though Python takes it for 1.
    if isinstance(number, bool) or not isinstance(number, str | int | float):
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


def _task_of(message: dict[str, Any]) -> str | None:
    """Return the id of the task that a call has only begun, if it has."""
    result = message.get("result")
    task = result.get("task") if isinstance(result, dict) else None
    number = task.get("taskId") if isinstance(task, dict) else None
    return number if isinstance(number, str) else None
