"""Writes the tables into the page."""

import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ._environments import Unmade, output

__all__ = ["PAGE", "outcomes", "table", "where", "write"]

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "compatibility.md"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def outcomes(servers: Sequence[str], found: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return what came of each client with each server; clients that fared alike, and servers, share a line."""
    clients: dict[str, list[str]] = {}
    for client, cells in found:
        clients.setdefault(_by_outcome(servers, cells), []).append(client)
    rows = [("<br>".join(names), outcome) for outcome, names in clients.items()]
    return f"Servers: {'; '.join(servers)}.\n\n{table(('client', 'outcome'), rows)}"


def _by_outcome(servers: Sequence[str], cells: Sequence[str]) -> str:
    found: dict[str, list[str]] = {}
    for server, cell in zip(servers, cells, strict=True):
        found.setdefault(cell, []).append(server.removeprefix("own, ").partition(",")[0])
    *few, (commonest, named) = sorted(found.items(), key=lambda item: len(item[1]))
    rest = "the others" if few else f"all {len(named)}"
    return "<br>".join([*(f"{', '.join(names)}: {cell}" for cell, names in few), f"{rest}: {commonest}"])


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
