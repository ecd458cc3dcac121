"""Learning beside a running proxy: contracts from the server's schemas at once, from its traffic as evidence suffices.

A state folder holds all of it, and several proxies may share one: recorded traffic (`traces/`), the tools last listed
(`tools.json`), the contracts mined last (`contracts.json`), and how far each tool has come (`stages.sqlite`). Nothing here
happens on the way of a reply: what takes time is done on the recorder's thread, or by a process of its own.
"""

import json
import logging
import threading
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from outcome_monitors.alerting.policy import Policies, Policy
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.identity import identify
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import Watch
from outcome_monitors.events.version_trial import VersionTrial
from outcome_monitors.model import Broken, Call, Clause, Contract, Encoder, Outcome
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.rules import KINDS
from outcome_monitors.traces.private import private_paths
from outcome_monitors.values.folders import CONTRACTS, TOOLS

from .learner_home import LearnerHome, LearningFolder
from .progress import StageProgress
from .recorder import Clock
from .restraint import Restraint
from .results import Result
from .stages import ADVISING, OBSERVING, Thresholds
from .state_folder import schemas_of
from .trials import MinedTool
from .versions_file import VersionsFile
from .witnesses import hour_of

__all__ = ["Learner"]

log = logging.getLogger("outcome_monitors.proxy")

WOULD_BE_TOLD = frozenset({"", "in shadow", "no receipt"})
"""Why an agent is not told of what it would be told of at another stage or in another mode."""


