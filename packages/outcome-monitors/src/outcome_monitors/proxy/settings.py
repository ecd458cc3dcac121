"""What a proxy is told to do, and the desk that does it."""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from outcome_monitors.alerting.alert_policy import AlertPolicy, usual_policy
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.folds import FoldIndex, load_contracts
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events.payloads import Payloads
from outcome_monitors.events.score_services import score_sinks
from outcome_monitors.events.sinks import PAUSE, fanned
from outcome_monitors.events.watch import Watch
from outcome_monitors.exceptions import ContractError, OutcomeMonitorsError
from outcome_monitors.model import Encoder
from outcome_monitors.receipts.mcp import DEFAULT_CARRIER
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.state.address import StateAddress, is_address
from outcome_monitors.state.shared import shared_backend
from outcome_monitors.traces.private import private_paths, redacted

from .desk import Desk, say_goodbye, say_what_was_learned
from .drain import DRAIN
from .keeping import Keeping
from .limits import LARGEST, SECONDS, TimeLimit
from .metrics import LiveTally
from .recorder import Recorder
from .stages import STAGES
from .status import Places, status_of

if TYPE_CHECKING:
    from outcome_monitors.events import Sink

    from .learner import Learner
    from .readiness import Readiness
    from .status_server import StatusServer

__all__ = ["MODES", "Setting"]

