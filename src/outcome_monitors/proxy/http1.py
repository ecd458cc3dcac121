"""The answer to an HTTP/1.1 request, read by llhttp from the bytes of a connection as they come; no I/O here (RFC 9112)."""

from typing import NamedTuple

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

__all__ = ["BadAnswerError", "Head", "Reading"]

LARGEST_HEAD = 2**18
"""Bytes that may come without bringing anything of a body: of hints and headers, of the ends of chunks, of trailers."""
LONGEST_REASON = 2**13
_CONTINUE = 200
"""An answer of a lower status is not the last one."""


class BadAnswerError(Exception):
    """What the server says is no answer, or not a whole one."""


class Head(NamedTuple):
    """What stands before the body."""

    status: int
    reason: bytes
    headers: list[tuple[bytes, bytes]]
    """As they came, byte for byte and in order."""
    values: dict[str, str]
    """The values of each header, by its name in lower case."""

    def value(self, name: str) -> str:
        """Return the value of a header, in lower case; nothing where there is none."""
        return self.values.get(name, "").lower()


class Reading:
    """Reads one answer; `bodiless` says that none of its kind has a body."""

    def __init__(self, *, bodiless: bool = False) -> None:
        self.head: Head | None = None
        self.done = False
        self.reusable = False
        """Whether the connection can be used for another request, once this answer is done."""
        self._events = _ParserCalls(self, bodiless=bodiless)
        self._without_body = 0

    def feed(self, data: bytes) -> bytes:
        """Take what came, and return what it brings of the body."""
        if self.done:
            # More than was asked for: whose answer is it?
            self.reusable = False
            return b""
        try:
            body = self._events.feed(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            if not self._is_done():
                raise BadAnswerError(f"the answer is not HTTP/1.1: {_cause(error)}") from None
            self.reusable, body = False, self._events.taken()
        self._without_body = 0 if body else self._without_body + len(data)
        if self._without_body > LARGEST_HEAD and not self._is_done():
            raise BadAnswerError("the headers of the answer are too large")
        return body

    def _is_done(self) -> bool:
        return self.done

    def end(self) -> None:
        """Take note that nothing more comes; an answer that is not whole is a bad one."""
        if self.done:
            return
        if self.head is None:
            raise BadAnswerError("the connection was closed before an answer came")
        if self.head.value("content-length") or self.head.value("transfer-encoding"):
            raise BadAnswerError("the connection was closed in the middle of an answer")
        self.done = True


class _ParserCalls:
    """What the parser calls."""

    def __init__(self, reading: Reading, *, bodiless: bool) -> None:
        self._reading, self._bodiless = reading, bodiless
        self._parser = HttpResponseParser(self)
        self._reason = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._parts: list[bytes] = []

    def feed(self, data: bytes) -> bytes:
        self._parser.feed_data(data)
        return self.taken()

    def taken(self) -> bytes:
        parts, self._parts = self._parts, []
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def on_message_begin(self) -> None:
        if self._reading.done:
            self._reading.reusable = False
        self._reason, self._headers = b"", []

    def on_status(self, data: bytes) -> None:
        self._reason += data
        if len(self._reason) > LONGEST_REASON:
            raise BadAnswerError("the answer gives too long a reason")

    def on_header(self, name: bytes, value: bytes) -> None:
        # What comes behind the chunks is of this connection alone.
        if self._reading.head is None:
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        status, reading = self._parser.get_status_code(), self._reading
        if status < _CONTINUE or reading.done:
            return
        head = reading.head = Head(status, self._reason, self._headers, _values(self._headers))
        if head.value("transfer-encoding") not in ("", "chunked"):
            raise BadAnswerError(f"the answer is coded as {head.value('transfer-encoding')}")
        reading.reusable = self._parser.should_keep_alive()
        if self._bodiless:
            reading.done, reading.reusable = True, "close" not in head.value("connection")

    def on_body(self, data: bytes) -> None:
        if self._reading.done:
            self._reading.reusable = False
        else:
            self._parts.append(data)

    def on_message_complete(self) -> None:
        self._reading.done = self._reading.done or self._reading.head is not None


def _values(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.lower().decode("latin1"), []).append(value.decode("latin1").strip())
    return {name: ", ".join(values) for name, values in found.items()}


def _cause(error: BaseException) -> BaseException:
    """Return what a callback raised, where that is what went wrong."""
    return error.__context__ if isinstance(error.__context__, BadAnswerError) else error
