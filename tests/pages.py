"""Pages that tests keep true: what they print is compared, or, with OUTCOME_MONITORS_GOLDEN=write, written anew."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from outcome_monitors.rules import Kind


def keep(page: Path, text: str) -> None:
    """Assert that a page has a text; give it that text where golden files are to be written."""
    if os.environ.get("OUTCOME_MONITORS_GOLDEN") == "write":
        page.write_text(text, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == text


def with_part(text: str, name: str, part: str) -> str:
    """Return a page's text with other content between the marks of a part."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, found, rest = text.partition(begin)
    _, also, after = rest.partition(end)
    assert found
    assert also
    return f"{before}{begin}{part}{end}{after}"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cells(page: Path, section: str, row: str) -> Mapping[str, str]:
    """Return a row of the table below a heading that begins like this, by column."""
    text = page.read_text(encoding="utf-8").partition(f"\n## {section}")[2].partition("\n## ")[0]
    head, _, *rows = re.findall(r"^\| (.*) \|$", text, re.MULTILINE)
    [found] = [line for line in rows if line.partition(" |")[0] == row] if row else rows
    return dict(zip(head.split(" | "), found.split(" | "), strict=True))


def says(kind: Kind) -> str:
    """Return the sentence that a kind's docstring opens with."""
    return (kind.__doc__ or "").partition("\n")[0]
