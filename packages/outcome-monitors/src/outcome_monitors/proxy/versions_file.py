"""Which version a folder's contracts are, and which one is tried beside them, as `candidate.json` says; read again when it changes.

A copy of a fleet's state may also say of which line the contracts are (`lines.json`).
"""

import logging
from pathlib import Path

from outcome_monitors.contracts.candidate import TriedVersion, VersionsInForce, digest_of
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.state.labels import NO_LABELS, Labels
from outcome_monitors.state.shared import LINES, lines_known
from outcome_monitors.values.folders import CANDIDATE, CONTRACTS

__all__ = ["VersionsFile"]

log = logging.getLogger("outcome_monitors.proxy")

_FILES = (CANDIDATE, CONTRACTS, LINES)

Stamp = tuple[int, int]


class VersionsFile:
    """What is in force, as of the last look."""

    def __init__(self, folder: Path) -> None:
        self.number: int | None = None
        """The version of the folder's contracts; None where they are none."""
        self.tried: TriedVersion | None = None
        self.line: Labels | None = NO_LABELS
        """The line that the contracts are of; None while they are being exchanged."""
        self._folder = folder
        self._stamps = ((0, 0),) * len(_FILES)

    def judges(self, conversation: str | None) -> bool:
        """Say whether a conversation is under the version that is tried."""
        return self.tried is not None and self.tried.judges(conversation)

    def read(self) -> bool:
        """Look again; say whether something else is in force. What cannot be used is left, and the contracts for all hold."""
        stamps = self._looked()
        if stamps == self._stamps:
            return False
        self._stamps, found = stamps, VersionsInForce()
        contracts = b""
        try:
            contracts = (self._folder / CONTRACTS).read_bytes() if stamps[1][1] else b""
            if stamps[0][1]:
                text = (self._folder / CANDIDATE).read_text(encoding="utf-8")
                found = VersionsInForce.loads(text, str(self._folder / CANDIDATE))
            self.number = found.number_of(contracts) if stamps[1][1] else None
        except (OSError, ValueError, OutcomeMonitorsError) as error:
            log.warning("%s; no version is tried", error)
            self.number, found = None, VersionsInForce()
        self.tried = found.candidate
        self.line = self._line(contracts) if stamps[2][1] else NO_LABELS
        return True

    def moved(self) -> bool:
        """Say whether there is something else than at the last look."""
        return self._looked() != self._stamps

    def _looked(self) -> tuple[Stamp, ...]:
        return tuple(_stamp(self._folder / name) for name in _FILES)

    def _line(self, contracts: bytes) -> Labels | None:
        said = lines_known(self._folder)
        whole = said.get("sha256") == digest_of(contracts)
        return Labels.read(str(said.get("labels", ""))) if whole else None


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
