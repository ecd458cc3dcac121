"""What goes wrong inside: kept in words and logged, never raised."""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["failed", "named", "quiet"]


def failed(text: str, *parts: object, traceback: bool = False) -> str:
    """Log a failure, and return it in words."""
    try:
        words = text % parts
    except Exception:  # noqa: BLE001 - a value that cannot even be written
        words = text
    _say(words, traceback)
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
    _unheard.append(None)
    try:
        yield
    finally:
        _unheard.pop()


_unheard: list[None] = []
"""One for each place that has asked for quiet."""


def _say(words: str, traceback: bool) -> None:
    from logging import NullHandler, getLogger  # noqa: PLC0415 - it takes long to load, and a monitor may never need it

    log, nowhere = getLogger("outcome_monitors"), NullHandler()
    if _unheard:
        log.addHandler(nowhere)
    try:
        log.error("%s", words, exc_info=traceback)
    finally:
        log.removeHandler(nowhere)
