"""Reading files, packed ones too, line by line or as one JSON or YAML document, and replacing them atomically."""

import gzip
import json
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NoReturn

from outcome_monitors.exceptions import (
    ContractError,
    MissingExtra,
    OutcomeMonitorsError,
    SourceError,
    StateError,
)
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.model import Json

FilePath = str | os.PathLike[str]

STANDARD_INPUT = "-"


@contextmanager
def open_text(path: FilePath) -> Iterator[Iterable[bytes]]:
    """Open a file, packed (`.gz`) or not, or standard input (`-`), and give its lines, as bytes, one at a time."""
    if os.fspath(path) == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    with gzip.open(path) if os.fspath(path).endswith(SUFFIX) else Path(path).open("rb") as lines:
        yield lines


def private_folder(path: Path) -> None:
    """Make a folder for what is nobody else's business, where there is none."""
    if not path.exists():
        private_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)


def make_private(path: Path) -> None:
    """Make an empty file that its owner alone can read, and its folder, where there is none; one that exists keeps its mode."""
    private_folder(path.parent)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def refuse_special(path: Path) -> None:
    """Refuse a pipe, a device or a folder in the place of a file of a state: whoever opens it may wait, or read, for ever."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise StateError(f"{path} is no regular file: remove it")


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


GZIP, SUFFIX = b"\x1f\x8b", ".gz"
"""How a packed file begins, and what its name ends in."""
ERRORS = (EOFError, gzip.BadGzipFile, zlib.error)
"""What reading a packed file may raise beside what reading any file may."""


def without_suffix(name: str) -> str:
    """Return a file's name in small letters, without what says that it is packed."""
    return name.lower().removesuffix(SUFFIX)


def trouble(error: BaseException) -> str:
    """Say what is wrong with packed data."""
    return f"gzip data is {'cut short' if isinstance(error, EOFError) else 'broken'}"


def read_json(path: FilePath) -> Json:
    """Read a JSON file."""
    text = _text(path)
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise SourceError(
            f"{os.fspath(path)}, line {error.lineno}, column {error.colno}: not JSON ({error.msg})"
        ) from None
    except RecursionError:
        raise SourceError(f"{os.fspath(path)} is nested too deeply to be read") from None
    except ValueError as error:
        raise SourceError(f"{os.fspath(path)} is not JSON: {clip_text(str(error))}") from None


def read_json_or_yaml(path: FilePath) -> Json:
    """Read a JSON file, or a YAML file if it is named so."""
    if Path(path).suffix.lower() not in {".yaml", ".yml"}:
        return read_json(path)
    try:
        from outcome_monitors.yaml_text import load  # noqa: PLC0415 - needs an optional dependency
    except ImportError:
        raise MissingExtra("Reading YAML", "PyYAML", "yaml") from None
    return load(_text(path), os.fspath(path))


def _text(path: FilePath) -> str:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise SourceError(f"cannot read {os.fspath(path)}: {error.strerror or error}") from error
    if data.startswith(b"\xef\xbb\xbf"):
        raise SourceError(
            f"{os.fspath(path)}, line 1, column 1: a byte order mark; save it as UTF-8 without one"
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].rpartition(b"\n")
        line, column = before[0].count(b"\n") + len(before[1]) + 1, len(before[2].decode()) + 1
        raise SourceError(
            f"{os.fspath(path)}, line {line}, column {column}: not UTF-8; save it as UTF-8"
        ) from None
    if not text.strip():
        raise SourceError(f"{os.fspath(path)}, line 1, column 1: the file is empty")
    return text


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def storable(text: str) -> str:
    """Return a text as a database can hold it: half a surrogate pair, which JSON may bring, is written out as an escape."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()
