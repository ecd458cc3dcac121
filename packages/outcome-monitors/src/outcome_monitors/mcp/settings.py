"""What a proxy is told to do, and the context that does it."""

import logging
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.events import Sink
from outcome_monitors.events.alarms import PAUSE, AlarmSink, to_command, to_webhook
from outcome_monitors.events.payloads import Payloads
from outcome_monitors.events.scores import score_sinks
from outcome_monitors.events.sinks import fanned
from outcome_monitors.events.watch import Watch
from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError
from outcome_monitors.learning.learner import Learner, open_learning
from outcome_monitors.learning.recorder import Recorder
from outcome_monitors.learning.rollout import STAGES
from outcome_monitors.learning.status import StatusSource, status_of
from outcome_monitors.learning.storage import StorageConfig
from outcome_monitors.model import Encoder
from outcome_monitors.receipts.mcp import DEFAULT_CARRIER
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.storage.opening import refuse_unusable
from outcome_monitors.traces.private import private_paths, redacted

from .context import LARGEST, SECONDS, ProxyContext, TimeLimit, log_learned, log_totals
from .shutdown import DRAIN
from .status_server import StatusServer

MODES = ("observe", "shadow", "advise")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxySettings:
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
    timeout: float = SECONDS
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
        if self.record and self.learn:
            raise OutcomeMonitorsError("--learn records by itself, in its folder: leave out --record")
        private_paths(self.private)
        for where in (self.learn, self.state):
            if where is not None:
                refuse_unusable(where)
        if self.pause < 0:
            raise OutcomeMonitorsError(f"--pause {self.pause} is no number of seconds")
        # What cannot be reached at all is refused before a server is started.
        for _ in self._outgoing():
            pass

    @contextmanager
    def context(self, *, verbose: bool = False, server: str = "") -> Iterator[ProxyContext]:
        """Open the context for a server of some name, and close what it writes to."""
        # Whoever writes events or traces gives way to a reply after so long, not after Python's usual 5 ms.
        sys.setswitchinterval(0.0005)
        logging.basicConfig(
            stream=sys.stderr,
            format="outcome-monitors: %(message)s",
            level=logging.INFO if verbose else logging.WARNING,
        )
        storage = StorageConfig(self.learn, self.state, server=server)
        metrics = None if self.status is None else _event_metrics()
        learner, recorder, watch = self._open(storage, metrics)
        context = ProxyContext(
            watch,
            recorder=recorder,
            carrier=self.carry,
            limit=TimeLimit(self.timeout, self.largest),
            alerts=self.mode == "advise",
            as_text=self.encoder == "text",
            listed=None if learner is None else learner.listed,
        )
        status = None
        if self.status is not None:
            # The store that no one has named is that of all the machine's servers.
            apart = storage.learning is None and not self.events
            status = StatusServer(
                self.status,
                lambda: status_of(
                    replace(self.status_source(storage), tools=context.called if apart else None)
                ),
                metrics,
                context.readiness,
            )
        try:
            yield context
        finally:
            if status is not None:
                status.close()
            _close_both(recorder, watch)
            if learner is not None:
                learner.close()
            storage.close()
            log_totals(context)
            if learner is not None:
                log_learned(context, learner.stages(), learner.storage.named)

    def status_source(self, storage: StorageConfig | None = None) -> StatusSource:
        """Return the files, and the store of a fleet, that the status is read off."""
        storage = StorageConfig(self.learn, self.state) if storage is None else storage
        stores = [where for where in self.events if where.endswith((".sqlite", ".sqlite3", ".db", ".jsonl"))]
        source = storage.status_source()
        source = replace(source, overrides=self._overrides(storage), changes=storage.changes())
        if self.events:
            source = replace(source, events=Path(stores[0]) if stores else None)
        if storage.learning is not None:
            return source
        contracts = None if self.contracts is None else Path(self.contracts)
        return replace(source, contracts=contracts, stage="advising" if self.mode == "advise" else "shadow")

    def _open(
        self, storage: StorageConfig, metrics: Sink | None
    ) -> tuple[Learner | None, Recorder | None, Watch | None]:
        """Open what learns, what records and what checks."""
        observes = self.mode == "observe"
        sink = None if observes else fanned(storage.sink(self.events), metrics, *self._outgoing())
        payloads = Payloads((*self.redact, *redacted(self.private)), keep=self.payloads)
        overrides = self._overrides(storage)
        if storage.learning is not None:
            learner, recorder, watch = open_learning(
                storage,
                None if self.contracts is None else load_contracts(self.contracts),
                None if self.relations is None else Relations.load(self.relations),
                mode=self.mode,
                sink=sink,
                encoder=self.encoder,
                private=self.private,
                payloads=payloads,
                overrides=overrides,
            )
            if watch is not None:
                if sink is not None and hasattr(sink, "observe"):
                    sink.observe(learner.stages, tuple(STAGES))
                watch.listed(learner.known(), at_once=False)
            return learner, recorder, watch
        recorded = None if self.record is None else Recorder(self.record, private=self.private)
        if self.mode == "observe":
            return None, recorded, None
        watch = Watch.open(
            self.contracts,
            relations=self.relations,
            events=sink,
            mode=self.mode,
            encoder=self.encoder,
            payloads=payloads,
            state=storage.usual(),
            overrides=overrides,
        )
        return None, recorded, watch

    def _overrides(self, storage: StorageConfig) -> Path | None:
        """Return where decisions stand: where someone says so, or where is learned."""
        return storage.overrides if self.overrides is None else Path(self.overrides)

    def _outgoing(self) -> Iterator[Sink]:
        """Yield what scores results where traces are kept, and what tells people of alarms."""
        yield from score_sinks(self.scores, os.environ)
        for url in self.webhook:
            yield AlarmSink(to_webhook(url), "alarms to a webhook", self.pause)
        for command in self.hook:
            yield AlarmSink(to_command(command), "alarms to a command", self.pause)


def _event_metrics() -> Sink | None:
    """Return what counts events for Prometheus, where its client is installed."""
    try:
        from outcome_monitors.events.prometheus import EventMetrics  # noqa: PLC0415 - an extra
    except MissingExtra:
        return None
    return EventMetrics()


def _close_both(recorder: Recorder | None, watch: Watch | None) -> None:
    """Write the traces and the events that wait, at the same time: each may wait for a database."""
    other = threading.Thread(target=recorder.close) if recorder is not None else None
    if other is not None:
        other.start()
    if watch is not None:
        watch.close()
    if other is not None:
        other.join()
