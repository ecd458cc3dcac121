"""Mining beside a running proxy, in a process of its own, at the lowest priority.

Reads the traces of a state folder and puts `contracts.json` in its place, whole. Of several that are started at once, one
works and the others leave.
"""

import os
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.mining.observations import Observations
from outcome_monitors.traces.reader import read_traces

from .disputes import Disputes
from .recorder import TRACES

__all__ = ["CONTRACTS", "PROGRAM", "main", "mine_folder", "prune"]

PROGRAM = ("-c", f"from {__name__} import main; main()")
"""What Python is told to run; the folder follows."""
CONTRACTS = "contracts.json"
LOCK = "mining.lock"
MOST_BYTES = 256 * 2**20
"""Of recorded traffic; the oldest files go first."""


def mine_folder(folder: Path) -> bool:
    """Mine the traces of a state folder; return False where someone else does so already."""
    with closing(sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None)) as lock:
        try:
            # A lock that every system has, and that goes with the process.
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return False
        _mined(prune(folder / TRACES)).save(folder / CONTRACTS)
    return True


def _mined(files: list[Path]) -> Registry:
    """Mine traces; of results that were flagged, those that persist."""
    disputes = Disputes()
    for call in read_traces(files):
        disputes.add(call)
    observations = Observations("full")
    for call in read_traces(files):
        if disputes.admits(call):
            observations.add(call)
    return observations.contracts().registry


def prune(folder: Path, most: int = MOST_BYTES) -> list[Path]:
    """Return the trace files, oldest first; those that are too much are deleted."""
    files = sorted(folder.glob("*.jsonl"))
    sizes = {file: file.stat().st_size for file in files}
    while sum(sizes.values()) > most and len(sizes) > 1:
        oldest = next(iter(sizes))
        oldest.unlink(missing_ok=True)
        del sizes[oldest]
    return list(sizes)


def main() -> None:
    """Mine the folder that the command line names."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(19)
    # What is mined of traffic is as private as that.
    os.umask(0o077)
    mine_folder(Path(sys.argv[1]))
