"""The small files of a state: contracts, decisions, tools, private paths. They stand in the database, and a copy of each on every host.

Each has a version that grows, by which others find that it has changed.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.files import private_folder, write_atomically
from outcome_monitors.storage.labels import NO_LABELS, Labels
from outcome_monitors.storage.layout import CONTRACTS, DOCUMENTS as NAMES
from outcome_monitors.storage.opening import LINES

from .connections import Connections, SharedConnection
from .contract_lines import composed, split

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


def pull(shared: SharedConnection, folder: Path, labels: Labels = NO_LABELS) -> list[str]:
    """Bring the copy in a folder up to what the database has for these labels; return the files that are new."""
    there = document_versions(shared, labels)
    if not _is_stale(there, folder):
        return []
    private_folder(folder)
    rows = shared.execute("SELECT name, body FROM documents").fetchall()
    bodies = {split(name): str(body) for name, body in rows if split(name)[0] in NAMES}
    line, files = composed(
        {which: body for which, body in bodies.items() if which[1].hold_for(labels)}, labels
    )
    new = [name for name, body in files.items() if _read(folder / name) != body]
    for name in new:
        write_atomically(folder / name, files[name], private=True)
    # Those that have contracts; what is empty was put where there are none any more.
    lines = {one for (name, one), body in bodies.items() if name == CONTRACTS and body}
    if not lines <= {NO_LABELS} or (folder / LINES).exists():
        digest = hashlib.sha256(files.get(CONTRACTS, "").encode()).hexdigest()
        others = sorted(one.text for one in lines if one != line)
        said = {"labels": line.text, "sha256": digest, "others": others}
        write_atomically(folder / LINES, json.dumps(said) + "\n", private=True)
    # Behind the files: a copy that was interrupted is made again.
    write_atomically(folder / VERSIONS, json.dumps(there) + "\n", private=True)
    return new


def document_versions(shared: SharedConnection, labels: Labels) -> dict[str, int]:
    """Return the versions of all documents that hold for some labels; and of other lines', that they are there."""
    found: dict[str, int] = {}
    for name, version in shared.execute("SELECT name, version FROM documents ORDER BY name"):
        file, line = split(name)
        if file in NAMES and (line.hold_for(labels) or file == CONTRACTS):
            found[str(name)] = int(version)
    return found


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
