"""What people see: tables that fit, warnings, and progress. rich is imported when the first table is drawn."""

import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.reports import count
from outcome_monitors.storage.address import without_credentials

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "closest",
    "count",
    "fail",
    "printable",
    "progress",
    "show_progress",
    "table",
    "warn",
    "write",
    "write_line",
    "write_prose",
]

WIDTH_WHEN_PIPED = 80
PATIENCE = 1.0
"""Seconds before progress is shown: shorter work needs none."""
BETWEEN = 0.1

T = TypeVar("T")


class _Line:
    """The line of progress on standard error; it goes before anything else is written."""

    def __init__(self) -> None:
        self._shown = False

    def show(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._shown = False


_line = _Line()


def progress(items: Iterable[T], noun: str, then: str = "") -> Iterator[T]:
    """Yield the items; where standard error is a terminal and the work is long, count them there.

    `then` names the work that follows the last item; it stands there until something else is written.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    due = time.monotonic() + PATIENCE
    try:
        for number, item in enumerate(items, 1):
            if time.monotonic() >= due:
                _line.show(count(number, noun))
                due = time.monotonic() + BETWEEN
            yield item
    finally:
        _line.clear()
    if then:
        _line.show(then)


def show_progress(text: str) -> None:
    """Put a text in the line of progress; it goes before anything else is written."""
    _line.show(text)


def write(text: str) -> None:
    """Write to standard output as it is."""
    _line.clear()
    sys.stdout.write(text)


def write_line(text: str) -> None:
    """Write one line to standard output, whatever names in it hold."""
    write_prose(printable(text) + "\n")


def write_prose(text: str) -> None:
    """Write lines to standard output; on a terminal they are wrapped, but for commands to be pasted."""
    write("".join(map(_wrapped, text.splitlines(keepends=True))) if sys.stdout.isatty() else text)


def _wrapped(line: str) -> str:
    bare = line.strip()
    width = shutil.get_terminal_size().columns
    if len(line) <= width or bare.startswith("outcome-monitors "):
        return line
    indent = line[: len(line) - len(line.lstrip())] + "  "
    folded = textwrap.wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(folded) + "\n"


def warn(text: str) -> None:
    """Write one line of warning to standard error."""
    _line.clear()
    sys.stderr.write(f"warning: {printable(without_credentials(text))}\n")


def fail(text: str) -> None:
    """Write the one sentence that says why the command could not do its work."""
    _line.clear()
    sys.stderr.write(f"error: {printable(without_credentials(text))}\n")


def printable(text: str) -> str:
    """Return text on one line, without what could command a terminal: names in traces come from elsewhere."""
    return clip_text(text, len(text))


def closest(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return the known names that are most like a mistyped one, as a question; `otherwise` where none is."""
    close = get_close_matches(name, list(known))
    return f"did you mean {' or '.join(close)}?" if close else otherwise


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table to standard output, wrapped to its width; a column named with a leading `>` is of numbers."""
    from rich import box  # noqa: PLC0415 - rich takes longer to import than most commands take to run
    from rich.table import Table  # noqa: PLC0415 - as above

    drawn, console, cells = Table(box=box.SIMPLE_HEAD, pad_edge=False), _console(), [*rows]
    for place, column in enumerate(columns):
        name = column.removeprefix(">")
        if name == column:
            drawn.add_column(name, overflow="fold")
        else:
            # Of numbers the heading alone is broken.
            longest = max((len(row[place]) for row in cells), default=0)
            drawn.add_column(name, overflow="fold", justify="right", min_width=longest)
    for row in cells:
        drawn.add_row(*map(printable, row))
    with console.capture() as captured:
        console.print(drawn)
    # rich fills every line with blanks, and puts an empty one before and after.
    lines = [line.rstrip() for line in captured.get().splitlines()]
    write("\n".join(lines).strip("\n") + "\n\n")


def _console() -> "Console":
    from rich.console import Console  # noqa: PLC0415 - as in `table`

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_WHEN_PIPED
    # Paths hold brackets, which rich would read as markup. NO_COLOR is rich's own business.
    return Console(file=sys.stdout, width=width, markup=False, emoji=False, highlight=False)
