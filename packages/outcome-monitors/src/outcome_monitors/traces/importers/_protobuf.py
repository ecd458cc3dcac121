"""OTLP in protobuf: requests to export spans or logs, as they are sent, or each after its length.

A collector's `file` exporter writes the length in four bytes (`format: proto`), most libraries as a varint. One resource's
spans are in memory at a time; they are turned into what OTLP's JSON has, and read as that.
"""

import io
import re
from collections.abc import Iterator
from typing import IO, Any

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.model import Json

from ._json_records import CUT
from ._source import ImportTally, Reason, Record

__all__ = ["HEAD", "begins", "records"]

HEAD = 64
"""Bytes that tell."""
# A text of blank lines and braces can be read as lengths.
_NO_TEXT = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
FIELD = 0x0A
"""What every resource's spans or logs begin with in a request: field 1, so many bytes."""
_INNER = frozenset({0x0A, 0x12, 0x1A})
"""What can stand first in a resource's spans or logs."""
_FOUR = 4
_LONGEST_VARINT = 10
LARGEST = 1 << 26
"""Bytes of what a resource has sent."""

BROKEN = Reason(
    "protobuf message cannot be read",
    "protobuf messages cannot be read",
    "it was skipped; export again",
)
OF_ANOTHER_KIND = Reason(
    "protobuf message holds neither spans nor log records",
    "protobuf messages hold neither spans nor log records",
    "metrics have no tool calls; export traces or logs",
)


class _CutError(Exception):
    """The stream ends where more must come."""


def begins(head: bytes) -> bool:
    """Say whether a file begins as OTLP in protobuf does, however it is framed."""
    return _NO_TEXT.search(head) is not None and _framing(head) is not None


def records(stream: IO[bytes], file: str, tally: ImportTally) -> Iterator[Record]:
    """Yield the spans and log records; the number of a record's line is that of its message. Raise MissingExtra without protobuf."""
    unpack = _unpacker()
    framing = _framing(stream.peek(HEAD)[:HEAD])  # type: ignore[attr-defined]  # a BufferedReader
    number = 0
    try:
        for number, message in enumerate(_messages(stream, framing or "none"), 1):
            place = f"{file}:{number}"
            found = unpack(message)
            if found is None:
                tally.count(BROKEN, place)
            elif not found:
                tally.count(OF_ANOTHER_KIND, place)
            for value in found or ():
                yield Record(file, number, len(message) // len(found or ()), value, {})
    except _CutError:
        tally.count(CUT, f"{file}:{number + 1}")


def _framing(head: bytes) -> str | None:
    """Return what goes before each message: nothing, four bytes or a varint; None where it is no such file."""
    if _is_request(head, LARGEST):
        return "none"
    if _is_request(head[_FOUR:], int.from_bytes(head[:_FOUR], "big")):
        return "four"
    try:
        length, at = _varint(io.BytesIO(head))
    except _CutError:
        return None
    return "varint" if _is_request(head[at:], length) else None


def _is_request(head: bytes, length: int) -> bool:
    """Say whether bytes begin as a request of so many bytes does: what is inside must fit into what is around it."""
    stream = io.BytesIO(head)
    try:
        outer, at = _tagged(stream)
        kind = _exactly(stream, 1)[0]
        inner, more = _varint(stream)
    except _CutError:
        return False
    return kind in _INNER and 1 + at + outer <= length and 1 + more + inner <= outer


def _messages(stream: IO[bytes], framing: str) -> Iterator[bytes]:
    """Yield what each resource has sent."""
    while stream.peek(1):  # type: ignore[attr-defined]  # a BufferedReader
        left = 1
        if framing == "four":
            left = int.from_bytes(_exactly(stream, _FOUR), "big")
        elif framing == "varint":
            left, _ = _varint(stream)
        while left > 0:
            length, at = _tagged(stream)
            left -= 1 + at + length
            yield _exactly(stream, length)


def _tagged(stream: IO[bytes]) -> tuple[int, int]:
    """Return the length of the field that follows, and how many bytes say it."""
    if _exactly(stream, 1)[0] != FIELD:
        raise _CutError
    return _varint(stream)


def _varint(stream: IO[bytes]) -> tuple[int, int]:
    """Return a number, and how many bytes it takes."""
    value = 0
    for place in range(_LONGEST_VARINT):
        byte = _exactly(stream, 1)[0]
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, place + 1
    raise _CutError


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length) if length <= LARGEST else b""
    if len(data) < length:
        raise _CutError
    return data


def _unpacker() -> Any:
    """Return what turns a message into records as OTLP's JSON has them: none for other things, None where it is broken."""
    try:
        from google.protobuf.json_format import MessageToDict  # noqa: PLC0415 - an extra
        from google.protobuf.message import DecodeError  # noqa: PLC0415 - as above
        from opentelemetry.proto.logs.v1.logs_pb2 import ResourceLogs  # noqa: PLC0415 - as above
        from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans  # noqa: PLC0415 - as above
    except ImportError as error:
        raise MissingExtra("OTLP in protobuf", "opentelemetry-proto", "otlp") from error

    def parsed(kind: Any, message: bytes) -> Any:
        try:
            return kind.FromString(message)
        except DecodeError:
            return None

    def unpack(message: bytes) -> list[dict[str, Json]] | None:
        spans, logs = parsed(ResourceSpans, message), parsed(ResourceLogs, message)
        if spans is None and logs is None:
            return None
        # The two have the same form outside; fields of another type are passed over.
        found = [span for scope in spans.scope_spans for span in scope.spans] if spans is not None else []
        found = [span for span in found if span.trace_id and span.span_id and span.start_time_unix_nano]
        if not found and logs is not None:
            found = [record for scope in logs.scope_logs for record in scope.log_records]
            found = [record for record in found if record.time_unix_nano or record.observed_time_unix_nano]
        return [_as_json(item, MessageToDict(item)) for item in found]

    return unpack


def _as_json(item: Any, value: dict[str, Json]) -> dict[str, Json]:
    """Write ids in hexadecimal, as OTLP's JSON does, not as protobuf's would."""
    ids = {
        "traceId": item.trace_id,
        "spanId": item.span_id,
        "parentSpanId": getattr(item, "parent_span_id", b""),
    }
    return {**value, **{name: found.hex() for name, found in ids.items() if found}}
