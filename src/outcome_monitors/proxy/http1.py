"""The answer to an HTTP/1.1 request, read from the bytes of a connection as they come; no I/O here (RFC 9112)."""

import re
from typing import NamedTuple

__all__ = ["BadAnswerError", "Head", "Reading"]

LARGEST_HEAD = 2**18
"""Bytes that an answer may have before its body begins."""
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LINE_END = re.compile(rb"\r?\n")
_STATUS = re.compile(rb"HTTP/1\.([01]) +(\d{3})(?: +([^\r\n]*))?")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\0\r\n]*?)[ \t]*")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")
_NO_BODY = (204, 304)
_CONTINUE = 200
"""An answer of a lower status is not the last one."""


class BadAnswerError(Exception):
    """What the server says is no answer, or not a whole one."""


class Head(NamedTuple):
    """What stands before the body."""

    minor: int
    """The second number of the version."""
    status: int
    reason: str
    headers: list[tuple[str, str]]
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
        self._bodiless = bodiless
        self._held = bytearray()
        self._left: int | None = None
        self._chunks: _Chunks | None = None

    def feed(self, data: bytes) -> bytes:
        """Take what came, and return what it brings of the body."""
        if self.head is None:
            self._held += data
            data = self._begin()
        if self.done or self.head is None:
            if data:
                # More than was asked for: whose answer is it?
                self.reusable = False
            return b""
        if self._chunks is not None:
            data = self._chunks.feed(data)
            self.done = self._chunks.done
            self.reusable = self.reusable and not self._chunks.more
        elif self._left is not None:
            if len(data) > self._left:
                self.reusable, data = False, data[: self._left]
            self._left -= len(data)
            self.done = not self._left
        return data

    def end(self) -> None:
        """Take note that nothing more comes; an answer that is not whole is a bad one."""
        if self.done:
            return
        if self.head is None:
            raise BadAnswerError("the connection was closed before an answer came")
        if self._left is not None or self._chunks is not None:
            raise BadAnswerError("the connection was closed in the middle of an answer")
        self.done = True

    def _begin(self) -> bytes:
        """Read the head, where it is all there; return what stands behind it."""
        while (found := _HEAD_END.search(self._held)) is not None:
            head, rest = _head(bytes(self._held[: found.start()])), bytes(self._held[found.end() :])
            if head.status >= _CONTINUE:
                self._held.clear()
                self._frame(head)
                return rest
            self._held = bytearray(rest)
        if len(self._held) > LARGEST_HEAD:
            raise BadAnswerError("the headers of the answer are too large")
        return b""

    def _frame(self, head: Head) -> None:
        """Find out where the body ends."""
        self.head = head
        connection = head.value("connection")
        self.reusable = "close" not in connection and (head.minor == 1 or "keep-alive" in connection)
        length = head.value("content-length")
        if self._bodiless or head.status in _NO_BODY:
            self.done = True
        elif coding := head.value("transfer-encoding"):
            if coding != "chunked":
                raise BadAnswerError(f"the answer is coded as {coding}")
            self._chunks = _Chunks()
        elif length:
            self._left = _length(length)
            self.done = not self._left
        else:
            # It ends with the connection.
            self.reusable = False


class _Chunks:
    """A body in chunks."""

    def __init__(self) -> None:
        self.done = self.more = False
        self._held = bytearray()
        self._left = 0
        self._behind = self._trailer = False

    def feed(self, data: bytes) -> bytes:
        self._held += data
        found: list[bytes] = []
        while self._held and not self.done:
            if self._left:
                part = bytes(self._held[: self._left])
                del self._held[: self._left]
                self._left -= len(part)
                found.append(part)
            elif not self._line():
                break
        self.more = self.done and bool(self._held)
        return b"".join(found)

    def _line(self) -> bool:
        """Read a line between chunks; say whether there was a whole one."""
        end = self._held.find(b"\n")
        if end < 0:
            if len(self._held) > LARGEST_HEAD:
                raise BadAnswerError("a chunk of the answer does not say how large it is")
            return False
        line = bytes(self._held[:end]).rstrip(b"\r")
        del self._held[: end + 1]
        if self._trailer:
            self.done = not line
        elif self._behind and not line:
            self._behind = False
        else:
            size = None if self._behind else _SIZE.fullmatch(line)
            if size is None:
                raise BadAnswerError("a chunk of the answer does not say how large it is")
            self._left = int(size[1], 16)
            self._behind, self._trailer = self._left > 0, self._left == 0
        return True


def _head(data: bytes) -> Head:
    first, *lines = _LINE_END.split(data)
    found = _STATUS.fullmatch(first)
    if found is None:
        raise BadAnswerError("the answer is not HTTP/1.1")
    headers: list[tuple[str, str]] = []
    values: dict[str, str] = {}
    for line in lines:
        header = _HEADER.fullmatch(line.decode(errors="surrogateescape"))
        if header is None:
            raise BadAnswerError("a header of the answer is none")
        name, value = header.groups()
        headers.append((name, value))
        lower = name.lower()
        values[lower] = f"{values[lower]}, {value}" if lower in values else value
    return Head(int(found[1]), int(found[2]), (found[3] or b"").decode("latin1"), headers, values)


def _length(text: str) -> int:
    # Several that agree are one.
    lengths = {part.strip() for part in text.split(",")}
    [length] = lengths if len(lengths) == 1 else [""]
    if not (length.isascii() and length.isdigit()):
        raise BadAnswerError(f"the answer says that its length is {text}")
    return int(length)
