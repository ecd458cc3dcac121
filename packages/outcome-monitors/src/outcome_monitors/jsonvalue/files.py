"""Files are replaced whole or not at all, and read line by line."""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from outcome_monitors.exceptions import ContractError, OutcomeMonitorsError

__all__ = [
    "STANDARD_INPUT",
    "FilePath",
    "make_private",
    "open_text",
    "private_folder",
    "read_text",
    "replacing",
    "storable",
    "write_atomically",
]

FilePath = str | os.PathLike[str]

STANDARD_INPUT = "-"


@contextmanager
def open_text(path: FilePath) -> Iterator[Iterable[bytes]]:
    """Open a file, one packed with gzip (`.gz`) or zstd (`.zst`), or standard input (`-`), and give its lines, as bytes, one at a time."""
    if os.fspath(path) == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as plain:
        if not os.fspath(path).endswith((".gz", ".zst")):
            yield plain
            return
        from .packed_files import SUFFIXES, unpacked  # noqa: PLC0415 - few files are packed

        with unpacked(plain, SUFFIXES[Path(path).suffix]) as lines:
            yield lines


def private_folder(path: Path) -> None:
    """Make a folder for what is nobody else's business, where there is none."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def make_private(path: Path) -> None:
    """Make an empty file that its owner alone can read, and its folder, where there is none; one that exists keeps its mode."""
    private_folder(path.parent)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def write_atomically(path: FilePath, content: str | bytes, *, private: bool = False) -> None:
    """Put `content` in the place of the file, whole; text is written as UTF-8. A private one its owner alone can read."""
    try:
        data = content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        raise OutcomeMonitorsError(
            f"cannot write {os.fspath(path)}: its text has no UTF-8 form ({error.reason})"
        ) from error
    with replacing(path, private=private) as file:
        file.write(data)


@contextmanager
def replacing(path: FilePath, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file to be written piece by piece; it takes the place of `path` when the block ends without an error.

    An existing file keeps its mode, and a link keeps pointing where it does. Until the end the old file stands; after
    an error nothing is left behind.
    """
    try:
        mode = _mode_of(path)
        if mode is None or stat.S_ISREG(mode):
            opened = _temporary_beside(
                Path(os.path.realpath(path)), 0o600 if private and mode is None else mode
            )
        else:
            # A device or a pipe is written to: replacing /dev/null by a file would break the machine.
            opened = _in_place(Path(path))
        with opened as file:
            yield file
    except OSError as error:
        raise OutcomeMonitorsError(f"cannot write {os.fspath(path)}: {error.strerror or error}") from error


def _mode_of(path: FilePath) -> int | None:
    try:
        return Path(path).stat().st_mode
    except FileNotFoundError:
        return None


@contextmanager
def _in_place(target: Path) -> Iterator[IO[bytes]]:
    with target.open("wb") as file:
        yield file


@contextmanager
def _temporary_beside(target: Path, mode: int | None) -> Iterator[IO[bytes]]:
    # A name of its own length: the target's may already be as long as the file system allows.
    temporary = target.with_name(f".{os.urandom(8).hex()}.tmp")
    # Not tempfile: its files are private to the user, where a new file should have the mode the umask gives.
    # From the first byte nobody can read it who cannot read the file.
    first = 0o666 if mode is None else stat.S_IMODE(mode) & 0o666 | stat.S_IWUSR
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), first)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def append(path: Path, data: bytes) -> None:
    """Append to a file, all or nothing: what a full disk cut short is taken back."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
    try:
        size = os.fstat(descriptor).st_size
        if size and hasattr(os, "pread") and os.pread(descriptor, 1, size - 1) != b"\n":
            # Someone was killed in the middle of a line: it must not spoil this one too.
            data = b"\n" + data
        written = os.write(descriptor, data)
        if written < len(data):
            # Only where no other process has appended meanwhile; else the cut line is one bad line among good ones.
            if os.fstat(descriptor).st_size == size + written:
                os.ftruncate(descriptor, size)
            raise OSError(f"only {written} of {len(data)} bytes could be written")
    finally:
        os.close(descriptor)


def read_text(path: Path, largest: int, what: str) -> str:
    """Return the text of a file that people hand over; refuse one that is larger than any of its sort is."""
    try:
        if path.stat().st_size > largest:
            raise ContractError(f"{path} is larger than {largest // 2**20} MiB, which no {what} is")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ContractError(f"{path} cannot be read: {error.strerror or error}; check the path") from None
    except UnicodeDecodeError as error:
        raise ContractError(f"{path} is not UTF-8: byte {error.start}") from None


def storable(text: str) -> str:
    """Return a text as a database can hold it: half a surrogate pair, which JSON may bring, is written out as an escape."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()
