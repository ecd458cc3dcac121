"""A look at what passes: whatever goes wrong in it, the bytes go on as they came, and the trouble is counted."""

import threading
from collections import deque
from collections.abc import Callable, Iterable

from .desk import Desk
from .framing import Piece
from .limits import OverBudget

__all__ = ["LateLook", "PieceLook", "look_at"]


def look_at(desk: Desk, data: bytes, look: Callable[[bytes], bytes | None]) -> bytes:
    """Return what is to be passed on of a message; a look that gives nothing has changed nothing."""
    try:
        changed = look(data)
    except (Exception, OverBudget) as error:  # noqa: BLE001 - whatever it is, nothing that passes may be lost for it
        desk.trouble(error)
        return data
    return data if changed is None else changed


class PieceLook:
    """Looks at the pieces of a stream: at whole ones, which may come back changed, and at the heads of the others."""

    def __init__(
        self, desk: Desk, whole: Callable[[bytes], bytes | None], head: Callable[[bytes], None] | None = None
    ) -> None:
        self._desk, self._whole, self._head = desk, whole, head

    def __call__(self, piece: Piece) -> bytes:
        """Return what is to be passed on of a piece."""
        if piece.whole:
            return look_at(self._desk, piece.data, self._whole)
        if piece.head and self._head is not None:
            look_at(self._desk, piece.data, self._head)
        return piece.data


class LateLook:
    """Looks at the pieces of a stream when they have been passed on: whoever they are for is at work meanwhile.

    Nothing of it may be changed, then. What comes of a piece may be here before the look at it is: whoever needs that done
    catches up.
    """

    def __init__(self, look: PieceLook) -> None:
        self._look = look
        self._pieces: deque[Piece] = deque()
        self._lock = threading.Lock()

    def put(self, pieces: Iterable[Piece]) -> None:
        """Take pieces that are about to be passed on."""
        self._pieces.extend(pieces)

    def catch_up(self) -> None:
        """Look at all that was taken, in order; when this is done all of it was looked at, by whomever."""
        pieces = self._pieces
        if pieces:
            with self._lock:
                while pieces:
                    self._look(pieces[0])
                    # Only now: who finds none left need not wait.
                    pieces.popleft()
