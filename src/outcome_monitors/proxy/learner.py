"""Learning beside a running proxy: contracts from the server's schemas at once, from its traffic as evidence suffices.

A state folder holds all of it, and several proxies may share one: recorded traffic (`traces/`), the tools last listed
(`tools.json`), the contracts mined last (`contracts.json`), and how far each tool has come (`stages.sqlite`). Nothing here
happens on the way of a reply: what takes time is done on the recorder's thread, or by a process of its own.
"""

import hashlib
import json
import logging
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.sources import from_mcp_tools
from outcome_monitors.events import Watch
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Clause, Contract, Encoder, Outcome
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.values.files import write_atomically

from .miner import CONTRACTS, PROGRAM
from .recorder import TRACES
from .results import Result
from .stages import ADVISING, OBSERVING, SHADOW, Stages, StageTrial, Thresholds

__all__ = ["Learner"]

log = logging.getLogger("outcome_monitors.proxy")

TOOLS = "tools.json"
STAGES_FILE = "stages.sqlite"
SCHEMA = "tools/list"
_miners: list["subprocess.Popen[bytes]"] = []
"""The miner started last; it may outlive the learner."""


class Learner:
    """What is known of a server's tools, and how it grows."""

    def __init__(
        self,
        folder: Path,
        given: Registry | None = None,
        relations: Relations | None = None,
        *,
        encoder: Encoder = "v2",
        thresholds: Thresholds | None = None,
    ) -> None:
        self.folder = folder
        self.watch: Watch | None = None
        self._given, self._relations, self._encoder = given or Registry(), relations, encoder
        self._thresholds = thresholds or Thresholds()
        self._listed: dict[str, Any] = {}
        self._changed = False
        self._schemas, self._mined = Registry(), Registry()
        self._mined_at = 0
        self._trials: dict[str, StageTrial] = {}
        self._counts: Counter[tuple[str, str, bool]] = Counter()
        self._lock = threading.Lock()
        self._load()

    def monitor(self) -> Monitor:
        """Return a monitor of all that is known now."""
        tried = {tool for tool, trial in self._trials.items() if trial.stage != OBSERVING}
        learned = {tool: found for tool, found in self._mined.contracts.items() if tool in tried}
        registry = self._given.merge(self._schemas).merge(Registry(learned))
        return Monitor(registry, self._relations, encoder=self._encoder)

    def tells(self, tool: str, clause: Clause) -> bool:
        """Say whether the agent may be told: of given contracts and schemas always, of what was learned when it is proven."""
        if clause.source.startswith("schema:") or _holds(self._given, tool, clause):
            return True
        trial = self._trials.get(tool)
        return trial is not None and trial.stage == ADVISING

    def listed(self, tools: list[Any]) -> None:
        """Take the tools that a server lists: their output schemas hold from now on."""
        new = {
            tool["name"]: tool
            for tool in tools
            if isinstance(tool, dict) and isinstance(tool.get("name"), str)
        }
        with self._lock:
            if all(self._listed.get(name) == tool for name, tool in new.items()):
                return
            self._listed |= new
            self._changed = True
            self._read_schemas()
            self._renew()

    def wanted(self, tool: str, result: Result, outcome: Outcome | None) -> bool:
        """Say whether a result is evidence: not where it breaks what is sure; and count it for the tool's trial."""
        if outcome is None or result.failed:
            return True
        trial = self._trials.get(tool)
        if trial is not None and trial.stage == SHADOW:
            with self._lock:
                self._counts[tool, trial.contract, bool(outcome.broken) and not outcome.proven] += 1
        return not outcome.proven

    def written(self, lines: int) -> None:
        """Look, on the recorder's thread, whether there is something to do."""
        recorded, mined = self._stages.recorded(lines)
        self._save()
        if self._read_mined():
            self._renew()
        self._promote()
        if recorded - mined >= max(self._thresholds.calls, mined // 5) and self._idle():
            self._stages.mined(recorded)
            self._mine()

    def close(self) -> None:
        """Save; a miner that is at work finishes by itself, so that short conversations are learned from too."""
        try:
            self._save()
        except (OutcomeMonitorsError, sqlite3.Error) as error:
            log.warning("what was learned last could not be saved: %s", error)

    def stages(self) -> dict[str, str]:
        """Return the stage of every tool that is known."""
        names = {*self._listed, *self._trials, *self._mined.contracts}
        return {
            name: self._trials[name].stage if name in self._trials else OBSERVING for name in sorted(names)
        }

    def _load(self) -> None:
        self._stages = Stages(self.folder / STAGES_FILE)
        try:
            (self.folder / TRACES).mkdir(parents=True, exist_ok=True)
            self._trials = self._stages.read()
        except (OSError, sqlite3.Error) as error:
            raise OutcomeMonitorsError(f"cannot learn in {self.folder}: {error}") from None
        tools = self.folder / TOOLS
        if tools.exists():
            try:
                self._listed = {tool["name"]: tool for tool in json.loads(tools.read_bytes())["tools"]}
                self._read_schemas()
            except (ValueError, KeyError, TypeError) as error:
                log.warning("%s cannot be used, and is written anew when tools are listed: %r", tools, error)
        self._read_mined()

    def _read_schemas(self) -> None:
        report = from_mcp_tools({"tools": list(self._listed.values())}, SCHEMA)
        self._schemas = Registry({contract.tool: contract for contract in report.accepted})

    def _read_mined(self) -> bool:
        """Read the contracts that were mined last, here or by another proxy; say whether they are new."""
        path = self.folder / CONTRACTS
        changed = path.stat().st_mtime_ns if path.exists() else 0
        if changed in (0, self._mined_at):
            return False
        self._mined_at = changed
        try:
            self._mined = Registry.load(path)
        except OutcomeMonitorsError as error:
            log.warning("%s; it is mined anew", error)
            return False
        return True

    def _renew(self) -> None:
        if self.watch is not None:
            self.watch.monitor = self.monitor()

    def _save(self) -> None:
        with self._lock:
            counts, self._counts = self._counts, Counter()
            changed, self._changed = self._changed, False
        if changed:
            write_atomically(self.folder / TOOLS, json.dumps({"tools": list(self._listed.values())}))
        if counts:
            self._stages.add(
                (tool, contract, number, number * flagged)
                for (tool, contract, flagged), number in counts.items()
            )

    def _promote(self) -> None:
        """Move the tools whose evidence suffices one stage on."""
        before = self._stages.read()
        trials = dict(before)
        for tool, contract in self._mined.contracts.items():
            key = _key(contract)
            enough = max((clause.tasks for clause in contract.clauses), default=0) >= self._thresholds.tasks
            if tool in trials:
                trials[tool] = trials[tool].renewed(key).promoted(self._thresholds)
            elif enough:
                trials[tool] = StageTrial(SHADOW, key)
        moved = {tool: trial for tool, trial in trials.items() if before.get(tool) != trial}
        if moved:
            self._stages.put(moved)
        if trials != self._trials:
            stages = {tool: trial.stage for tool, trial in self._trials.items()}
            self._trials = trials
            for tool, trial in trials.items():
                if trial.stage != stages.get(tool, OBSERVING):
                    log.info("%s: %s", tool, trial.stage)
            if stages != {tool: trial.stage for tool, trial in trials.items()}:
                self._renew()

    def _idle(self) -> bool:
        return not _miners or _miners[-1].poll() is not None

    def _mine(self) -> None:
        _miners[:] = [
            subprocess.Popen(  # noqa: S603 - this very program
                [sys.executable, *PROGRAM, str(self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        ]


def _holds(registry: Registry, tool: str, clause: Clause) -> bool:
    contract = registry.contracts.get(tool)
    return contract is not None and clause in contract.clauses


def _key(contract: Contract) -> str:
    """Name a contract by what it demands, not by how often that was seen to hold."""
    demands = [[clause.kind, clause.path, clause.params] for clause in contract.clauses]
    return hashlib.sha256(json.dumps(demands, sort_keys=True).encode()).hexdigest()[:16]
