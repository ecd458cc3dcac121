"""What was fetched, written down: the hash of every file, so that anyone can say later whether it is still that."""

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors.values.files import write_atomically
from outcome_monitors_study._json import file_digest

from ._sources import FetchSource

__all__ = ["MANIFEST", "changed_since", "content_matches", "copy_local", "write_manifest"]

MANIFEST = "fetched.json"


def copy_local(source: FetchSource, origin: Path, folder: Path) -> None:
    """Copy the files that are needed from a local copy; raise where some are not there, or lie elsewhere behind a link."""
    if not origin.is_dir():
        raise OutcomeMonitorsError(f"there is no folder {origin}")
    for pattern in source.needs:
        found = [file for file in sorted(origin.glob(pattern)) if file.is_file()]
        if not found:
            raise OutcomeMonitorsError(f"{origin} has no {pattern}; give a complete copy")
        for file in found:
            if not file.resolve().is_relative_to(origin.resolve()):
                raise OutcomeMonitorsError(f"{file} is a link to somewhere else; give a copy of its own")
            target = folder / file.relative_to(origin)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


def content_matches(source: FetchSource, folder: Path) -> bool | None:
    """Say whether the content is what was pinned; None where no digest of it is known."""
    if source.content is None:
        return None
    taken = hashlib.sha256()
    for file in sorted(
        folder.glob(source.content.pattern), key=lambda file: file.relative_to(folder).as_posix()
    ):
        taken.update(file.read_bytes())
    return taken.hexdigest() == source.content.sha256


def write_manifest(name: str, origin: Iterable[str], folder: Path, *, pinned: bool | None) -> int:
    """Write the manifest of a folder, and return the number of its files."""
    files = _files(folder)
    if not files:
        raise OutcomeMonitorsError(f"{name}: nothing arrived")
    kept: dict[str, Json] = {"source": name, "from": list(origin), "as pinned": pinned, "files": files}
    write_atomically(folder / MANIFEST, json.dumps(kept, indent=1) + "\n")
    return len(files)


def changed_since(folder: Path) -> tuple[str, list[str]]:
    """Return which source a folder holds, and the files that are not as they were fetched."""
    try:
        kept: Mapping[str, Json] = json.loads((folder / MANIFEST).read_bytes())
        name, before = kept["source"], kept["files"]
    except (OSError, ValueError, KeyError, TypeError):
        raise OutcomeMonitorsError(f"{folder / MANIFEST} cannot be read; fetch into another folder") from None
    now = _files(folder)
    return name, sorted(file for file in before if now.get(file) != before[file])


def _files(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): file_digest(file)
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != MANIFEST
    }
