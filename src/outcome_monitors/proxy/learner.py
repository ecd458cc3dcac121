"""Learning beside a running proxy: contracts from the server's schemas at once, from its traffic as evidence suffices.

A state folder holds all of it, and several proxies may share one: recorded traffic (`traces/`), the tools last listed
(`tools.json`), the contracts mined last (`contracts.json`), and how far each tool has come (`stages.sqlite`). Nothing here
happens on the way of a reply: what takes time is done on the recorder's thread, or by a process of its own.
"""

import json
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.policy import Policy
from outcome_monitors.contracts.identity import identify
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import Watch
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Broken, Call, Clause, Encoder, Outcome
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.rules import KINDS
from outcome_monitors.traces.private import private_paths
from outcome_monitors.traces.reader import read_traces
from outcome_monitors.values.files import private_folder, write_atomically
from outcome_monitors.values.folders import GIVEN, STAGES as STAGES_FILE, TOOLS

from .miner import CONTRACTS, PROGRAM, keep_private
from .progress import StageProgress
from .recorder import TRACES, Clock
from .restraint import Restraint
from .results import Result
from .stages import ADVISING, OBSERVING, Thresholds
from .state_folder import schemas_of
from .trials import MinedTool
from .witnesses import hour_of

__all__ = ["Learner"]

log = logging.getLogger("outcome_monitors.proxy")

WOULD_BE_TOLD = frozenset({"", "in shadow", "no receipt"})
"""Why an agent is not told of what it would be told of at another stage or in another mode."""
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
        encoder: Encoder = "note",
        thresholds: Thresholds | None = None,
        clock: Clock = time.time,
        private: Collection[str] = (),
    ) -> None:
        self.folder = folder
        self.watch: Watch | None = None
        self.clock = clock
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
        self._lock = threading.Lock()
        self._private = private_paths(private)
        self._load()

    def monitor(self) -> Monitor:
        """Return a monitor of all that is known now."""
        learned = {
            tool: mined.contract
            for tool, mined in self._mined.items()
            if self._progress.stage(tool) != OBSERVING
        }
        registry = self._given.merge(self._schemas).merge(Registry(learned, "full" if learned else ""))
        return Monitor(registry, self._relations, encoder=self._encoder)

    def policy(self, weighs: Policy) -> Policy:
        """Return a policy that tells what another one does, of that what is proven, and of tools that are advising."""
        return Restraint(weighs, sure=self._sure, in_force=self._progress.in_force, advises=self._advises)

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
        if outcome.checked and not outcome.since and self._progress.stage(tool) != OBSERVING:
            client, hour = str(call.extra.get("client") or ""), hour_of(self.clock())
            self._progress.saw(
                tool, client, hour, _names(tool, outcome.broken), () if sure else _names(tool, told)
            )
        return not sure

    def written(self, lines: int) -> None:
        """Look, on the recorder's thread, whether there is something to do."""
        try:
            self._save_tools()
            new = self._read_mined()
            if self._progress.written(lines, self._mined) or new:
                self._renew()
            if self._idle() and self._progress.due(self._thresholds):
                self._mine()
        except Exception as error:  # noqa: BLE001 - whatever the folder holds, what is written is written
            self._progress.trouble(error)

    def close(self) -> None:
        """Save; a miner that is at work finishes by itself, so that short conversations are learned from too."""
        try:
            self._save_tools()
            self._progress.save()
        except Exception as error:  # noqa: BLE001 - the same
            self._progress.trouble(error)
            log.warning("what was learned last could not be saved: %s", error)

    def stages(self) -> dict[str, str]:
        """Return the stage of every tool that is known."""
        names = {*self._listed, *self._progress.trials, *self._mined}
        return {name: self._progress.stage(name) for name in sorted(names)}

    def _load(self) -> None:
        try:
            private_folder(self.folder)
            _make_room(self.folder / TRACES)
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot learn in {self.folder}: {error}") from None
        keep_private(self.folder, self._private)
        self._keep_given()
        self._progress = StageProgress(self.folder / STAGES_FILE, self._thresholds)
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

    def _keep_given(self) -> None:
        """Write the contracts that were given to where people look for what an alarm names."""
        file, text = self.folder / GIVEN, self._given.dumps()
        try:
            if self._given.contracts and not (file.exists() and file.read_text(encoding="utf-8") == text):
                write_atomically(file, text, private=True)
        except (OSError, ValueError, OutcomeMonitorsError) as error:
            log.warning("%s could not be written, and its clauses can be named by nobody: %s", file, error)

    def history(self) -> Iterator[Call]:
        """Yield calls that were recorded before, those of the newest file; for relations."""
        files = sorted((self.folder / TRACES).glob("*.jsonl"))
        return (call for call in read_traces(files[-1:]) if not call.error and not call.extra.get("flagged"))

    def known(self) -> list[Any]:
        """Return the tools that were listed before."""
        return list(self._listed.values())

    def _read_schemas(self) -> None:
        self._schemas = schemas_of(self._listed)

    def _read_mined(self) -> bool:
        """Read the contracts that were mined last, here or by another proxy; say whether they are new."""
        path = self.folder / CONTRACTS
        changed = path.stat().st_mtime_ns if path.exists() else 0
        if changed in (0, self._mined_at):
            return False
        self._mined_at = changed
        try:
            mined = Registry.load(path)
        except Exception as error:  # noqa: BLE001 - whatever the file holds, the proxy starts
            log.warning("%s; it is mined anew", error)
            return False
        self._mined = {tool: MinedTool(contract) for tool, contract in mined.contracts.items()}
        return True

    def _renew(self) -> None:
        if self.watch is not None:
            self.watch.renew(self.monitor())

    def _save_tools(self) -> None:
        with self._lock:
            changed, self._changed = self._changed, False
        if changed:
            write_atomically(
                self.folder / TOOLS, json.dumps({"tools": list(self._listed.values())}), private=True
            )

    def _sure(self, tool: str, clause: Clause) -> bool:
        """Say whether a clause was not learned here: it is the server's own, or was given."""
        return clause.source.startswith("schema:") or _holds(self._given, tool, clause)

    def _advises(self, tool: str) -> bool:
        return self._progress.stage(tool) == ADVISING

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


def _names(tool: str, broken: Broken) -> set[str]:
    return {identify(tool, clause) for clause, _ in broken if clause.kind in KINDS}


def _holds(registry: Registry, tool: str, clause: Clause) -> bool:
    contract = registry.contracts.get(tool)
    return contract is not None and clause in contract.clauses


def _make_room(traces: Path) -> None:
    """Make the folder of traces; what is none and stands in its place is put aside: the proxy starts."""
    try:
        private_folder(traces)
    except FileExistsError:
        aside = traces.with_name(f"{traces.name}.torn")
        traces.replace(aside)
        log.warning("%s is no folder: it is now %s, and another is begun", traces, aside)
        private_folder(traces)