class Learner:
    """What is known of a server's tools, and how it grows."""

    def __init__(
        self,
        home: Path | LearnerHome,
        given: Registry | None = None,
        relations: Relations | None = None,
        *,
        encoder: Encoder = "note",
        thresholds: Thresholds | None = None,
        clock: Clock | None = None,
        private: Collection[str] = (),
    ) -> None:
        self.home = LearningFolder(home) if isinstance(home, Path) else home
        self.folder = self.home.folder
        self._watch: Watch | None = None
        self.clock = self.home.clock if clock is None else clock
        self._given, self._relations, self._encoder = (
            Registry() if given is None else given,
            relations,
            encoder,
        )
        self._thresholds = Thresholds() if thresholds is None else thresholds
        self._listed: dict[str, Any] = {}
        self._changed = False
        self._schemas = Registry()
        self._mined: dict[str, MinedTool] = {}
        self._mined_at = 0
        self._new = False
        """Contracts were read that nobody was told of."""
        self._versions = VersionsFile(self.folder)
        self._lock = threading.Lock()
        self._private = private_paths(private)
        self._load()

    @property
    def watch(self) -> Watch | None:
        """Who is told of other contracts."""
        return self._watch

    @watch.setter
    def watch(self, watch: Watch) -> None:
        self._watch = watch
        self._try()

    def monitor(self) -> Monitor:
        """Return a monitor of all that is known now."""
        return self._monitor({tool: mined.contract for tool, mined in self._mined.items()})

    def _monitor(self, contracts: Mapping[str, Contract]) -> Monitor:
        learned = {
            tool: contract for tool, contract in contracts.items() if self._progress.stage(tool) != OBSERVING
        }
        registry = self._given.merge(self._schemas).merge(Registry(learned, "full" if learned else ""))
        return Monitor(registry, self._relations, encoder=self._encoder)

    def policy(self, weighs: Policy) -> Policies:
        """Return policies that alert of what another one does, of that what is proven, and of tools that are advising."""
        gate = Restraint(sure=self._sure, in_force=self._progress.in_force, advises=self._advises)
        return Policies(gate.proven, weighs, gate.advising)

    def tells(self, tool: str, clause: Clause) -> bool:
        """Say whether the agent may be told: of given contracts and schemas always, of what was learned when it is proven."""
        if clause.kind not in KINDS:
            # That it is another tool's answer is known from all contracts together.
            return self._advises(tool)
        return self._sure(tool, clause) or identify(tool, clause) in self._progress.in_force(tool)

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

    def wanted(self, call: Call, result: Result, outcome: Outcome | None) -> bool:
        """Say whether a result may be learned from: not where it breaks what is sure; and count it for the tool's trials."""
        if outcome is None or result.failed:
            return True
        tool, told = call.tool, outcome.proven if outcome.untold in WOULD_BE_TOLD else ()
        sure = any(self._sure(tool, clause) for clause, _ in told)
        # An outage is no reason to doubt a contract, nor to trust it.
        counts = outcome.checked and not outcome.since and self._progress.stage(tool) != OBSERVING
        # A version that is tried is no trial of the clauses for all.
        if counts and not self._versions.judges(call.session):
            client, hour = str(call.extra.get("client") or ""), hour_of(self.clock())
            self._progress.saw(
                tool, client, hour, _names(tool, outcome.broken), () if sure else _names(tool, told)
            )
        return not sure

    def written(self, lines: int) -> None:
        """Count calls that were recorded, and look, on the recorder's thread, whether there is something to do."""
        self._progress.recorded(lines)
        try:
            self.catch_up()
        except Exception as error:  # noqa: BLE001 - whatever the folder holds, what is written is written
            self._progress.trouble(error)

    def recorded(self, lines: int) -> None:
        """Count them alone."""
        self._progress.recorded(lines)

    def catch_up(self) -> None:
        """Look whether there is something to do: tools to keep, contracts that are new, evidence that suffices."""
        self._save_tools()
        self._new = self._read_mined() or self._new
        line = self._versions.line
        if line is None or self._versions.moved():
            # Contracts and the line that they are of are being exchanged: what is of which is known the next time.
            return
        self.home.on_line(line)
        new, self._new = self._new, False
        if self._progress.moved(self._mined) or new:
            self._renew()
        self.home.mine(lambda: self._progress.due(self._thresholds))

    def close(self) -> None:
        """Save; a miner that is at work finishes by itself, so that short conversations are learned from too."""
        try:
            self._save_tools()
            self.home.save(self._progress.save)
        except Exception as error:  # noqa: BLE001 - the same
            self._progress.trouble(error)
            log.warning("what was learned last could not be saved: %s", error)

    def stages(self) -> dict[str, str]:
        """Return the stage of every tool that is known."""
        names = {*self._listed, *self._progress.trials, *self._mined}
        return {name: self._progress.stage(name) for name in sorted(names)}

    def _load(self) -> None:
        self.home.open(self._private, self._given)
        self._progress = StageProgress(self.home.stages(), self.folder, self._thresholds)
        tools = self.folder / TOOLS
        try:
            self._listed = {tool["name"]: tool for tool in json.loads(tools.read_bytes())["tools"]}
            self._read_schemas()
        except FileNotFoundError:
            pass
        except Exception as error:  # noqa: BLE001 - whatever the file holds, the proxy starts
            self._listed = {}
            log.warning("%s cannot be used, and is written anew when tools are listed: %r", tools, error)
        self._read_mined()

    def history(self) -> Iterator[Call]:
        """Yield calls that were recorded before, not all of them; for relations."""
        return self.home.history()

    def known(self) -> list[Any]:
        """Return the tools that were listed before."""
        return list(self._listed.values())

    def _read_schemas(self) -> None:
        self._schemas = schemas_of(self._listed)

    def _read_mined(self) -> bool:
        """Read the contracts that were mined last, here or by another proxy; say whether they are new."""
        path = self.folder / CONTRACTS
        new = self._versions.read()
        changed = path.stat().st_mtime_ns if path.exists() else 0
        if changed in (0, self._mined_at):
            return new
        self._mined_at = changed
        try:
            mined = Registry.load(path)
        except Exception as error:  # noqa: BLE001 - whatever the file holds, the proxy starts
            log.warning("%s; it is mined anew", error)
            return new
        self._mined = {tool: MinedTool(contract) for tool, contract in mined.contracts.items()}
        return True

    def _renew(self) -> None:
        if self._watch is not None:
            self._watch.renew(self.monitor())
            self._try()

    def _try(self) -> None:
        """Have the version that is tried beside the one for all be tried, with what else is known now."""
        watch, tried = self._watch, self._versions.tried
        if watch is None:
            return
        trial = watch.tried
        if tried is None:
            trial = None
        elif trial is not None and trial.is_of(tried):
            trial.monitor = self._monitor(tried.registry.contracts)
        else:
            trial = VersionTrial(tried, self._monitor(tried.registry.contracts), watch)
        if trial is not None:
            trial.monitor.relations = watch.monitor.relations
        watch.tries(self._versions.number, trial)

    def _save_tools(self) -> None:
        with self._lock:
            changed, self._changed = self._changed, False
        if changed:
            self.home.keep_tools(self._listed)

    def _sure(self, tool: str, clause: Clause) -> bool:
        """Say whether a clause was not learned here: it is the server's own, or was given."""
        return clause.source.startswith("schema:") or _holds(self._given, tool, clause)

    def _advises(self, tool: str) -> bool:
        return self._progress.stage(tool) == ADVISING


def _names(tool: str, broken: Broken) -> set[str]:
    return {identify(tool, clause) for clause, _ in broken if clause.kind in KINDS}


def _holds(registry: Registry, tool: str, clause: Clause) -> bool:
    contract = registry.contracts.get(tool)
    return contract is not None and clause in contract.clauses
