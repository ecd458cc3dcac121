"""A state written out for those who audit it: JSON lines that any program reads, and a list of the files with their digests."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from outcome_monitors.exceptions import StateError
from outcome_monitors.values.files import private_folder, replacing, write_atomically

from .copy import rows_of
from .home import TABLES, StateHome

__all__ = ["export_state"]

LIST = "manifest.json"


def export_state(home: StateHome, folder: Path) -> dict[str, int]:
    """Write a state into a folder that is empty; return how many lines each file has."""
    private_folder(folder)
    if any(folder.iterdir()):
        raise StateError(f"{folder} is not empty: name a folder that is, so that what is exported is all that is in it")
    files = {}
    for name, body in home.documents().items():
        write_atomically(folder / name, body, private=True)
        files[name] = {"lines": body.count("\n"), "sha256": hashlib.sha256(body.encode()).hexdigest()}
    for table, columns in TABLES.items():
        rows = (json.dumps(dict(zip(columns, row, strict=True))) for row in rows_of(home, table))
        files[f"{table}.jsonl"] = _written(folder / f"{table}.jsonl", rows)
    files["traces.jsonl"] = _written(folder / "traces.jsonl", (line.text for line in home.lines()))
    made = {"state": home.shown, "exported": datetime.now(UTC).isoformat(timespec="seconds"), "files": files}
    write_atomically(folder / LIST, json.dumps(made, indent=1) + "\n", private=True)
    return {name: int(file["lines"]) for name, file in files.items()}


def _written(file: Path, lines: Iterable[str]) -> dict[str, int | str]:
    digest, number = hashlib.sha256(), 0
    with replacing(file, private=True) as out:
        for data in _encoded(lines):
            out.write(data)
            digest.update(data)
            number += 1
    return {"lines": number, "sha256": digest.hexdigest()}


def _encoded(lines: Iterable[str]) -> Iterator[bytes]:
    return (f"{line}\n".encode(errors="surrogateescape") for line in lines)
