"""Fetches public sources at pinned revisions, checks them, and writes down what arrived."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError

from ._archive import get_archive
from ._git import get_commit
from ._kept import MANIFEST, changed_since, content_matches, copy_local, write_manifest
from ._sources import SOURCES, Archive, Content, FetchSource, Git

__all__ = [
    "MANIFEST",
    "SOURCES",
    "Archive",
    "Content",
    "FetchSource",
    "Fetched",
    "Git",
    "fetch",
    "held",
    "plan",
]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What is there now."""

    files: int
    pinned: bool | None
    """The content is what was pinned; None of a local copy whose content has no known digest."""


def plan(name: str, source: FetchSource, to: Path, local: Path | None = None) -> list[tuple[str, str]]:
    """Return what fetching will do, in words, before it is done."""
    origin = [str(local)] if local else [part.pin for part in source.parts]
    return [
        (name, source.what),
        *(("from", each) for each in origin),
        *([] if local else [("size", source.size)]),
        ("licence", source.licence),
        ("to", str(to)),
    ]


def held(name: str, to: Path) -> bool:
    """Say whether a folder already holds a source, unaltered; raise where it holds anything else."""
    if not to.exists() or (to.is_dir() and not any(to.iterdir())):
        return False
    if not (to / MANIFEST).is_file():
        raise OutcomeMonitorsError(f"{to} is not empty; fetch into another folder with --to")
    found, changed = changed_since(to)
    if found != name or changed:
        what = f"holds {found}" if found != name else f"was changed since it was fetched ({changed[0]})"
        raise OutcomeMonitorsError(f"{to} {what}; remove it, or fetch into another folder with --to")
    return True


def fetch(
    name: str,
    source: FetchSource,
    to: Path,
    local: Path | None = None,
    tell: Callable[[str], object] = lambda _: None,
) -> Fetched:
    """Fetch a source, or take a local copy of it; the folder is there whole at the end, or not at all."""
    with _becoming(to) as folder:
        if local is not None:
            copy_local(source, local, folder)
        for number, part in enumerate(source.parts if local is None else ()):
            own = folder / f".part{number}"
            own.mkdir()
            if isinstance(part, Git):
                get_commit(part, own)
            else:
                get_archive(part, own, tell)
            shutil.copytree(own, folder / part.into, dirs_exist_ok=True)
            shutil.rmtree(own)
        matches = content_matches(source, folder)
        if local is None and matches is False:
            raise OutcomeMonitorsError(f"{name}: the content is not what was pinned; nothing was kept")
        pinned = matches if local is not None else True
        origin = [str(local)] if local else [part.pin for part in source.parts]
        return Fetched(write_manifest(name, origin, folder, pinned=pinned), pinned)


@contextmanager
def _becoming(to: Path) -> Iterator[Path]:
    """Give a folder that takes the place of `to` when the block ends without an error."""
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{to.name}.", dir=to.parent) as beside:
            folder = Path(beside) / to.name
            folder.mkdir()
            yield folder
            if to.is_dir():
                to.rmdir()
            folder.rename(to)
    except OSError as error:
        raise OutcomeMonitorsError(f"cannot write {to}: {error.strerror or error}") from error
