"""The small files of a state: contracts, decisions, tools, private paths. They stand in the database, and a copy of each on every host.

Each has a version that grows, by which others find that it has changed.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.files import private_folder, write_atomically
from outcome_monitors.storage.layout import DOCUMENTS as NAMES

from .connections import Connections, SharedConnection

__all__ = [
    "NAMES",
    "VERSIONS",
    "body_of",
    "changing",
    "document_versions",
    "join",
    "pull",
    "put",
    "with_contracts",
]

VERSIONS = "versions.json"
"""In a copy: which version of each file it has."""


def put(shared: SharedConnection, name: str, body: str, by: str = "") -> None:
    """Put a document in the place of the one before it."""
    shared.execute(
        "INSERT INTO documents (name, version, body, by) VALUES (?, 1, ?, ?) ON CONFLICT (name) DO UPDATE SET"
        " version = documents.version + 1, body = excluded.body, changed = now(), by = excluded.by",
        (name, body, by),
    )


def body_of(shared: SharedConnection, name: str) -> str | None:
    """Return what a document says; None where there is none."""
    row = shared.execute("SELECT body FROM documents WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


@contextmanager
def changing(state: Connections, name: str) -> Iterator[SharedConnection]:
    """Give a connection on which a document is read and put by one at a time."""
    with state.writing() as shared:
        _lock(shared, state.address.schema, name)
        yield shared


def join(
    shared: SharedConnection, schema: str, name: str, joined: Callable[[str | None], str], by: str
) -> None:
    """Put what a document becomes together with something new, on a connection outside of a transaction; where that is nothing, leave it."""
    with shared.raw.transaction():
        _lock(shared, schema, name)
        before = body_of(shared, name)
        after = joined(before)
        if after != before:
            put(shared, name, after, by)


def _lock(shared: SharedConnection, schema: str, name: str) -> None:
    shared.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 1))", (f"{schema} {name}",))


def pull(shared: SharedConnection, folder: Path) -> list[str]:
    """Bring the copy in a folder up to what the database has; return the files that are new."""
    there = document_versions(shared)
    if not _is_stale(there, folder):
        return []
    private_folder(folder)
    bodies = dict(shared.execute("SELECT name, body FROM documents ORDER BY name").fetchall())
    new = [name for name, body in bodies.items() if name in NAMES and _read(folder / name) != body]
    for name in new:
        write_atomically(folder / name, bodies[name], private=True)
    # Behind the files: a copy that was interrupted is made again.
    write_atomically(folder / VERSIONS, json.dumps(there) + "\n", private=True)
    return new


def document_versions(shared: SharedConnection) -> dict[str, int]:
    """Return the versions of all documents."""
    rows = shared.execute("SELECT name, version FROM documents ORDER BY name")
    return {str(name): int(version) for name, version in rows if name in NAMES}


def _is_stale(there: Mapping[str, int], folder: Path) -> bool:
    try:
        known = json.loads((folder / VERSIONS).read_bytes())
    except (OSError, ValueError):
        known = {}
    lost = any(name in NAMES and not (folder / name).exists() for name in there)
    return lost or known != dict(there)


def _read(file: Path) -> str | None:
    with suppress(OSError, ValueError):
        return file.read_text(encoding="utf-8")
    return None


def with_contracts(before: str | None, given: Registry) -> str:
    """Return the contracts that were given, those of one process in the place of what it had of the same tools."""
    known = Registry() if before is None else Registry.loads(before, "given.json of the fleet")
    shapes = (*known.shapes, *(shape for shape in given.shapes if shape not in known.shapes))
    return Registry({**known.contracts, **given.contracts}, given.profile or known.profile, shapes).dumps()
