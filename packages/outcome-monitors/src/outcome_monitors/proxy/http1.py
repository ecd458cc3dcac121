"""The answer to an HTTP/1.1 request, read by llhttp from the bytes of a connection as they come; no I/O here (RFC 9112)."""

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from .http_heads import LONGEST_HEAD, AnswerHeads, Head

__all__ = ["BadAnswerError", "Reading"]

LARGEST_HEAD = 2**18
"""Bytes that may come without bringing anything of a body: of hints and headers, of the ends of chunks, of trailers."""
LONGEST_REASON = 2**13
_CONTINUE = 200
"""An answer of a lower status is not the last one."""


class BadAnswerError(Exception):
    """What the server says is no answer, or not a whole one."""


class Reading:
    """Reads one answer; `bodiless` says that none of its kind has a body. Heads that are known need no parser."""

    def __init__(self, *, bodiless: bool = False, known: AnswerHeads | None = None) -> None:
        self.head: Head | None = None
        self.done = False
        self.reusable = False
        """Whether the connection can be used for another request, once this answer is done."""
        self._bodiless, self._known = bodiless, None if bodiless else known
        self._events: _ParserCalls | None = None
        self._missing = 0
        """Bytes of the body that are still to come, where the head was known."""
        self._first = b""
        """What came first, where its head is to be known."""
        self._without_body = 0

    def feed(self, data: bytes) -> bytes:
        """Take what came, and return what it brings of the body."""
        if self.done:
            # More than was asked for: whose answer is it?
            self.reusable = False
            return b""
        if self._events is not None:
            return self._parsed(self._events, data)
        if self._missing:
            return self._counted(data)
        return self._begun(data)

    def _begun(self, data: bytes) -> bytes:
        """Take the first that came: with a head that is known, or one to be read."""
        found = None if self._known is None else self._known.find(data)
        if found is not None:
            self.head, start = found
            self._missing, self.reusable = self.head.size or 0, True
            return self._counted(data[start:])
        self._events = _ParserCalls(self, bodiless=self._bodiless)
        self._first = b"" if self._known is None else data[:LONGEST_HEAD]
        return self._parsed(self._events, data)

    def _counted(self, data: bytes) -> bytes:
        """Take a part of a body whose length is known."""
        self._missing -= len(data)
        self.done = self._missing <= 0
        if self._missing >= 0:
            return data
        self.reusable = False
        return data[: self._missing]

    def _parsed(self, events: "_ParserCalls", data: bytes) -> bytes:
        """Have the parser read it."""
        try:
            body = events.feed(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            if not self._is_done():
                raise BadAnswerError(f"the answer is not HTTP/1.1: {_cause(error)}") from None
            self.reusable, body = False, events.taken()
        self._without_body = 0 if body else self._without_body + len(data)
        if self._without_body > LARGEST_HEAD and not self._is_done():
            raise BadAnswerError("the headers of the answer are too large")
        if self._first and self._known is not None and self.head is not None and self.done and self.reusable:
            self._known.learn(self._first, self.head)
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
