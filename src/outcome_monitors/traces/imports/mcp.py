"""Logs of MCP's JSON-RPC messages: a request `tools/call`, and the response with the same id.

The result is the structured content where there is any, else the content's text; the proxy checks the same. A file is a
session, unless records name one: ids are unique within a connection only.
"""

from collections.abc import Iterator
from typing import NamedTuple

from outcome_monitors.model import Call, Json

from ._json import JsonRecord
from ._memory import Waiting
from ._reader import NO_RESULT_CAME, call
from ._tally import ImportTally, Reason
from ._values import arguments_of, content_of, instant, label, parsed, time_text

__all__ = ["Mcp", "recognise"]

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


class _OpenRequest(NamedTuple):
    place: str
    tool: str
    arguments: dict[str, Json]
    time: str | None


def recognise(value: Json) -> bool:
    """Say whether a record is, or wraps, a JSON-RPC message."""
    return _message(value) is not None


class Mcp:
    """Reads such records."""

    def __init__(self, tally: ImportTally) -> None:
        self._tally = tally
        self._open: Waiting[tuple[str, str], _OpenRequest] = Waiting()

    def read(self, record: JsonRecord) -> Iterator[Call]:
        """Return the call that a response completes."""
        message = _message(record.value)
        if message is None:
            # Servers log other things too, between the messages.
            return
        session = _first(record.value, SESSIONS) or record.file
        key = (session, repr(message.get("id")))
        if message.get("method") == "tools/call":
            self._ask(message.get("params"), key, record)
        elif "result" in message or "error" in message:
            asked = self._open.take(key)
            if asked is not None:
                yield from self._answer(asked, message, session)

    def end(self) -> tuple[Call, ...]:
        """Count the requests that no response came for."""
        for waiting in self._open.rest():
            self._tally.count(NO_RESULT_CAME, waiting.place)
        return ()

    def _ask(self, params: Json, key: tuple[str, str], record: JsonRecord) -> None:
        if not isinstance(params, dict) or not isinstance(params.get("name"), str):
            return
        time = next((instant(record.value[name]) for name in TIMES if name in record.value), None)
        asked = _OpenRequest(
            record.place, params["name"], arguments_of(params.get("arguments")) or {}, time_text(time)
        )
        fallen = self._open.put(key, asked)
        if fallen is not None:
            self._tally.count(FELL_OUT, fallen.place)

    def _answer(self, asked: _OpenRequest, message: dict[str, Json], session: str) -> Iterator[Call]:
        result, failed = message.get("result"), "error" in message
        if not failed and isinstance(result, dict):
            if result.get("resultType") not in (None, "complete") or "task" in result:
                self._tally.count(UNFINISHED, asked.place)
                return
            failed = result.get("isError") is True
            structured = result.get("structuredContent")
            result = content_of(result.get("content")) if structured is None else structured
        elif failed:
            result = message["error"]
        yield call(asked.tool, asked.arguments, result, session=session, error=failed, time=asked.time)


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
