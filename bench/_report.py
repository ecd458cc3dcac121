"""Tables, for the terminal and as a page of the documentation."""

import os
import platform
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from textwrap import fill

from outcome_monitors.cli._output import table, write

__all__ = ["WIDTH", "Table", "facts", "markdown", "page", "rows", "show"]

WIDTH = 80
NAMED = ("outcome-monitors", "orjson", "jsonschema-rs", "fastjsonschema", "pydantic", "msgspec")

_HEAD = """\
# Benchmarks

Written by `python -m bench --markdown FILE`.
`make bench` prints the same tables. Timings differ from machine to machine, the ratios less so.
Each time is the least of several rounds, in which all statements took turns.
"""


@dataclass(frozen=True, slots=True)
class Table:
    """Figures, and what must be known to read them; a column named with a leading `>` is of numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def facts() -> str:
    """Say on what machine, and with which versions, the figures came about."""
    versions = ", ".join(f"{name} {found}" for name, found in _versions())
    return (
        f"{platform.python_implementation()} {platform.python_version()}, {platform.system()}"
        f" {platform.machine()}, {os.cpu_count()} cores; {versions}"
    )


def _versions() -> Iterator[tuple[str, str]]:
    for name in NAMED:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "not installed"


def show(shown: Table) -> None:
    """Print a table."""
    write(f"{shown.title}\n")
    table(shown.columns, shown.rows)
    for note in shown.notes:
        write(fill(note, WIDTH) + "\n")
    write("\n")


def page(tables: Iterable[Table]) -> str:
    """Return tables as a page of Markdown."""
    return "\n".join([_HEAD, f"{facts()}.\n", markdown(tables)])


def markdown(tables: Iterable[Table]) -> str:
    """Return tables as sections of such a page."""
    return "\n".join(map(_section, tables))


def rows(shown: Table) -> str:
    """Return a table by itself as Markdown."""
    head = [column.removeprefix(">") for column in shown.columns]
    rule = ["---:" if column.startswith(">") else "---" for column in shown.columns]
    return "".join("| " + " | ".join(row) + " |\n" for row in (head, rule, *shown.rows))


def _section(shown: Table) -> str:
    return "\n".join([f"## {shown.title}\n", rows(shown), *(f"{note}\n" for note in shown.notes)])
