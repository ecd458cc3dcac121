"""Logs of MCP's JSON-RPC messages: a request `tools/call`, and the response with the same id.

The result is the structured content where there is any, else the content's text; the proxy checks the same. A file is a
session, unless records name one: ids are unique within a connection only.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from outcome_monitors.model import Call, Json

from ._json import JsonRecord
from ._memory import Waiting
from ._payload import PayloadMaker
from ._reader import NO_RESULT_CAME, call
from ._tally import ImportTally, Notes, Reason
from ._values import arguments_of, content_of, instant, label, parsed, time_text

__all__ = ["Mcp", "look", "recognise"]

WRAPPERS = ("message", "payload", "msg", "data", "body", "json", "request", "response")
SESSIONS = ("Mcp-Session-Id", "mcp-session-id", "mcp_session_id", "session_id", "sessionId", "session")
TIMES = ("timestamp", "time", "ts")

UNFINISHED = Reason(
    "answer to tools/call is not final",
    "answers to tools/call are not final",
    "the result comes in another message, which is not joined",
)
FELL_OUT = Reason(
    "request waited too long for its response",
    "requests waited too long for their responses",
    "too many were open at once; import in smaller parts",
)


class Request(NamedTuple):
    """A request for a call."""

    key: tuple[str, str]
    place: str
    tool: str
    arguments: Any
    time: str | None


class Response(NamedTuple):
    """A response, to a call or to anything else."""

    key: tuple[str, str]
    result: Any
    failed: bool
    unfinished: bool = False


def recognise(value: Json) -> bool:
    """Say whether a record is, or wraps, a JSON-RPC message."""
    return _message(value) is not None


def look(record: JsonRecord, _notes: Notes, payloads: PayloadMaker) -> Request | Response | None:
    """Look at a message; servers log other things too, between the messages."""
    message = _message(record.value)
    if message is None:
        return None
    key = (_first(record.value, SESSIONS) or record.file, repr(message.get("id")))
    if message.get("method") == "tools/call":
        return _request(message.get("params"), key, record, payloads)
    return _response(message, key, payloads) if "result" in message or "error" in message else None


def _request(
    params: Json, key: tuple[str, str], record: JsonRecord, payloads: PayloadMaker
) -> Request | None:
    if not isinstance(params, dict) or not isinstance(params.get("name"), str):
        return None
    time = next((instant(record.value[name]) for name in TIMES if name in record.value), None)
    given = payloads.arguments(arguments_of(params.get("arguments")) or {})
    return Request(key, record.place, params["name"], given, time_text(time))


def _response(message: dict[str, Json], key: tuple[str, str], payloads: PayloadMaker) -> Response:
    if "error" in message:
        return Response(key, payloads.result(message["error"]), failed=True)
    result = message.get("result")
    if not isinstance(result, dict):
        return Response(key, payloads.result(result), failed=False)
    if result.get("resultType") not in (None, "complete") or "task" in result:
        return Response(key, None, failed=False, unfinished=True)
    structured = result.get("structuredContent")
    returned = content_of(result.get("content")) if structured is None else structured
    return Response(key, payloads.result(returned), result.get("isError") is True)


class Mcp:
    """Joins requests with their responses."""

    def __init__(self, tally: ImportTally) -> None:
        self._tally = tally
        self._open: Waiting[tuple[str, str], Request] = Waiting()

    def join(self, seen: Request | Response | None) -> Iterator[Call]:
        """Return the call that a response completes."""
        if isinstance(seen, Request):
            fallen = self._open.put(seen.key, seen)
            if fallen is not None:
                self._tally.count(FELL_OUT, fallen.place)
        elif seen is not None and (asked := self._open.take(seen.key)) is not None:
            if seen.unfinished:
                self._tally.count(UNFINISHED, asked.place)
                return
            session, _ = seen.key
            yield call(
                asked.tool, asked.arguments, seen.result, session=session, error=seen.failed, time=asked.time
            )

    def end(self) -> tuple[Call, ...]:
        """Count the requests that no response came for."""
        for waiting in self._open.rest():
            self._tally.count(NO_RESULT_CAME, waiting.place)
        return ()


def _message(value: Json) -> dict[str, Json] | None:
    if not isinstance(value, dict):
        return None
    if value.get("jsonrpc") == "2.0":
        return value
    for key in WRAPPERS:
        inner = parsed(value.get(key))
        if isinstance(inner, dict) and inner.get("jsonrpc") == "2.0":
            return inner
    return None


def _first(value: dict[str, Json], keys: tuple[str, ...]) -> str | None:
    headers = value.get("headers")
    holders = (value, headers) if isinstance(headers, dict) else (value,)
    return next((label(holder[key]) for holder in holders for key in keys if label(holder.get(key))), None)
