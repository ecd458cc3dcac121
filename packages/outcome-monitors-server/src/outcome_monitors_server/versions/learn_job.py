"""Learning as a job: what a state has recorded is mined by one worker at a time, and becomes a version of its contracts.

What is mined is what the same lines give to `mine`, byte for byte, less what was flagged and nobody vouches for. Until the last
step nothing is written: a job that is ended, or that loses its database, leaves all as it was.
"""

import hashlib
import os
import socket
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import ContractError, OutcomeMonitorsError
from outcome_monitors.learning.flagged_evidence import LineFilter
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.parallel import WorkerShare, observe_in_processes
from outcome_monitors.mining.spark import observe, started
from outcome_monitors.mining.spark.export import export_lines
from outcome_monitors.state.address import StateAddress, is_address
from outcome_monitors.traces.lines import Line
from outcome_monitors.upkeep.diff import diff
from outcome_monitors.values.folders import CONTRACTS, learning_folder
from outcome_monitors_server.storage.contract_lines import named_for
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.versions.version_homes import FleetVersions, FolderVersions
from outcome_monitors_server.versions.versions import ContractVersion, line_versions, publish

from .learn_lock import Busy, fleet_lock, folder_lock
from .trace_snapshots import FolderSnapshot, TraceSnapshot, table_snapshot

__all__ = ["Busy", "LearnJob", "LearnReport", "Passing"]

Passing = Callable[[Iterable[Line], str], Iterable[Line]]
"""Hands lines on, and is told what they are read for: to count them, or to end the work between two."""
ALL_CORES = "local[*]"


@dataclass(slots=True)
class LearnReport:
    """What came of it."""

    version: ContractVersion | None = None
    """None where there was nothing to learn from."""
    new: bool = False
    lines: int = 0
    refused: int = 0
    """Lines that were flagged, and are no evidence."""
    skipped: list[str] = field(default_factory=list)
    """Lines that are no calls: where each stands, and why."""
    unchanged: bool = False
    """Whether nothing had come since the version that is the newest."""


