"""Mining beside a running proxy, in a process of its own, at the lowest priority.

Reads the traces of a state folder; what they give is the next version of its contracts (`contracts.json`). Of several that are started
at once, one works and the others leave.
"""

import json
import logging
import os
import sys
from contextlib import suppress
from pathlib import Path

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import MissingDistribution, OutcomeMonitorsError
from outcome_monitors.files import refuse_special, write_atomically
from outcome_monitors.mining.observations import Observations
from outcome_monitors.storage.folder import FolderStorage
from outcome_monitors.storage.layout import CONTRACTS, EVIDENCE, OVERRIDES, TRACES
from outcome_monitors.storage.opening import storage_backend
from outcome_monitors.storage.storage import Busy
from outcome_monitors.traces.reader import read_traces

from .flagged_evidence import FlaggedEvidence
from .quotas import keep_known, prune
from .storage import private_in

log = logging.getLogger("outcome_monitors.mcp")


def mine_folder(folder: Path) -> bool:
    """Mine the traces of a state folder, and put the contracts in force; return False where someone else does so already."""
    try:
        refuse_special(folder / CONTRACTS)
        with FolderStorage(folder).learning():
            registry, calls = _mined(folder)
            registry, shrunk = keep_known(_known(folder), registry)
            write_atomically(folder / EVIDENCE, json.dumps({"kept": shrunk}), private=True)
            try:
                storage_backend("versions of contracts").publish(folder, registry.dumps(), calls)
            except MissingDistribution:
                registry.save(folder / CONTRACTS)
            except OutcomeMonitorsError as error:
                log.warning("%s; the contracts are in force, and no version", error)
                registry.save(folder / CONTRACTS)
    except Busy:
        return False
    return True


def _mined(folder: Path) -> tuple[Registry, int]:
    """Mine the traces of a folder; of results that were flagged, those that persist, or that people say are right.

    What people have pinned stays as it was then. With the contracts comes how many calls they were mined from.
    """
    files, decided = prune(folder / TRACES), decisions_in(folder)
    flagged = FlaggedEvidence(decided)
    for call in read_traces(files):
        flagged.add(call)
    observations = Observations("full", private=private_in(folder))
    observations.add_all(flagged.evidence(read_traces(files)))
    mined = observations.contracts(again=lambda found: found.add_all(flagged.evidence(read_traces(files))))
    return decided.pinned(mined.registry), observations.calls


def _known(folder: Path) -> Registry:
    file = folder / CONTRACTS
    try:
        return Registry.load(file) if file.exists() else Registry()
    except OutcomeMonitorsError as error:
        log.warning("%s; it is mined anew", error)
        return Registry()


def decisions_in(folder: Path) -> Overrides:
    """Return what people have decided; a file that cannot be used is for them to mend, and mining goes on."""
    file = folder / OVERRIDES
    try:
        return Overrides.load(file) if file.exists() else Overrides()
    except OutcomeMonitorsError as error:
        log.warning("%s; contracts are mined without it", error)
        return Overrides()


def main() -> None:
    """Mine the folder that the command line names."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(19)
    # What is mined of traffic is as private as that.
    os.umask(0o077)
    mine_folder(Path(sys.argv[1]))
