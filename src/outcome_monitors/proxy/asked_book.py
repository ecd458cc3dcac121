"""Requests that are remembered, by their id: so many, of so many bytes together, and the oldest are given up first."""

from .requests import Asked, Id

__all__ = ["AskedBook"]


class AskedBook:
    """A bounded book of requests. A request alone is kept whatever its size: it has passed already."""

    __slots__ = ("_asked", "_bytes", "_most", "_most_bytes")

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._asked: dict[Id, Asked] = {}
        self._bytes = 0

    def put(self, number: Id, asked: Asked) -> list[Asked]:
        """Write a request down; return those that are given up for it."""
        self.pop(number)
        self._asked[number] = asked
        self._bytes += asked.size
        given_up = []
        while len(self._asked) > self._most or (self._bytes > self._most_bytes and len(self._asked) > 1):
            oldest = self.pop(next(iter(self._asked)))
            assert oldest is not None
            given_up.append(oldest)
        return given_up

    def pop(self, number: Id) -> Asked | None:
        """Strike a request out, and return it."""
        asked = self._asked.pop(number, None)
        if asked is not None:
            self._bytes -= asked.size
        return asked

    def get(self, number: Id) -> Asked | None:
        """Return a request."""
        return self._asked.get(number)

    def __len__(self) -> int:
        return len(self._asked)
