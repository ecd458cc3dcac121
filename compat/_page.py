"""Writes the tables into the page."""

import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ._environments import Unmade, output

__all__ = ["PAGE", "table", "where", "write"]

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "compatibility.md"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def write(part: str, text: str) -> None:
    """Put a text between the marks of a part of the page."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    PAGE.write_text(f"{before}{begin}{text}{end}{after}", encoding="utf-8")


def where() -> str:
    """Say when and where the tables were made."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    today = datetime.now(UTC).date()
    return f"Run on {today.day} {today:%B %Y} with {python} and Node.js {_node()}, {platform.system()}"


def _node() -> str:
    try:
        return output(["node", "--version"]).strip().removeprefix("v")
    except Unmade:
        return "not installed"