@dataclass(frozen=True, slots=True)
class LearnJob:
    """Where to learn, and how."""

    place: str
    engine: str = "local"
    workers: int = 1
    master: str | None = None
    export: Path | None = None
    promotion: str = "auto"
    by: str = field(default_factory=lambda: f"learn on {socket.gethostname()}")

    def run(self, passing: Passing, last_word: Callable[[], None] = lambda: None) -> LearnReport:
        """Learn once; raise Busy, with who it is, where someone does so already.

        `last_word` is asked before anything is written, and may raise.
        """
        if not is_address(self.place):
            folder = learning_folder(self.place)
            with folder_lock(folder):
                home = FolderVersions(folder)
                return self._published(self._mined(FolderSnapshot(folder), home, passing), home, last_word)
        state = Postgres(StateAddress.read(self.place))
        # Labels that can have no contracts are refused before the work.
        named_for(CONTRACTS, state.address.labels)
        with fleet_lock(state, f"{self.by} ({os.getpid()})") as held:
            with table_snapshot(state) as snapshot:
                mined = self._mined(snapshot, FleetVersions(state), passing)
            # The transaction that read is over; that of the version is short.
            last_word()
            return self._published(mined, FleetVersions(state), held)

    def _mined(
        self, snapshot: TraceSnapshot, home: FolderVersions | FleetVersions, passing: Passing
    ) -> "_Mined":
        ends, decided, private = snapshot.ends(), snapshot.decided(), snapshot.private()
        if ends is None:
            return _Mined(LearnReport())
        basis = hashlib.sha256(repr((decided, private)).encode()).hexdigest()
        newest = _newest(home)
        if newest is not None and _same(newest.evidence, ends, basis):
            return _Mined(LearnReport(newest, unchanged=True))
        admission, tally = LineFilter(decided), _LineTally()
        admission.count(passing(snapshot.lines(), "line"))
        lines = admission.evidence(tally.through(passing(snapshot.lines(), "line of evidence")))
        observations = Observations("full", private=private)
        share = self._observed(lines, observations)
        report = LearnReport(lines=tally.lines, refused=admission.refused)
        report.skipped = [f"{snapshot.names[file]}:{number}: {why}" for file, number, why in share.in_order()]
        if not observations.calls:
            return _Mined(report)
        registry = decided.pinned(observations.contracts(self.workers).registry)
        evidence = {
            "lines": tally.lines,
            "calls": observations.calls,
            "tasks": _tasks(registry),
            "first": ends[0],
            "last": ends[1],
            "sha256": tally.digest.hexdigest(),
            "decisions": basis,
            "engine": self.engine,
            **home.marks,
        }
        return _Mined(report, registry, evidence)

    def _observed(self, lines: Iterable[Line], observations: Observations) -> WorkerShare:
        if self.engine == "spark":
            return self._on_spark(lines, observations)
        if self.workers > 1:
            return observe_in_processes(lines, observations, self.workers)
        share = WorkerShare(observations)
        for line in lines:
            share.add(line)
        return share

    def _on_spark(self, lines: Iterable[Line], observations: Observations) -> WorkerShare:
        share = WorkerShare(observations)
        with _export_folder(self.export) as folder:
            file = export_lines(lines, folder)
            with started(self.master or ALL_CORES) as spark:
                gathered = observe(spark, [str(file)], observations)
        observations.merge(gathered.observations)
        for (_, why), many in sorted(gathered.skipped.items()):
            for _ in range(many):
                share.skip(0, 0, why)
        return share

    def _published(
        self, mined: "_Mined", home: FolderVersions | FleetVersions, ready: Callable[[], None]
    ) -> LearnReport:
        report = mined.report
        if mined.registry is None:
            return report
        body = mined.registry.dumps()
        # Where the lock was lost, another may be at work, on newer evidence.
        ready()
        with home.changing() as table:
            report.version, report.new = publish(
                table,
                body,
                by=self.by,
                evidence=mined.evidence,
                changed=lambda before: change_counts(before, body),
                promotion=self.promotion,
            )
        return report


@dataclass(slots=True)
class _Mined:
    report: LearnReport
    registry: Registry | None = None
    evidence: dict[str, Any] = field(default_factory=dict)


class _LineTally:
    """Counts lines as they pass, and takes their digest."""

    def __init__(self) -> None:
        self.lines = 0
        self.digest = hashlib.sha256()

    def through(self, lines: Iterable[Line]) -> Iterator[Line]:
        for line in lines:
            self.lines += 1
            held = line[2]
            if isinstance(held, bytes):
                self.digest.update(held.rstrip(b"\r\n") + b"\n")
            yield line


def change_counts(before: str | None, after: str) -> dict[str, Any]:
    """Return how many clauses and tools came, went and changed; a parent that cannot be read is none."""
    try:
        old = Registry() if before is None else Registry.loads(before, "the parent")
    except ContractError:
        return {}
    found: dict[str, Any] = {}
    for change in diff(old, Registry.loads(after)):
        found[change.what] = found.get(change.what, 0) + 1
    return found


def _newest(home: FolderVersions | FleetVersions) -> ContractVersion | None:
    with home.reading() as table:
        return next(iter(line_versions(table, table.labels)), None)


def _same(evidence: dict[str, Any], ends: tuple[dict[str, Any], dict[str, Any]], basis: str) -> bool:
    return [evidence.get(name) for name in ("first", "last", "decisions")] == [*ends, basis]


def _tasks(registry: Registry) -> int:
    """Return how many tasks stand behind the clause that has the most."""
    clauses = (clause for contract in registry.contracts.values() for clause in contract.clauses)
    return max((clause.tasks for clause in clauses), default=0)


@contextmanager
def _export_folder(named: Path | None) -> Iterator[Path]:
    if named is None:
        with tempfile.TemporaryDirectory(prefix="outcome-monitors-") as folder:
            yield Path(folder)
        return
    if not named.is_dir():
        raise OutcomeMonitorsError(
            f"cannot write the export to {named}: there is no such folder; make it first"
        )
    yield named
