"""The small files of a state: contracts, decisions, tools, private paths. They stand in the database, and a copy of each on every host.

Each has a version that grows; who changes one tells all others at once (NOTIFY), and who missed that finds it by its version.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from outcome_monitors.values.files import private_folder, write_atomically
from outcome_monitors.values.folders import (
    CANDIDATE,
    CONTRACTS,
    GIVEN,
    OVERRIDES,
    PRIVATE,
    RETENTION,
    TOOLS,
)

from .address import StateAddress
from .postgres import Postgres, SharedConnection

__all__ = ["NAMES", "VERSIONS", "changing", "channel", "join", "pull", "put", "stale"]

NAMES = (CANDIDATE, CONTRACTS, GIVEN, OVERRIDES, PRIVATE, RETENTION, TOOLS)
"""Whatever else has a version in the database is not written into a folder."""
VERSIONS = "versions.json"
"""In a copy: which version of each file it has."""


def channel(address: StateAddress) -> str:
    """Return the name under which changes of a fleet are told."""
    import hashlib  # noqa: PLC0415 - it takes long to load, and most have no fleet

    return f"om_{hashlib.sha256(address.schema.encode()).hexdigest()[:32]}"


def put(shared: SharedConnection, address: StateAddress, name: str, body: str, by: str = "") -> None:
    """Put a document in the place of the one before it, and tell the others when the transaction ends."""
    shared.execute(
        "INSERT INTO documents (name, version, body, by) VALUES (?, 1, ?, ?) ON CONFLICT (name) DO UPDATE SET"
        " version = documents.version + 1, body = excluded.body, changed = now(), by = excluded.by",
        (name, body, by),
    )
    shared.execute("SELECT pg_notify(?, ?)", (channel(address), name))


@contextmanager
def changing(state: Postgres, name: str) -> Iterator[SharedConnection]:
    """Give a connection on which a document is read and put by one at a time."""
    with state.writing() as shared:
        _lock(shared, state.address, name)
        yield shared


def join(
    shared: SharedConnection, address: StateAddress, name: str, joined: Callable[[str | None], str], by: str
) -> None:
    """Put what a document becomes together with something new, on a connection outside of a transaction; where that is nothing, leave it."""
    with shared.raw.transaction():
        _lock(shared, address, name)
        row = shared.execute("SELECT body FROM documents WHERE name = ?", (name,)).fetchone()
        before = None if row is None else str(row[0])
        after = joined(before)
        if after != before:
            put(shared, address, name, after, by)


def _lock(shared: SharedConnection, address: StateAddress, name: str) -> None:
    shared.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 1))", (f"{address.schema} {name}",))


def stale(shared: SharedConnection, folder: Path) -> list[str]:
    """Return the files of which the copy in a folder has another version than the database."""
    known = _versions(folder)
    rows = shared.execute("SELECT name, version FROM documents WHERE name = ANY(?)", ([*NAMES],))
    return [name for name, version in rows if known.get(name) != version or not (folder / name).exists()]


def pull(shared: SharedConnection, folder: Path) -> list[str]:
    """Bring the copy in a folder up to what the database has; return the files that are new."""
    # What is known already does not travel.
    new = stale(shared, folder)
    found = [
        (str(name), int(version), str(body))
        for name, version, body in (
            shared.execute("SELECT name, version, body FROM documents WHERE name = ANY(?)", (new,))
            if new
            else ()
        )
    ]
    if not found:
        return []
    private_folder(folder)
    for name, _, body in found:
        write_atomically(folder / name, body, private=True)
    # Behind the files: a copy that was interrupted is made again.
    versions = {**_versions(folder), **{name: version for name, version, _ in found}}
    write_atomically(folder / VERSIONS, json.dumps(versions) + "\n", private=True)
    return [name for name, _, _ in found]


def _versions(folder: Path) -> Mapping[str, int]:
    with suppress(OSError, ValueError):
        found = json.loads((folder / VERSIONS).read_bytes())
        if isinstance(found, dict):
            return found
    return {}
