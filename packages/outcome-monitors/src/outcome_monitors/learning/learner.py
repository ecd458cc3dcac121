"""Learning beside a running proxy or adapter: contracts from the server's schemas at once, from its traffic as evidence suffices.

A folder holds all of it, and several processes may share one: recorded traffic (`traces/`), the tools last listed (`tools.json`), the
contracts mined last (`contracts.json`), and the rollout (`stages.sqlite`). Nothing here happens on the way of a reply: what takes
time is done on the recorder's thread, or by a process of its own.
"""

import json
import logging
import threading
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.alerting.policy import AlertContext, AlertDecision, Detection, Policies, Policy
from outcome_monitors.alerting.suppression import LiveOverrides, SuppressionPolicy
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.identity import address, identify
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.version import version_number
from outcome_monitors.events import Payloads, Sink, Watch
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath, refuse_special
from outcome_monitors.model import Broken, Call, Clause, Encoder, Outcome
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.session import SessionKind
from outcome_monitors.rules.built_in import SOURCE
from outcome_monitors.storage.layout import CONTRACTS, HISTORY, TOOLS, VERSION
from outcome_monitors.traces.private import private_paths

from .folder import schemas_of
from .progress import RolloutProgress
from .recorder import Clock, Recorder, ToolResult
from .rollout import ADVISING, MinedTool, Thresholds
from .storage import LearningFolder, StorageConfig

log = logging.getLogger("outcome_monitors.mcp")

WOULD_BE_ALERTED = frozenset({"", "in shadow", "no receipt"})
"""Why an agent is not alerted of what it would be alerted of at another stage or in another mode."""


