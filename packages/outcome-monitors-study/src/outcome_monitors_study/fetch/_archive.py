"""Gets a file from an address, checks it, and unpacks a folder of it without letting it write anywhere else."""

import hashlib
import http.client
import shutil
import stat
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from outcome_monitors.exceptions import OutcomeMonitorsError

from ._sources import Archive

__all__ = ["get_archive"]

PIECE = 2**20
PATIENCE = 60
"""Seconds without a byte."""
MOST_UNPACKED = 20
"""Times the size of the file."""

Tell = Callable[[str], object]


def get_archive(part: Archive, folder: Path, tell: Tell) -> None:
    """Put a file, or the wanted folder of a zip file, into a folder."""
    file = folder / part.url.rpartition("/")[2]
    _download(part, file, tell)
    if part.folder:
        _unpack(part, file, folder)
        file.unlink()


def _download(part: Archive, file: Path, tell: Tell) -> None:
    taken, read = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(part.url, timeout=PATIENCE) as answer, file.open("wb") as kept:  # noqa: S310 - an address of the table of sources
            while (piece := answer.read(PIECE)) and read <= part.size:
                taken.update(piece)
                kept.write(piece)
                read += len(piece)
                tell(f"{read / 1e6:,.0f} of {part.size / 1e6:,.0f} MB")
    except (OSError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise OutcomeMonitorsError(
            f"cannot fetch {part.url}: {reason}; try again, or take a copy that you have with --from"
        ) from error
    if read != part.size or taken.hexdigest() != part.sha256:
        raise OutcomeMonitorsError(
            f"{part.url} is not what was pinned: {read:,} bytes with SHA-256 {taken.hexdigest()[:12]},"
            f" not {part.size:,} with {part.sha256[:12]}; nothing was kept"
        )


def _unpack(part: Archive, file: Path, folder: Path) -> None:
    """Unpack the members under the wanted folder; one that would land elsewhere, or is a link, refuses the whole file."""
    try:
        with zipfile.ZipFile(file) as packed:
            left = MOST_UNPACKED * max(part.size, PIECE)
            for member in packed.infolist():
                place = _place(member, part, folder)
                left -= member.file_size
                if left < 0:
                    raise OutcomeMonitorsError(f"{part.url} unpacks to too much; nothing was kept")
                if place is not None:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    with packed.open(member) as source, place.open("wb") as target:
                        shutil.copyfileobj(source, target, PIECE)
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise OutcomeMonitorsError(f"{part.url} cannot be unpacked: {error}; nothing was kept") from error


def _place(member: zipfile.ZipInfo, part: Archive, folder: Path) -> Path | None:
    path = PurePosixPath(member.filename.replace("\\", "/"))
    link = stat.S_ISLNK(member.external_attr >> 16)
    if link or path.is_absolute() or ".." in path.parts or any(":" in part for part in path.parts[:1]):
        raise OutcomeMonitorsError(
            f"{part.url} holds {member.filename!r}, which leads elsewhere; nothing was kept"
        )
    if member.is_dir() or part.folder not in path.parts:
        return None
    return folder.joinpath(*path.parts[path.parts.index(part.folder) :])
