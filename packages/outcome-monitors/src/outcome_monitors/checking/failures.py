"""What goes wrong inside: logged and put in words, never raised."""

from collections.abc import Iterator
from contextlib import contextmanager
from logging import NullHandler, getLogger

log = getLogger("outcome_monitors")


def failed(text: str, *parts: object, traceback: bool = False) -> str:
    """Log a failure, and return it in words."""
    try:
        words = text % parts
    except Exception:  # noqa: BLE001 - a value that cannot even be written
        words = text
    log.error("%s", words, exc_info=traceback)
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
    """Keep failures from being printed one by one, unless the host has set up logging: an outcome has its own."""
    handler = NullHandler()
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
