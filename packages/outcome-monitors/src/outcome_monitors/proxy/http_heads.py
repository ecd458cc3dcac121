"""The heads of answers, and those that have come before, byte for byte but for the length of the body: they are not read again.

A head is known when the parser has read one like it, and found that its length alone says where the answer ends. Then the next
one ends there too. A server writes the date into its heads, so what is known changes by the second, and little of it is kept.
"""

import re
from dataclasses import dataclass, field

__all__ = ["LONGEST_HEAD", "AnswerHeads", "Head"]

LONGEST_HEAD = 4096
"""Bytes of a head that is remembered."""
MOST_HEADS = 64
"""Heads that are remembered; the oldest are forgotten first."""
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]{1,9})\r\n", re.IGNORECASE)
_SAID = "content-length"
_WELL = b"HTTP/1.1 200 "
"""Most answers, and they have a body."""


class HeadLore:
    """What was made out about a head, and holds for all that are like it; None as long as nobody has asked."""

    __slots__ = ("is_json", "relayed")

    def __init__(self) -> None:
        self.is_json: bool | None = None
        self.relayed: bytes | None = None
        """It, as it is passed back, up to the length."""


@dataclass(slots=True)
class Head:
    """What stands before the body."""

    status: int
    reason: bytes
    headers: list[tuple[bytes, bytes]]
    """As they came, byte for byte and in order."""
    values: dict[str, str]
    """The values of each header, by its name in lower case."""
    lore: HeadLore = field(default_factory=HeadLore, compare=False)

    def value(self, name: str) -> str:
        """Return the value of a header, in lower case; nothing where there is none."""
        return self.values.get(name, "").lower()

    @property
    def size(self) -> int | None:
        """How long the body is, where that is said."""
        length = self.values.get(_SAID, "")
        return int(length) if length.isascii() and length.isdigit() else None

    @property
    def is_json(self) -> bool:
        """Whether the body is JSON, as it is."""
        found = self.lore.is_json
        if found is None:
            kind = self.value("content-type").partition(";")[0].strip()
            found = kind == "application/json" and self.value("content-encoding") in ("", "identity")
            self.lore.is_json = found
        return found

    def with_size(self, place: int, size: bytes) -> "Head":
        """Return the same with another length, which stands at a place among the headers."""
        headers, values = self.headers.copy(), self.values.copy()
        headers[place] = (headers[place][0], size)
        values[_SAID] = size.decode()
        return Head(self.status, self.reason, headers, values, self.lore)


class AnswerHeads:
    """The heads that are known."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[Head, int]] = {}

    def find(self, data: bytes) -> tuple[Head, int] | None:
        """Return the head that an answer begins with, and where its body does; nothing where it is none that is known."""
        parts = _parted(data)
        if parts is None:
            return None
        pattern, size, body = parts
        known = self._known.get(pattern)
        return None if known is None else (known[0].with_size(known[1], size), body)

    def learn(self, data: bytes, head: Head) -> None:
        """Remember the head that an answer began with, which was all there, and whose connection can be used again."""
        parts = _parted(data)
        if parts is None or parts[0].count(b"\n") != parts[0].count(b"\r\n"):
            return
        pattern, size, _ = parts
        places = [place for place, (name, _) in enumerate(head.headers) if name.lower() == _SAID.encode()]
        # The parser goes by it, too: it is the one length that is given, and nothing else says where the body ends.
        if len(places) != 1 or head.size != int(size) or head.value("transfer-encoding"):
            return
        self._known[pattern] = head.with_size(places[0], size), places[0]
        if len(self._known) > MOST_HEADS:
            del self._known[next(iter(self._known))]


def _parted(data: bytes) -> tuple[bytes, bytes, int] | None:
    """Return what may be a head, without the length of its body; that; and where the body begins."""
    end = data.find(b"\r\n\r\n", 0, LONGEST_HEAD)
    if end < 0 or not data.startswith(_WELL):
        return None
    found = _LENGTH.search(data, 0, end + 2)
    if found is None:
        return None
    return data[: found.start(1)] + data[found.end(1) : end], found[1], end + 4
