# ruff: noqa: D102 - what each verb does is said in LearningFolder
"""A process that learns in a fleet: what it counts and records goes to the fleet's PostgreSQL, what it knows comes from a copy of it.

Results wait for neither. Contracts are not mined here: `outcome-monitors learn` does that for all hosts.
"""

import atexit
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import private_folder
from outcome_monitors.learning.rollout_store import RolloutStore
from outcome_monitors.learning.status import StatusSource
from outcome_monitors.learning.storage import Joined, LearningFolder, with_paths
from outcome_monitors.model import Call
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.labels import NO_LABELS, Labels
from outcome_monitors.storage.layout import GIVEN, PRIVATE, STAGES
from outcome_monitors.storage.tables import Tables
from outcome_monitors.traces.reader import call_from_json

from .connections import SharedConnection
from .counts import SharedChanges, SharedTables
from .documents import join, with_contracts
from .postgres import Postgres
from .replica import Replica, copied_at
from .writers import SharedStore, SharedTraces

if TYPE_CHECKING:
    from outcome_monitors.learning.learner import Learner

log = logging.getLogger("outcome_monitors.mcp")

FIRST_LOOK = 1.0
"""Seconds that a host without a copy waits for one when it starts."""
RECENT = 1500
"""Calls that relations are made of at the start."""


class Fleet(LearningFolder):
    """A process's part in a fleet, and where its learner keeps what it learns."""

    def __init__(
        self, address: StateAddress, labels: Labels | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.labels = address.labels.over(NO_LABELS if labels is None else labels)
        # What is written bears the labels; what is seen is all of the fleet's.
        self.state = Postgres(replace(address, labels=NO_LABELS), clock)
        # An address may hold a password: it is shown to nobody.
        super().__init__(self.state.folder, "postgresql://…")
        # By the database's clock: hosts whose clocks differ are no witnesses of different hours.
        self.clock = self.state.now
        try:
            private_folder(self.folder)
        except OSError as error:
            raise OutcomeMonitorsError(
                f"the copy of {address} cannot be kept in {self.folder}: {error}"
            ) from None
        self._stages = SharedTables(self.folder / STAGES)
        self.rollout = RolloutStore(self._stages)
        self._news: dict[str, Joined] = {}
        """What is to be put into documents."""
        self._lock = threading.Lock()
        self._learner: Learner | None = None
        self._changes: SharedChanges | None = None
        self.replica = Replica(self.state, self.folder, (self._put_news, self._learn, self._exchange))

    def start(self) -> None:
        """Follow the fleet; what is known there is known here at once, or, where that takes long, a little later."""
        self.replica.start(FIRST_LOOK if copied_at(self.folder) is None else 0.0)
        atexit.register(self.close)

    def close(self) -> None:
        atexit.unregister(self.close)
        self.replica.close()
        self.state.close()

    def attach(self, learner: "Learner") -> None:
        log.warning(
            "what is learned is kept at %s; contracts are mined there by `outcome-monitors learn`", self.state
        )
        self._learner = learner

    def written(self, _catch_up: Callable[[], None]) -> None:
        self.replica.go_on()

    def usual(self) -> Tables:
        if self._changes is None:
            self._changes = SharedChanges(self.folder)
        return self._changes.table

    def status_source(self) -> StatusSource:
        self.state.trouble = self.replica.trouble
        return StatusSource.of(self.state)

    def events(self) -> SharedStore:
        return SharedStore(self.state, self.labels)

    def traces(self) -> SharedTraces:
        return SharedTraces(self.state, self.labels)

    def open(self, private: tuple[str, ...], given: Registry) -> None:
        if private:
            self.change(PRIVATE, lambda before: with_paths(before, private))
        if given.contracts:
            self.change(GIVEN, lambda before: with_contracts(before, given))

    def change(self, name: str, joined: Joined) -> None:
        with self._lock:
            self._news[name] = joined

    def mine(self, _due: Callable[[], bool]) -> None:
        """Leave that to the job."""

    def save(self, _counts: Callable[[], object]) -> None:
        """Leave that to the last round (`close`)."""

    def history(self) -> Iterator[Call]:
        try:
            with self.state.reading() as shared:
                rows = shared.select("traces", "line", newest=True, most=RECENT)
        except OutcomeMonitorsError as error:
            log.info("relations are made without what was recorded: %s", error)
            return
        for row in reversed(rows):
            call = call_from_json(json.loads(row["line"]))
            if not call.error and not call.extra.get("flagged"):
                yield call

    def _put_news(self, shared: SharedConnection) -> None:
        with self._lock:
            news, self._news = self._news, {}
        try:
            while news:
                name = next(iter(news))
                join(
                    shared,
                    self.state.address.schema,
                    name,
                    news[name],
                    f"a proxy {self.labels.server}".strip(),
                )
                del news[name]
        finally:
            with self._lock:
                self._news = {**news, **self._news}

    def _learn(self, shared: SharedConnection) -> None:
        if self._learner is not None:
            with self._stages.on(shared):
                self._learner.catch_up()

    def _exchange(self, shared: SharedConnection) -> None:
        if self._changes is not None:
            self._changes.exchange(shared)
