"""Which version a folder's contracts are, and which one is tried beside them, as `candidate.json` says; read again when it changes."""

import logging
from pathlib import Path

from outcome_monitors.contracts.candidate import TriedVersion, VersionsInForce
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.values.folders import CANDIDATE, CONTRACTS

__all__ = ["VersionsFile"]

log = logging.getLogger("outcome_monitors.proxy")

Stamp = tuple[int, int]


class VersionsFile:
    """What is in force, as of the last look."""

    def __init__(self, folder: Path) -> None:
        self.number: int | None = None
        """The version of the folder's contracts; None where they are none."""
        self.tried: TriedVersion | None = None
        self._folder = folder
        self._stamps: tuple[Stamp, Stamp] = ((0, 0), (0, 0))

    def judges(self, conversation: str | None) -> bool:
        """Say whether a conversation is under the version that is tried."""
        return self.tried is not None and self.tried.judges(conversation)

    def read(self) -> bool:
        """Look again; say whether something else is in force. What cannot be used is left, and the contracts for all hold."""
        stamps = _stamp(self._folder / CANDIDATE), _stamp(self._folder / CONTRACTS)
        if stamps == self._stamps:
            return False
        self._stamps, found = stamps, VersionsInForce()
        try:
            if stamps[0][1]:
                text = (self._folder / CANDIDATE).read_text(encoding="utf-8")
                found = VersionsInForce.loads(text, str(self._folder / CANDIDATE))
            self.number = found.number_of((self._folder / CONTRACTS).read_bytes()) if stamps[1][1] else None
        except (OSError, ValueError, OutcomeMonitorsError) as error:
            log.warning("%s; no version is tried", error)
            self.number, found = None, VersionsInForce()
        self.tried = found.candidate
        return True


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