MODES = ("observe", "shadow", "advise")
GIVE_WAY = 0.0005


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a proxy is told to do; see `outcome-monitors proxy --help`."""

    contracts: str | None = None
    learn: str | None = None
    mode: Literal["observe", "shadow", "advise"] = "advise"
    record: str | None = None
    relations: str | None = None
    state: str | None = None
    encoder: Encoder = "note"
    carry: str = DEFAULT_CARRIER
    events: tuple[str, ...] = ()
    payloads: bool = False
    redact: tuple[str, ...] = ()
    largest: int = LARGEST
    budget: float = SECONDS
    overrides: str | None = None
    private: tuple[str, ...] = ()
    status: str | None = None
    webhook: tuple[str, ...] = ()
    hook: tuple[str, ...] = ()
    pause: float = PAUSE
    scores: tuple[str, ...] = ()
    drain: float = DRAIN

    def refuse(self) -> None:
        """Refuse what makes no sense together."""
        if self.mode == "observe" and not self.record and not self.learn:
            raise OutcomeMonitorsError(
                "mode observe records traces: name a file with --record, or use --learn"
            )
        if self.mode != "observe" and not self.contracts and not self.learn:
            raise OutcomeMonitorsError("name the contracts with --contracts, or learn them with --learn")
        if self.record and self.learn:
            raise OutcomeMonitorsError("--learn records by itself, in its folder: leave out --record")
        private_paths(self.private)
        for where in (self.learn, self.state):
            if where is not None and is_address(where):
                StateAddress.read(where)
                shared_backend()
        if self.pause < 0:
            raise OutcomeMonitorsError(f"--pause {self.pause} is no number of seconds")
        # What cannot be reached at all is refused before a server is started.
        for _ in self._outgoing():
            pass

    @contextmanager
    def desk(self, *, verbose: bool = False, server: str = "") -> Iterator[Desk]:
        """Open the desk for a server of some name, and close what it writes to; threads start with the first result, or with a fleet."""
        # Whoever writes events or traces gives way to a reply after so long, not after Python's usual 5 ms.
        sys.setswitchinterval(GIVE_WAY)
        logging.basicConfig(
            stream=sys.stderr,
            format="outcome-monitors: %(message)s",
            level=logging.INFO if verbose else logging.WARNING,
        )
        keeping = Keeping(self.learn, self.state, server=server)
        learner = self._learner(keeping)
        recorder = self._recorder(keeping, learner)
        tally = self._tally()
        watch = self._watch(keeping, learner, tally)
        if learner is not None:
            keeping.learns(learner)
        desk = Desk(
            watch,
            recorder=recorder,
            carrier=self.carry,
            budget=TimeLimit(self.budget, self.largest),
            tells=self.mode == "advise",
            as_text=self.encoder == "text",
            listed=None if learner is None else learner.listed,
        )
        # What is there now stays: looking through it for garbage again and again would hold up a call now and then.
        gc.freeze()
        status = self._status(keeping, tally, desk.readiness)
        try:
            yield desk
        finally:
            if status is not None:
                status.close()
            _close_both(recorder, watch)
            if learner is not None:
                learner.close()
            keeping.close()
            say_goodbye(desk)
            if learner is not None:
                say_what_was_learned(desk, learner.stages(), keeping.named)

    def _learner(self, keeping: Keeping) -> Learner | None:
        if keeping.home is None:
            return None
        from .learner import Learner  # noqa: PLC0415 - what mining and schemas need, a proxy that learns nothing need not load

        return Learner(
            keeping.home, self._given(), self._related(), encoder=self.encoder, private=self.private
        )

    def _watch(self, keeping: Keeping, learner: Learner | None, tally: LiveTally | None) -> Watch | None:
        if self.mode == "observe":
            return None
        monitor = (
            Monitor(self._given(), self._related(), encoder=self.encoder)
            if learner is None
            else learner.monitor()
        )
        watch = Watch(
            monitor,
            fanned(keeping.sink(self.events), tally, *self._outgoing()),
            mode=self.mode,
            payloads=Payloads((*self.redact, *redacted(self.private)), keep=self.payloads),
            tells=None if learner is None else learner.tells,
            weighs=usual_policy(monitor.profile, state=keeping.usual())
            if learner is None
            else learner.policy(AlertPolicy(state=keeping.usual())),
            history=None if learner is None else learner.history,
            overrides=self._overrides(keeping),
        )
        if learner is not None:
            sink = watch.sink
            if sink is not None and hasattr(sink, "observe"):
                sink.observe(learner.stages, tuple(STAGES))
            learner.watch = watch
            watch.listed(learner.known(), at_once=False)
        return watch

    def _recorder(self, keeping: Keeping, learner: Learner | None) -> Recorder | None:
        if learner is not None:
            return keeping.recorder(learner, self.private)
        return None if self.record is None else Recorder(self.record, private=self.private)

    def _overrides(self, keeping: Keeping) -> Path | None:
        """Return where decisions stand: where someone says so, or where is learned."""
        return keeping.overrides if self.overrides is None else Path(self.overrides)

    def _tally(self) -> LiveTally | None:
        if self.status is None:
            return None
        return LiveTally()

    def _outgoing(self) -> Iterator[Sink]:
        """Yield what scores results where traces are kept, and what tells people of alarms."""
        yield from score_sinks(self.scores, os.environ)
        if not self.webhook and not self.hook:
            return
        from outcome_monitors.events.alarms import AlarmSink, to_command, to_webhook  # noqa: PLC0415 - only where alarms are sent

        for url in self.webhook:
            yield AlarmSink(to_webhook(url), "alarms to a webhook", self.pause)
        for command in self.hook:
            yield AlarmSink(to_command(command), "alarms to a command", self.pause)

    def _status(self, keeping: Keeping, tally: LiveTally | None, readiness: Readiness) -> StatusServer | None:
        if self.status is None:
            return None
        from .status_server import StatusServer  # noqa: PLC0415 - only where someone asks, and it loads a server

        return StatusServer(self.status, lambda: status_of(self.places(keeping)), tally, readiness)

    def places(self, keeping: Keeping | None = None) -> Places:
        """Return the files, and the store of a fleet, that the status is read off."""
        keeping = Keeping(self.learn, self.state) if keeping is None else keeping
        stores = [
            Path(where) for where in self.events if where.endswith((".sqlite", ".sqlite3", ".db", ".jsonl"))
        ]
        named = stores[0] if stores else None
        if keeping.home is not None:
            places = keeping.places()
            return replace(
                places,
                events=named if self.events else places.events,
                overrides=self._overrides(keeping),
                changes=keeping.changes() or places.changes,
            )
        return Places(
            events=named if self.events else keeping.store(),
            contracts=None if self.contracts is None else Path(self.contracts),
            changes=keeping.changes(),
            overrides=self._overrides(keeping),
            stage="advising" if self.mode == "advise" else "shadow",
        )

    def _given(self) -> Registry:
        if self.contracts is None:
            return Registry()
        found = load_contracts(self.contracts)
        if isinstance(found, FoldIndex):
            raise ContractError(f"{self.contracts} is an index of folds; name a contract file")
        return found

    def _related(self) -> Relations | None:
        if self.relations is None:
            return None
        return Relations.load(self.relations)


def _close_both(recorder: Recorder | None, watch: Watch | None) -> None:
    """Write the traces and the events that wait, at the same time: each may wait for a database."""
    other = threading.Thread(target=recorder.close) if recorder is not None else None
    if other is not None:
        other.start()
    if watch is not None:
        watch.close()
    if other is not None:
        other.join()
