"""A look at what passes: whatever goes wrong in it, the bytes go on as they came, and the trouble is counted."""

from collections.abc import Callable

from .desk import Desk
from .framing import Piece
from .limits import OverBudget

__all__ = ["PieceLook"]


class PieceLook:
    """Looks at the pieces of a stream: at whole ones, which may come back changed, and at the heads of the others."""

    def __init__(
        self, desk: Desk, whole: Callable[[bytes], bytes | None], head: Callable[[bytes], None] | None = None
    ) -> None:
        self._desk, self._whole, self._head = desk, whole, head

    def __call__(self, piece: Piece) -> bytes:
        """Return what is to be passed on of a piece; a look that gives nothing has changed nothing."""
        try:
            if piece.whole:
                changed = self._whole(piece.data)
                return piece.data if changed is None else changed
            if piece.head and self._head is not None:
                self._head(piece.data)
        except (Exception, OverBudget) as error:  # noqa: BLE001 - whatever it is, nothing that passes may be lost for it
            self._desk.trouble(error)
        return piece.data
