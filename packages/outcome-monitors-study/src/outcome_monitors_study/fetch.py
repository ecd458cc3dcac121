"""Fetches public sources at pinned revisions (sources.json), checks them, and writes down the hash of every file.

A git commit id is a checksum of all that the commit holds, and git checks what arrives against it. An archive has a SHA-256.
"""

import hashlib
import http.client
import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path, PurePosixPath

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import write_atomically
from outcome_monitors.model import Json

from . import livemcp
from ._json import content_digest, file_digest, files_in

MANIFEST = "fetched.json"
PIECE = 2**20
SILENCE = 60
"""Seconds that a server may send nothing."""
GIT_TIMEOUT = 1800
ELSEWHERE = frozenset({"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"})
OnProgress = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Git:
    """Some files of a git repository, at one commit."""

    url: str
    commit: str
    paths: tuple[str, ...]
    """Files and folders that are wanted, in the repository's own layout."""
    into: str = ""
    """The folder that they are put into."""

    @property
    def pin(self) -> str:
        """How errors and plans name it."""
        return f"{self.url} at commit {self.commit[:12]}"


@dataclass(frozen=True, slots=True)
class Archive:
    """A file at an address."""

    url: str
    sha256: str
    size: int
    """In bytes; more are not read."""
    folder: str = ""
    """Of a zip file: the folder that is unpacked, wherever in the file it stands. Empty: the file is kept as it is."""
    into: str = ""

    @property
    def pin(self) -> str:
        """How errors and plans name it."""
        return f"{self.url} with SHA-256 {self.sha256[:12]}"


@dataclass(frozen=True, slots=True)
class Content:
    """Files whose bytes, one after the other in the order of their paths, have a known SHA-256."""

    pattern: str
    sha256: str


@dataclass(frozen=True, slots=True)
class FetchSource:
    """A public source."""

    what: str
    licence: str
    size: str
    parts: tuple[Git | Archive, ...]
    needs: tuple[str, ...]
    """Patterns of files that a local copy must have, each at least once."""
    content: Content | None = None
    then: str = ""
    """What is left to do, where it cannot be done here."""


def _source(parts: list[Json], content: Json = None, **more: Json) -> FetchSource:
    made = tuple(Git(**part) if "commit" in part else Archive(**part) for part in parts)
    return FetchSource(parts=made, content=content and Content(**content), **more)


SOURCES: Mapping[str, FetchSource] = {
    name: _source(**source)
    for name, source in json.loads(
        resources.files(__package__ or "").joinpath("sources.json").read_text(encoding="utf-8")
    ).items()
}


CONVERTERS: Mapping[str, Callable[[Path], str]] = {"livemcp": livemcp.convert}
"""What makes traces of a source, beside its files; each says what it has made."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What is there now."""

    files: int
    pinned: bool | None
    """The content is what was pinned; None of a local copy whose content has no known digest."""
    converted: str = ""
    """What was made of it."""


def plan(name: str, source: FetchSource, to: Path, local: Path | None = None) -> list[tuple[str, str]]:
    """Return what fetching will do, in words, before it is done."""
    return [
        (name, source.what),
        *(("from", each) for each in _origin(source, local)),
        *([] if local else [("size", source.size)]),
        ("licence", source.licence),
        ("to", str(to)),
    ]


def fetched_before(name: str, to: Path) -> bool:
    """Say whether a folder already holds a source, unaltered; raise where it holds anything else."""
    if not to.exists() or (to.is_dir() and not any(to.iterdir())):
        return False
    if not (to / MANIFEST).is_file():
        raise OutcomeMonitorsError(f"{to} is not empty; fetch into another folder with --to")
    try:
        kept = json.loads((to / MANIFEST).read_bytes())
        found, before = kept["source"], kept["files"]
    except (OSError, ValueError, KeyError, TypeError):
        raise OutcomeMonitorsError(f"{to / MANIFEST} cannot be read; fetch into another folder") from None
    now = _hashes(to)
    changed = sorted(file for file in before if now.get(file) != before[file])
    if found != name or changed:
        what = f"holds {found}" if found != name else f"was changed since it was fetched ({changed[0]})"
        raise OutcomeMonitorsError(f"{to} {what}; remove it, or fetch into another folder with --to")
    return True


