"""A monitor of the world as a proxy is one of a server: it watches, records and learns in a folder, by any clock."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.events import Event, Store, Watch
from outcome_monitors.model import Json
from outcome_monitors.proxy.learner import Learner
from outcome_monitors.proxy.recorder import Recorder
from outcome_monitors.proxy.results import ERROR, Result
from outcome_monitors.proxy.stages import ADVISING, Thresholds
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.values.folders import EVENTS, OVERRIDES, TRACES
from outcome_monitors_study.world import DOMAINS, Workflow, World, declared_substitutes, tools_list
from outcome_monitors_study.world.agents import Interface

__all__ = ["SHOP", "LiveMonitor"]

SOON = Thresholds(tasks=5, results=10, calls=10**9, disputed=10**9, early=5)
"""A few days of a small world are less than months of a large one; it is mined once."""
SHOP = frozenset(tool.name for domain in ("retail", "office") for tool in DOMAINS[domain].TOOLS)
"""The tools of a part of the world: few, that are called often."""


class LiveMonitor:
    """A watch, a recorder and a learner on one folder; `clock` says when everything happens."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._learner = Learner(
            folder, None, Relations.declared(declared_substitutes()), thresholds=SOON, clock=clock
        )
        self._learner.listed([tool for tool in tools_list()["tools"] if tool["name"] in SHOP])
        self._clock = clock
        self._recorder = self._recording()
        self._watch = Watch(
            self._learner.monitor(),
            _DatedStore(Store(folder / EVENTS), clock),
            tells=self._learner.tells,
            weighs=self._learner.policy(AlertPolicy(state=folder)),
            overrides=folder / OVERRIDES,
        )
        self._learner.watch = self._watch

    def advises(self, tool: str) -> bool:
        """Say whether agents are told of a tool's results."""
        return self._learner.stages().get(tool) == ADVISING

    def between(
        self, agent: str, run: str, workflow: Workflow, world: World, call: Interface | None = None
    ) -> Interface:
        """Return what an agent calls in one run: the world's tools, or `call` in their place, with this monitor before them."""
        conversation, recording = self._watch.conversation(run), self._recorder.conversation(run)
        recording.client, answers = agent, world.call if call is None else call

        def watched(tool: str, arguments: Mapping[str, Json]) -> Json:
            result = answers(tool, arguments)
            if world.log[-1].failed:
                conversation.skip(tool, ERROR, unchecked="an open failure")
                recording.record(tool, arguments, Result(result, ERROR, failed=True), None)
                return result
            outcome = conversation.look(tool, arguments, result, workflow.tools)
            recording.record(tool, arguments, Result(result), outcome)
            return {"tool_result": result, "outcome_contract": outcome.receipt} if outcome.told else result

        return watched

    def _recording(self) -> Recorder:
        learner = self._learner
        return Recorder(learner.folder / TRACES, learner.wanted, written=learner.written, clock=self._clock)

    def settle(self) -> None:
        """Have what was recorded be written and counted before time goes on."""
        self._recorder.close()
        self._recorder = self._recording()

    def close(self) -> None:
        """Write all that waits, and count what was recorded."""
        self._recorder.close()
        self._watch.close()
        self._learner.close()


class _DatedStore:
    """A store whose events happen when a clock says."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store, self._clock = store, clock

    def put(self, event: Event) -> None:
        self._store.put(event._replace(time=self._clock()))

    def close(self) -> None:
        self._store.close()

    @property
    def lost(self) -> int:
        return self._store.lost
