"""A state moved from one home to another, either way, or written out for those who audit it: all of it, and nothing is left out in silence."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

from outcome_monitors.exceptions import StateError
from outcome_monitors.files import private_folder, replacing, write_atomically
from outcome_monitors.storage.storage import Storage
from outcome_monitors.storage.tables import COUNTERS, TABLES, Row, columns_of

__all__ = ["copy_state", "export_state", "rows_of"]

AT_ONCE = 5000
LIST = "manifest.json"
"""Lists the files of an export, with their digests."""
SORTS = {
    "events": ("events",),
    "rows of trials": ("trials", "progress", "shares", "clauses", "witnesses", "turns"),
    "changes": ("ways",),
    "versions": ("versions",),
}
"""What the tables are to people."""

OnCopied = Callable[[str, int], None]
"""Takes what was copied, and how much of it."""


def copy_state(source: Storage, target: Storage, on_copied: OnCopied = lambda _what, _number: None) -> None:
    """Copy all of a state into one that is empty."""
    _refuse_full(target)
    documents = source.documents()
    for name, body in documents.items():
        target.put(name, body)
    on_copied("contracts, tools and decisions", len(documents))
    for what, tables in SORTS.items():
        on_copied(what, sum(target.fill(one, rows_of(source, one)) for one in tables))
    on_copied("recorded calls", target.record(source.recorded_lines()))


def rows_of(source: Storage, table: str) -> Iterator[Row]:
    """Yield the rows of a table, with labels where there are any; in order where they are numbered."""
    names = columns_of(table, labelled=source.labelled)
    with source.table(table) as rows:
        if table != "events":
            yield from rows.select(table, *names)
            return
        last: int | None = -1
        while last is not None:
            # In pieces: of millions not all are in memory at once.
            found = rows.select(table, *names, after=last, most=AT_ONCE)
            yield from found
            last = found[-1]["id"] if found else None


def _refuse_full(target: Storage) -> None:
    there = [table for table in TABLES if table not in COUNTERS and _has_rows(target, table)]
    if there or target.documents() or next(target.recorded_lines(), None) is not None:
        raise StateError(
            f"{target} is not empty: name a folder or a fleet that is, so that two states do not mix"
        )


def _has_rows(target: Storage, table: str) -> bool:
    with target.table(table, change=True) as rows:
        return rows.count(table) != [(0,)]


class _Exported(TypedDict):
    lines: int
    sha256: str


def export_state(home: Storage, folder: Path) -> dict[str, int]:
    """Write a state into a folder that is empty; return how many lines each file has."""
    private_folder(folder)
    if any(folder.iterdir()):
        raise StateError(
            f"{folder} is not empty: name a folder that is, so that what is exported is all that is in it"
        )
    files: dict[str, _Exported] = {}
    for name, body in home.documents().items():
        write_atomically(folder / name, body, private=True)
        files[name] = {"lines": body.count("\n"), "sha256": hashlib.sha256(body.encode()).hexdigest()}
    for table in TABLES:
        rows = map(json.dumps, rows_of(home, table))
        files[f"{table}.jsonl"] = _written(folder / f"{table}.jsonl", rows)
    files["traces.jsonl"] = _written(folder / "traces.jsonl", (line.text for line in home.recorded_lines()))
    made = {"state": str(home), "exported": datetime.now(UTC).isoformat(timespec="seconds"), "files": files}
    write_atomically(folder / LIST, json.dumps(made, indent=1) + "\n", private=True)
    return {name: file["lines"] for name, file in files.items()}


def _written(file: Path, lines: Iterable[str]) -> "_Exported":
    digest, number = hashlib.sha256(), 0
    with replacing(file, private=True) as out:
        for data in _encoded(lines):
            out.write(data)
            digest.update(data)
            number += 1
    return {"lines": number, "sha256": digest.hexdigest()}


def _encoded(lines: Iterable[str]) -> Iterator[bytes]:
    return (f"{line}\n".encode(errors="surrogateescape") for line in lines)
