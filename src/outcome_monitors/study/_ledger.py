"""The ledger: one line an episode, only ever appended to, so that a run that is killed loses nothing that was finished."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from ._json import canonical

__all__ = ["Ledger", "read_ledger"]


def read_ledger(path: Path) -> list[dict[str, Json]]:
    """Return the episodes, in the order in which they ended; a last line that was cut off is passed over."""
    if not path.exists():
        return []
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    return [_episode(line, path, number) for number, line in enumerate(whole.split(b"\n"), 1) if line]


def _episode(line: bytes, path: Path, number: int) -> dict[str, Json]:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict) or not isinstance(record.get("episode"), str):
        raise OutcomeMonitorsError(
            f"{path}:{number} is not an episode; a ledger is only appended to: restore the line from a copy"
        )
    return record


class Ledger:
    """A ledger that is being written; one process at a time."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path = path
        self._file = file

    @classmethod
    @contextmanager
    def opened(cls, path: Path, done: int) -> Iterator["Ledger"]:
        """Open a ledger that holds `done` episodes to append; what a crash left of a last line goes first."""
        with _told(path), path.open("ab") as file:
            _lock(file, path)
            if len(read_ledger(path)) != done:
                raise OutcomeMonitorsError(f"another run has written to {path} meanwhile; run it again")
            _drop_torn_line(path, file)
            yield cls(path, file)

    def append(self, record: dict[str, Json]) -> None:
        """Write an episode, and see it on the disk before the next begins."""
        self._file.write(canonical(record).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutcomeMonitorsError(
            f"cannot write {path}: {error.strerror or error}; finished episodes are kept, run it again"
        ) from error


def _lock(file: IO[bytes], path: Path) -> None:
    try:
        import fcntl  # noqa: PLC0415 - POSIX alone has it; elsewhere nothing guards against a second run
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutcomeMonitorsError(f"another run is writing {path}; wait for it, or stop it") from None


def _drop_torn_line(path: Path, file: IO[bytes]) -> None:
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        file.truncate(whole)
