"""Learning as a job: what a state has recorded is mined by one worker at a time, and becomes a version of its contracts.

What is mined is what the same lines give to `mine`, byte for byte, less what was flagged and nobody vouches for. Until the last
step nothing is written: a job that is ended, or that loses its database, leaves all as it was.
"""

import hashlib
import json
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.contracts.overrides import Overrides, loads
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError, TraceError
from outcome_monitors.learning.flagged_evidence import FlaggedEvidence
from outcome_monitors.learning.quotas import keep_known
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.parallel import show
from outcome_monitors.model import Call
from outcome_monitors.storage.layout import OVERRIDES, PRIVATE
from outcome_monitors.storage.opening import open_storage
from outcome_monitors.storage.storage import Busy, RecordedLine, Storage
from outcome_monitors.traces.private import private_paths
from outcome_monitors.traces.reader import parse_line

from .versions import ContractVersion, body_of, publish, versions

__all__ = ["Busy", "LearnJob", "LearnReport", "Passing"]

Passing = Callable[[Iterable[RecordedLine], str], Iterable[RecordedLine]]
"""Hands lines on, and is told what they are read for: to count them, or to end the work between two."""


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
    workers: int = 1
    promotion: str = "auto"
    by: str = field(default_factory=lambda: f"learn on {socket.gethostname()}")

    def run(self, passing: Passing) -> LearnReport:
        """Learn once; raise Busy where someone does so already."""
        storage = open_storage(self.place)
        if storage.labels.items():
            raise OutcomeMonitorsError(
                f"contracts are for all of {storage.whole()}: leave labels out, or give the service a fleet of its own"
            )
        with storage.learning() as refuse_lost:
            report, registry, evidence = self._mined(storage, passing)
            if registry is None:
                return report
            body = registry.dumps()
            # Where the lock was lost, another may be at work, on newer evidence.
            refuse_lost()
            with storage.versions(change=True) as table:
                report.version, report.new = publish(
                    table,
                    body,
                    by=self.by,
                    evidence=evidence,
                    promotion=self.promotion,
                )
            return report

    def _mined(
        self, storage: Storage, passing: Passing
    ) -> tuple[LearnReport, Registry | None, dict[str, Any]]:
        """Return the report, and the contracts with what they were mined from, where there is something to learn."""
        recorded, documents = storage.ends(), storage.documents()
        if recorded is None:
            return LearnReport(), None, {}
        ends = [
            {"id": f"{name}:{number}", "time": line.call.get("time")}
            for line in recorded
            for name, number in [line.place]
        ]
        decided, private = _decided(documents, storage), _private(documents, storage)
        basis = hashlib.sha256(repr((decided, private)).encode()).hexdigest()
        with storage.versions() as table:
            newest = next(iter(versions(table)), None)
            body = None if newest is None else body_of(table, newest.number)
        if newest is not None:
            before = [newest.evidence.get(name) for name in ("first", "last", "decisions")]
            if before == [*ends, basis]:
                return LearnReport(newest, unchanged=True), None, {}
        report, digest = LearnReport(), hashlib.sha256()

        def read(noun: str, *, again: bool = False) -> Iterator[Call]:
            # What comes meanwhile is not seen: lines are added behind the last one alone.
            for line in passing(storage.recorded_lines(until=recorded[1].place), noun):
                if not line.text.strip():
                    continue
                if again:
                    report.lines += 1
                    digest.update(line.data.rstrip(b"\r") + b"\n")
                try:
                    yield parse_line(line.data)
                except TraceError as bad:
                    if again:
                        name, number = line.place
                        report.skipped.append(f"{name}:{number} of {storage}: {bad}")

        flagged, observations = FlaggedEvidence(decided), Observations("full", private=private)
        for call in read("line"):
            flagged.add(call)
        show(flagged.evidence(read("line of evidence", again=True)), observations, self.workers)
        report.refused = flagged.refused
        if not observations.calls:
            return report, None, {}
        mined = observations.contracts(
            self.workers, lambda found: show(flagged.evidence(read("line verified")), found, self.workers)
        )
        registry = decided.pinned(mined.registry)
        registry, shrunk = keep_known(Registry() if body is None else Registry.loads(body), registry)
        clauses = (clause for contract in registry.contracts.values() for clause in contract.clauses)
        evidence = {
            "lines": report.lines,
            "calls": observations.calls,
            # Those that stand behind the clause that has the most.
            "tasks": max((clause.tasks for clause in clauses), default=0),
            "first": ends[0],
            "last": ends[1],
            "sha256": digest.hexdigest(),
            "decisions": basis,
            "kept": shrunk,
        }
        return report, registry, evidence


def _decided(documents: Mapping[str, str], storage: Storage) -> Overrides:
    """Return what people have decided; nothing is mined where that cannot be read."""
    text = documents.get(OVERRIDES)
    return Overrides() if text is None else loads(text, f"{OVERRIDES} of {storage}")


def _private(documents: Mapping[str, str], storage: Storage) -> tuple[str, ...]:
    """Return the paths whose values are kept nowhere."""
    try:
        return private_paths(json.loads(documents[PRIVATE])) if PRIVATE in documents else ()
    except (ValueError, TypeError, OutcomeMonitorsError) as error:
        raise OutcomeMonitorsError(
            f"{PRIVATE} of {storage} cannot be used, and nothing is mined without it: {error}"
        ) from None