def fetch(
    name: str,
    source: FetchSource,
    to: Path,
    local: Path | None = None,
    on_progress: OnProgress = lambda _: None,
) -> Fetched:
    """Fetch a source, or take a local copy of it; the folder is there whole at the end, or not at all."""
    with _becoming(to) as folder:
        if local is not None:
            _copy_local(source, local, folder)
        for number, part in enumerate(source.parts if local is None else ()):
            own = folder / f".part{number}"
            own.mkdir()
            if isinstance(part, Git):
                _get_commit(part, own)
            else:
                _get_archive(part, own, on_progress)
            shutil.copytree(own, folder / part.into, dirs_exist_ok=True)
            shutil.rmtree(own)
        known = source.content
        matches = None if known is None else content_digest(folder, known.pattern) == known.sha256
        if local is None and matches is False:
            raise OutcomeMonitorsError(f"{name}: the content is not what was pinned; nothing was kept")
        pinned = matches if local is not None else True
        converted = CONVERTERS[name](folder) if name in CONVERTERS else ""
        files = _hashes(folder)
        if not files:
            raise OutcomeMonitorsError(f"{name}: nothing arrived")
        kept: Json = {"source": name, "from": _origin(source, local), "as pinned": pinned, "files": files}
        write_atomically(folder / MANIFEST, json.dumps(kept, indent=1) + "\n")
        return Fetched(len(files), pinned, converted)


def _origin(source: FetchSource, local: Path | None) -> list[str]:
    return [str(local)] if local else [part.pin for part in source.parts]


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


def _copy_local(source: FetchSource, origin: Path, folder: Path) -> None:
    """Copy the files that are needed from a local copy; raise where some are not there."""
    if not origin.is_dir():
        raise OutcomeMonitorsError(f"there is no folder {origin}")
    for pattern in source.needs:
        found = files_in(origin, pattern)
        if not found:
            raise OutcomeMonitorsError(f"{origin} has no {pattern}; give a complete copy")
        for file in found:
            target = folder / file.relative_to(origin)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


def _hashes(folder: Path) -> dict[str, str]:
    files = [file for file in files_in(folder, "**/*") if file.name != MANIFEST]
    return {file.relative_to(folder).as_posix(): file_digest(file) for file in files}


def _get_archive(part: Archive, folder: Path, on_progress: OnProgress) -> None:
    """Put a file, or the wanted folder of a zip file, into a folder; it is unpacked once its SHA-256 is right."""
    file = folder / part.url.rpartition("/")[2]
    _download(part, file, on_progress)
    if not part.folder:
        return
    with zipfile.ZipFile(file) as packed:
        for member in packed.infolist():
            path = PurePosixPath(member.filename)
            if part.folder in path.parts and not member.is_dir():
                member.filename = "/".join(path.parts[path.parts.index(part.folder) :])
                packed.extract(member, folder)
    file.unlink()


def _download(part: Archive, file: Path, on_progress: OnProgress) -> None:
    taken, read = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(part.url, timeout=SILENCE) as answer, file.open("wb") as kept:  # noqa: S310 - an address of the table of sources
            while (piece := answer.read(PIECE)) and read <= part.size:
                taken.update(piece)
                kept.write(piece)
                read += len(piece)
                on_progress(f"{read / 1e6:,.0f} of {part.size / 1e6:,.0f} MB")
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


def _get_commit(part: Git, folder: Path) -> None:
    """Put the wanted files of a commit into a folder, and no more of the repository than that takes."""
    if shutil.which("git") is None:
        raise OutcomeMonitorsError(
            "fetching this needs git; install it, or take a copy that you have with --from"
        )
    for step in (
        ("init", "--quiet", "--template="),
        # No file of the repository may become a link, whoever made the repository.
        ("config", "core.symlinks", "false"),
        ("remote", "add", "origin", part.url),
        ("sparse-checkout", "set", "--no-cone", *(f"/{path}" for path in part.paths)),
        ("fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", part.commit),
        ("checkout", "--quiet", "--detach", part.commit),
    ):
        _git(folder, part, *step)
    shutil.rmtree(folder / ".git")


def _git(folder: Path, part: Git, *arguments: str) -> None:
    # A repository that happens to be at hand, as within a hook, is not the one that is meant.
    kept = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; what varies is in the table of sources
            ["git", *arguments],  # noqa: S607 - the git that the user has
            cwd=folder,
            env={**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=GIT_TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        raise OutcomeMonitorsError(
            f"cannot fetch {part.pin}: git {arguments[0]} did not end; try again"
        ) from None
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["git said nothing"])[-1]
        raise OutcomeMonitorsError(
            f"cannot fetch {part.pin}: {why}; or take a copy that you have with --from"
        )