class Learner:
    """What is known of a server's tools, and how it grows."""

    def __init__(
        self,
        storage: Path | LearningFolder,
        given: Registry | None = None,
        relations: Relations | None = None,
        *,
        encoder: Encoder = "note",
        thresholds: Thresholds | None = None,
        clock: Clock | None = None,
        private: Collection[str] = (),
    ) -> None:
        self.storage = LearningFolder(storage) if isinstance(storage, Path) else storage
        self.folder = self.storage.folder
        self.clock = self.storage.clock if clock is None else clock
        self._given = self._from_history() if given is None else given
        self._relations, self._encoder = relations, encoder
        self._thresholds = Thresholds() if thresholds is None else thresholds
        self._watch: Watch | None = None
        self._listed: dict[str, Any] = {}
        self._changed = False
        self._schemas = Registry()
        self._mined: dict[str, MinedTool] = {}
        self._version: int | None = None
        self._stamps = (0, 0), (0, 0)
        self._new = False
        """Contracts were read that nobody was told of."""
        self._lock = threading.Lock()
        self.storage.open(private_paths(private), self._given)
        self.progress = RolloutProgress(self.storage.rollout, self.folder, self._thresholds)
        self._load_tools()
        self._read_mined()

    def attach(self, watch: Watch | None) -> None:
        """Begin to follow what others learn, and have a watch check by it."""
        self._watch = watch
        self._renew()
        self.storage.attach(self)

    def monitor(self) -> Monitor:
        """Return a monitor of all that is known now."""
        known = self.progress.tools
        learned = {tool: mined.contract for tool, mined in self._mined.items() if tool in known}
        registry = self._given.merge(self._schemas).merge(Registry(learned, "full" if learned else ""))
        return Monitor(registry, self._relations, encoder=self._encoder)

    def policies(self, *policies: Policy) -> Policies:
        """Return policies that alert of what others do, of that what is proven, and of tools that are advising."""
        gate = RolloutGate(self)
        return (gate.proven, *policies, gate.advising)

    def is_given(self, tool: str, clause: Clause) -> bool:
        """Say whether a clause was not learned here: it is built-in, the server's own, or was given."""
        known = clause.source == SOURCE or clause.source.startswith("schema:")
        return known or clause in self.given(tool)

    def given(self, tool: str) -> Collection[Clause]:
        """Return the clauses of a tool that were given: what they say holds until a person decides otherwise."""
        contract = self._given.contracts.get(tool)
        return () if contract is None else contract.clauses

    def advises(self, tool: str) -> bool:
        """Say whether a tool is at the last stage."""
        return self.progress.stage(tool) == ADVISING

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
            self._schemas = schemas_of(self._listed)
            self._renew()

    def admits(self, call: Call, result: ToolResult, outcome: Outcome | None) -> bool:
        """Say whether a result may be learned from: not where it breaks what was given; and count it for the rollout."""
        if outcome is None or result.failed:
            return True
        tool = call.tool
        alerted = outcome.proven if outcome.broken and outcome.untold in WOULD_BE_ALERTED else ()
        given = bool(alerted) and any(self.is_given(tool, clause) for clause, _ in alerted)
        # An outage is no reason to doubt a contract, nor to trust it.
        if tool in self.progress.tools and not outcome.why and not outcome.since:
            client, hour = str(call.extra["client"]), int(self.clock() // 3600)
            broken = _names(tool, outcome.broken) if outcome.broken else ()
            told = _names(tool, alerted) if alerted and not given else ()
            self.progress.count(tool, client, hour, broken, told)
        return not given

    def written(self, lines: int) -> None:
        """Count calls that were recorded, and look, on the recorder's thread, whether there is something to do."""
        self.progress.recorded(lines)
        try:
            self.storage.written(self.catch_up)
        except Exception as error:  # noqa: BLE001 - whatever the folder holds, what is written is written
            self.progress.trouble(error)

    def catch_up(self) -> None:
        """Look whether there is something to do: tools to keep, contracts that are new, evidence that suffices."""
        self._save_tools()
        self._new = self._read_mined() or self._new
        new, self._new = self._new, False
        if self.progress.update(self._mined) or new:
            self._renew()
        self.storage.mine(self.progress.due)

    def close(self) -> None:
        """Save; a miner that is at work finishes by itself, so that short conversations are learned from too."""
        try:
            self._save_tools()
            self.storage.save(self.progress.save)
        except Exception as error:  # noqa: BLE001 - the same
            self.progress.trouble(error)
            log.warning("what was learned last could not be saved: %s", error)

    def stages(self) -> dict[str, str]:
        """Return the stage of every tool that is known."""
        names = {*self._listed, *self.progress.tools, *self._mined}
        return {name: self.progress.stage(name) for name in sorted(names)}

    def history(self) -> Iterator[Call]:
        """Yield calls that were recorded before, not all of them; for relations."""
        return self.storage.history()

    def known(self) -> list[Any]:
        """Return the tools that were listed before."""
        return list(self._listed.values())

    def _from_history(self) -> Registry:
        """Return what was learned elsewhere before."""
        file = self.folder / HISTORY
        try:
            return Registry.load(file) if file.exists() else Registry()
        except OutcomeMonitorsError as error:
            log.warning("%s; it is left out", error)
            return Registry()

    def _load_tools(self) -> None:
        file = self.folder / TOOLS
        try:
            refuse_special(file)
            self._listed = {tool["name"]: tool for tool in json.loads(file.read_bytes())["tools"]}
            self._schemas = schemas_of(self._listed)
        except FileNotFoundError:
            pass
        except Exception as error:  # noqa: BLE001 - whatever the file holds, the proxy starts
            self._listed = {}
            log.warning("%s cannot be used, and is written anew when tools are listed: %r", file, error)

    def _read_mined(self) -> bool:
        """Read the contracts that were mined last, here or by another proxy, and which version they are; say whether they are new."""
        path, named = self.folder / CONTRACTS, self.folder / VERSION
        stamps = _stamp(path), _stamp(named)
        if not path.exists() or stamps == self._stamps:
            return False
        self._stamps = stamps
        try:
            refuse_special(path)
            mined = Registry.load(path)
            self._version = (
                version_number(named.read_text("utf-8"), path.read_bytes()) if named.exists() else None
            )
        except Exception as error:  # noqa: BLE001 - whatever the file holds, the proxy starts
            log.warning("%s; it is mined anew", error)
            return False
        self._mined = {tool: MinedTool(contract) for tool, contract in mined.contracts.items()}
        return True

    def _renew(self) -> None:
        if self._watch is not None:
            self._watch.renew(self.monitor(), self._version)

    def _save_tools(self) -> None:
        with self._lock:
            changed, self._changed = self._changed, False
        if changed:
            self.storage.write_tools(self._listed)


class Learning(NamedTuple):
    """What checks, records and learns, opened together."""

    learner: Learner
    recorder: Recorder
    watch: Watch | None
    """None where results are recorded alone."""


def open_learning(
    storage: StorageConfig,
    given: Registry | None = None,
    relations: Relations | None = None,
    *,
    mode: Literal["observe", "shadow", "advise"] = "advise",
    sink: Sink | None = None,
    encoder: Encoder = "note",
    private: Collection[str] = (),
    payloads: Payloads | None = None,
    overrides: FilePath | None = None,
) -> Learning:
    """Open what learns where a storage is; decisions stand there too, unless in `overrides`."""
    assert storage.learning is not None
    learner = Learner(storage.learning, given, relations, encoder=encoder, private=private)
    recorder = Recorder(
        storage.learning.traces(),
        learner.admits,
        written=learner.written,
        clock=learner.clock,
        private=private,
    )
    watch, decided = None, storage.overrides if overrides is None else overrides
    if mode != "observe":
        watch = Watch(
            learner.monitor(),
            sink,
            mode=mode,
            payloads=payloads,
            policies=learner.policies(
                *([] if decided is None else [SuppressionPolicy(LiveOverrides(decided))]),
                AlertPolicy(state=storage.usual()),
            ),
            history=learner.history,
        )
    learner.attach(watch)
    return Learning(learner, recorder, watch)


class RolloutGate:
    """Two policies around the one that computes odds: violations of proven clauses alone, and alerts of advising tools alone.

    The policy between them goes on observing a tool that is back in shadow: so the share of its results that it would be alerted of is
    known, and it can return.
    """

    def __init__(self, learner: Learner) -> None:
        self._learner = learner

    def proven(self, detection: Detection, _context: AlertContext) -> AlertDecision:
        """Leave what was given, or violates the version of its clause that is in force, too."""
        in_force = self._learner.progress.in_force(detection.tool)
        left = tuple([one for one in detection.broken if self._stands(detection, one.clause, in_force)])
        contract = self._learner.given(detection.tool)
        standing = [address(detection.tool, one.clause) for one in left if one.clause in contract]
        return AlertDecision(left, "" if left else "not proven", faults=frozenset(standing))

    def advising(self, detection: Detection, context: AlertContext) -> AlertDecision:
        """Suppress what was learned of a tool that is not advising."""
        # A tool that gives no answer at all is not what a contract is to be doubted for.
        if context.decision.since or self._learner.advises(detection.tool):
            return AlertDecision(detection.broken)
        given = tuple([one for one in detection.broken if self._learner.is_given(detection.tool, one.clause)])
        return AlertDecision(given) if given else AlertDecision(detection.broken, "in shadow")

    def _stands(self, detection: Detection, clause: Clause, in_force: Mapping[str, Clause]) -> bool:
        if clause.kind not in KINDS:
            # That it is another tool's answer is known from all contracts together.
            return self._learner.advises(detection.tool)
        if self._learner.is_given(detection.tool, clause):
            return True
        held = in_force.get(identify(detection.tool, clause))
        if held is None:
            return False
        kind = KINDS[held.kind]
        if held.params == clause.params or isinstance(kind, SessionKind):
            return True
        try:
            return next(iter(kind.check(held, detection.arguments, detection.result)), None) is not None
        except Exception:
            log.exception("a clause of %r in force could not be checked", detection.tool)
            return False


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _names(tool: str, broken: Broken) -> set[str]:
    return {identify(tool, clause) for clause, _ in broken if clause.kind in KINDS}
