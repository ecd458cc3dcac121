"""Logs of MCP's JSON-RPC messages: a request `tools/call`, and the response with the same id.

The result is the structured content where there is any, else the content's text; the proxy checks the same. A file is a
session, unless records name one: ids are unique within a connection only.
"""

from collections.abc import Iterator
from typing import NamedTuple

from outcome_monitors.model import Call, Json

from ._joining import WAITING, Bounded
from ._payloads import arguments_of, content_of, first_label, instant, parsed, time_text
from ._source import NO_RESULT_CAME, ImportTally, Reason, Record, call

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


class _Request(NamedTuple):
    place: str
    tool: str
    arguments: dict[str, Json]
    time: str | None


def recognise(value: Json) -> bool:
    """Say whether a record is, or wraps, a JSON-RPC message."""
    return _message(value) is not None


class Mcp:
    """Joins requests with their responses."""

    def __init__(self, tally: ImportTally) -> None:
        self._tally = tally
        self._open = Bounded[tuple[str, str], _Request](WAITING)

    def read(self, record: Record) -> Iterator[Call]:
        """Return the call that a response completes; servers log other things too, between the messages."""
        value, message = record.value, _message(record.value)
        if message is None:
            return
        session = first_label(value, SESSIONS) or first_label(value.get("headers"), SESSIONS) or record.file
        key = (session, repr(message.get("id")))
        if message.get("method") == "tools/call":
            params = message.get("params")
            if isinstance(params, dict) and isinstance(params.get("name"), str):
                time = next((instant(value[name]) for name in TIMES if name in value), None)
                arguments = arguments_of(params.get("arguments")) or {}
                fallen = self._open.put(
                    key, _Request(record.place, params["name"], arguments, time_text(time))
                )
                if fallen is not None:
                    self._tally.count(FELL_OUT, fallen.place)
        elif "error" in message or "result" in message:
            request = self._open.pop(key, None)
            response = _response(message)
            if request is not None and response is None:
                self._tally.count(UNFINISHED, request.place)
            elif request is not None and response is not None:
                result, failed = response
                _, tool, arguments, time_of = request
                yield call(tool, arguments, result, session=session, error=failed, time=time_of)

    def end(self) -> tuple[Call, ...]:
        """Count the requests that no response came for."""
        for waiting in self._open.rest():
            self._tally.count(NO_RESULT_CAME, waiting.place)
        return ()


def _response(message: dict[str, Json]) -> tuple[Json, bool] | None:
    """Return the result, and whether the call has failed; nothing where the response is not final."""
    if "error" in message:
        return message["error"], True
    result = message["result"]
    if not isinstance(result, dict):
        return result, False
    if result.get("resultType") not in (None, "complete") or "task" in result:
        return None
    structured = result.get("structuredContent")
    returned = content_of(result.get("content")) if structured is None else structured
    return returned, result.get("isError") is True


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
