"""The ledger: one line an episode, only ever appended to, so that a run that is killed loses nothing that was finished.

Beside it stands its seal, a digest for each line that holds the line and all before it. A line that is edited, left out, put in or
moved afterwards no longer fits. It is a seal, and no lock: who wants to deceive can make it anew, and `study amend` does so and says it.

What an endpoint failed in (tries that it broke off, requests that were sent again) stands in a file of its own: counted, paid for,
never an outcome.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import write_atomically
from outcome_monitors.model import Json

from ._json import canonical
from ._plugin_loading import PluginFault


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
            f"{path}:{number} is not an episode; restore the line from a copy, or take it out and disclose that with study amend"
        )
    return record


def sealed(path: Path) -> list[str]:
    """Return the digests of all lines; raise where the seal says otherwise.

    The last line may have none yet: a run that was killed had written the line, and not its digest.
    """
    made, kept = list(_digests(path)), _seals(path)
    short = len(made) - len(kept)
    wrong = next(
        (number for number, (one, other) in enumerate(zip(made, kept, strict=False), 1) if one != other), 0
    )
    if not wrong and short in {0, 1}:
        return made
    where = f"{path}:{wrong or min(len(made), len(kept)) + 1}"
    raise OutcomeMonitorsError(
        f"{where} is not as it was written; restore the ledger from a copy, or disclose it with study amend"
    )


def seal_anew(path: Path) -> bool:
    """Seal a ledger as it is, and say whether its seal was another."""
    made = list(_digests(path))
    try:
        sealed(path)
    except OutcomeMonitorsError:
        write_atomically(_seal_of(path), "".join(f"{line}\n" for line in made))
        return True
    return False


def _seal_of(path: Path) -> Path:
    return path.with_suffix(".seal")


def _seals(path: Path) -> list[str]:
    """Return the digests of the seal; what a crash cut off is none."""
    file = _seal_of(path)
    whole = file.read_text("ascii", "replace").rpartition("\n")[0] if file.exists() else ""
    return whole.split("\n") if whole else []


def _digests(path: Path) -> Iterator[str]:
    """Yield a digest for each whole line: of the digest before it, and of the line."""
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    last = ""
    for line in whole.split(b"\n") if whole else ():
        last = _chained(last, line)
        yield last


def _chained(last: str, line: bytes) -> str:
    return hashlib.sha256(last.encode() + line).hexdigest()


class Ledger:
    """A ledger that is being written; one process at a time."""

    def __init__(self, path: Path, file: IO[bytes], seal: IO[bytes], last: str) -> None:
        self._path = path
        self._file, self._seal = file, seal
        self._last = last

    @classmethod
    @contextmanager
    def opened(cls, path: Path, done: int) -> Iterator["Ledger"]:
        """Open a ledger that holds `done` episodes to append; what a crash left of a last line goes first."""
        with _disk_errors(path), path.open("ab") as file:
            _lock(file, path)
            if len(read_ledger(path)) != done:
                raise OutcomeMonitorsError(f"another run has written to {path} meanwhile; run it again")
            _drop_torn_line(path, file)
            digests = sealed(path)
            with _seal_of(path).open("ab") as seal:
                _drop_torn_line(_seal_of(path), seal)
                for digest in digests[len(_seals(path)) :]:
                    _put(seal, digest.encode())
                yield cls(path, file, seal, digests[-1] if digests else "")

    def append(self, record: dict[str, Json]) -> None:
        """Write an episode, and see it on the disk before the next begins."""
        try:
            line = canonical(record).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise PluginFault(f"{record['episode']} holds what is no JSON: {error}") from error
        _put(self._file, line)
        self._last = _chained(self._last, line)
        _put(self._seal, self._last.encode())


def _put(file: IO[bytes], line: bytes) -> None:
    file.write(line + b"\n")
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
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


def read_failures(path: Path) -> list[dict[str, Json]]:
    """Return the broken-off tries of a study."""
    return [record for record in _records(path) if "error" in record]


def requests_sent_again(path: Path) -> int:
    """Return how many requests had to be sent again, in episodes that came to their end."""
    return sum(record.get("sent again", 0) for record in _records(path))


def _records(path: Path) -> Iterator[dict[str, Json]]:
    """Yield all notes; a line that was cut off itself is passed over."""
    for line in path.read_bytes().splitlines() if path.exists() else ():
        with suppress(ValueError):
            record = json.loads(line)
            if isinstance(record, dict) and "episode" in record:
                yield record


def append_failure(path: Path, record: dict[str, Json]) -> None:
    """Note something; what is left of a line that a crash cut off stays a line of its own."""
    with path.open("ab+") as file:
        torn = file.tell() > 0 and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
        file.write((b"\n" if torn else b"") + canonical(record).encode() + b"\n")
