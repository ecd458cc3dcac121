"""Mining beside a running proxy, in a process of its own, at the lowest priority.

Reads the traces of a state folder; what they give is the next version of its contracts (`contracts.json`). Of several that are started at once, one
works and the others leave.
"""

import json
import logging
import os
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import MissingDistribution, OutcomeMonitorsError
from outcome_monitors.mining.observations import Observations
from outcome_monitors.state.shared import shared_backend
from outcome_monitors.traces.private import private_paths
from outcome_monitors.traces.reader import read_traces
from outcome_monitors.values.files import write_atomically
from outcome_monitors.values.folders import CONTRACTS, MINING, OVERRIDES, PRIVATE, TRACES

from .disputes import Disputes, unmarked

__all__ = ["CONTRACTS", "PROGRAM", "keep_private", "main", "mine_folder", "private_in", "prune"]

log = logging.getLogger("outcome_monitors.proxy")

PROGRAM = ("-c", f"from {__name__} import main; main()")
"""What Python is told to run; the folder follows."""
MOST_BYTES = 256 * 2**20
"""Of recorded traffic; the oldest files go first."""


def mine_folder(folder: Path) -> bool:
    """Mine the traces of a state folder; return False where someone else does so already."""
    with closing(sqlite3.connect(folder / MINING, timeout=0, isolation_level=None)) as lock:
        try:
            # A lock that every system has, and that goes with the process.
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return False
        _keep(folder, *_mined(folder))
    return True


def _keep(folder: Path, registry: Registry, calls: int) -> None:
    """Put contracts in force, as the next version where versions are kept."""
    try:
        shared_backend("versions of contracts").publish(folder, registry.dumps(), calls)
    except MissingDistribution:
        registry.save(folder / CONTRACTS)
    except OutcomeMonitorsError as error:
        log.warning("%s; the contracts are in force, and no version", error)
        registry.save(folder / CONTRACTS)


def _mined(folder: Path) -> tuple[Registry, int]:
    """Mine the traces of a folder; of results that were flagged, those that persist, or that people say are right.

    What people have pinned stays as it was then. With the contracts comes how many calls they were mined from.
    """
    files, decided = prune(folder / TRACES), decisions_in(folder)
    disputes = Disputes(decided)
    for call in read_traces(files):
        disputes.add(call)
    observations = Observations("full", private=private_in(folder))
    for call in read_traces(files):
        if disputes.admits(call):
            observations.add(unmarked(call))
    return decided.pinned(observations.contracts().registry), observations.calls


def decisions_in(folder: Path) -> Overrides:
    """Return what people have decided; a file that cannot be used is for them to mend, and mining goes on."""
    file = folder / OVERRIDES
    try:
        return Overrides.load(file) if file.exists() else Overrides()
    except OutcomeMonitorsError as error:
        log.warning("%s; contracts are mined without it", error)
        return Overrides()


def private_in(folder: Path) -> tuple[str, ...]:
    """Return the paths that are private in a folder, whichever proxy named them."""
    file = folder / PRIVATE
    try:
        return private_paths(json.loads(file.read_bytes())) if file.exists() else ()
    except (OSError, ValueError, TypeError, OutcomeMonitorsError) as error:
        raise OutcomeMonitorsError(
            f"{file} cannot be used, and nothing is mined without it: {error}"
        ) from None


def keep_private(folder: Path, paths: tuple[str, ...]) -> None:
    """Note which paths are private in a folder; one that was noted stays so, since what was recorded has no values of it."""
    if not paths:
        return
    known = private_in(folder)
    if not {*paths} <= {*known}:
        write_atomically(folder / PRIVATE, json.dumps(sorted({*paths, *known})) + "\n", private=True)


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
