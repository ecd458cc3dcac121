"""What goes wrong inside: kept in words and logged, never raised."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logging import Logger

__all__ = ["failed", "named", "quiet"]


def failed(text: str, *parts: object, traceback: bool = False) -> str:
    """Log a failure, and return it in words."""
    try:
        words = text % parts
    except Exception:  # noqa: BLE001 - a value that cannot even be written
        words = text
    _log().error("%s", words, exc_info=traceback)
    return words


def named(tool: object) -> str:
    """Return a tool's name as a text, whatever a host hands over as one."""
    if isinstance(tool, str):
        return tool
    try:
        return repr(tool)
    except Exception:  # noqa: BLE001 - an object may say nothing of itself
        return type(tool).__name__


@contextmanager
def quiet() -> Iterator[None]:
    """Keep failures from being printed one by one: an outcome has its own."""
    from logging import NullHandler  # noqa: PLC0415 - as in `_log`

    log, nowhere = _log(), NullHandler()
    log.addHandler(nowhere)
    try:
        yield
    finally:
        log.removeHandler(nowhere)


def _log() -> "Logger":
    from logging import getLogger  # noqa: PLC0415 - it takes long to load, and a monitor may never need it

    return getLogger("outcome_monitors")
