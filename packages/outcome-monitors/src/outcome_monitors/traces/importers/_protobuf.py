"""OTLP in protobuf: a request to export spans or logs as it is sent, or several, each after its length.

A collector's `file` exporter writes the length in four bytes (`format: proto`), most libraries as a varint. A message is turned into what
OTLP's JSON has, and read as that.
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
"""Bytes by which a file is recognized."""
LARGEST = 1 << 28
"""Bytes of a message."""
_NO_TEXT = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""What no text has: blank lines and braces can be read as lengths."""
_RESOURCE = 0x0A
"""The tag of a request's only field: the spans or logs of a resource."""
_INSIDE = b"\x0a\x12\x1a"
"""The tags of what a resource can begin with."""

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


def begins(head: bytes) -> bool:
    """Say whether a file begins as OTLP in protobuf does, however it is framed."""
    return _NO_TEXT.search(head) is not None and _framing(head) != ""


def records(stream: IO[bytes], file: str, tally: ImportTally) -> Iterator[Record]:
    """Yield the spans and log records; the number of a record's line is that of its message. Raise MissingExtra without protobuf."""
    unpack = _unpacker()
    framing = _framing(stream.peek(HEAD)[:HEAD])  # type: ignore[attr-defined]  # a BufferedReader
    number = 0
    while stream.peek(1):  # type: ignore[attr-defined]  # as above
        number += 1
        place = f"{file}:{number}"
        length = LARGEST if framing == "none" else _length(stream, framing)
        message = stream.read(length) if 0 <= length <= LARGEST else b""
        values = unpack(message)
        is_cut = values is None if framing == "none" else not 0 <= length == len(message)
        if is_cut:
            tally.count(CUT, place)
            return
        if not values:
            tally.count(BROKEN if values is None else OF_ANOTHER_KIND, place)
            continue
        for value in values:
            yield Record(file, number, len(message) // len(values), value, {})


def _framing(head: bytes) -> str:
    """Return what goes before each message: `none`, `four` bytes or a `varint`; empty where it is no such file."""
    if _is_request(head, LARGEST):
        return "none"
    for framing in ("four", "varint"):
        stream = io.BytesIO(head)
        length = _length(stream, framing)
        if _is_request(stream.read(), length):
            return framing
    return ""


def _is_request(head: bytes, length: int) -> bool:
    """Say whether bytes begin as a request of so many bytes does: what is inside must fit into what is around it."""
    stream = io.BytesIO(head)
    if stream.read(1) != bytes([_RESOURCE]):
        return False
    outer = _length(stream, "varint")
    begin = stream.tell()
    tag = stream.read(1)
    inner = _length(stream, "varint")
    size = stream.tell() - begin
    return bool(tag) and tag in _INSIDE and inner >= 0 and begin + outer <= length and size + inner <= outer


def _length(stream: IO[bytes], framing: str) -> int:
    """Return the length that comes next; -1 where there is none."""
    if framing == "four":
        data = stream.read(4)
        return int.from_bytes(data, "big") if len(data) == 4 else -1
    value = 0
    for place in range(10):
        byte = stream.read(1)
        if not byte:
            break
        value |= (byte[0] & 0x7F) << 7 * place
        if byte[0] < 0x80:
            return value
    return -1


def _unpacker() -> Any:
    """Return what turns a message into records as OTLP's JSON has them: none for other things, None where it is broken."""
    try:
        from google.protobuf.json_format import MessageToDict  # noqa: PLC0415 - an extra
        from google.protobuf.message import DecodeError  # noqa: PLC0415 - as above
        from opentelemetry.proto.logs.v1.logs_pb2 import LogsData  # noqa: PLC0415 - as above
        from opentelemetry.proto.trace.v1.trace_pb2 import TracesData  # noqa: PLC0415 - as above
    except ImportError as error:
        raise MissingExtra("OTLP in protobuf", "opentelemetry-proto", "otlp") from error

    def parsed(kind: Any, message: bytes) -> Any:
        try:
            return kind.FromString(message)
        except DecodeError:
            return None

    def unpack(message: bytes) -> list[dict[str, Json]] | None:
        traces, logs = parsed(TracesData, message), parsed(LogsData, message)
        if traces is None and logs is None:
            return None
        # The two have the same form outside; fields of another type are passed over.
        resources = traces.resource_spans if traces is not None else ()
        spans = [span for resource in resources for scope in resource.scope_spans for span in scope.spans]
        items = [span for span in spans if span.trace_id and span.span_id and span.start_time_unix_nano]
        if not items and logs is not None:
            scopes = [scope for resource in logs.resource_logs for scope in resource.scope_logs]
            items = [record for scope in scopes for record in scope.log_records]
            items = [record for record in items if record.time_unix_nano or record.observed_time_unix_nano]
        return [_as_json(item, MessageToDict(item)) for item in items]

    return unpack


def _as_json(item: Any, value: dict[str, Json]) -> dict[str, Json]:
    """Write ids in hexadecimal, as OTLP's JSON does, not as protobuf's would."""
    parent = getattr(item, "parent_span_id", b"")
    ids = {"traceId": item.trace_id, "spanId": item.span_id, "parentSpanId": parent}
    return {**value, **{name: data.hex() for name, data in ids.items() if data}}
