"""What an adapter is opened with: contracts, a file to record to, or a folder to learn in.

OutcomeMiddleware(record="traces.jsonl")     every result is recorded, nothing is checked
OutcomeMiddleware("contracts.json")          every result is checked
OutcomeMiddleware(learn="folder")            both, from nothing: what `proxy --learn` does
"""

import os
import threading
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, TypeVar

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import Payloads, Watch
from outcome_monitors.events.runs import Runs
from outcome_monitors.events.scores import NO_SERVICE, score_sinks
from outcome_monitors.events.stores import fanned
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.learner import open_learning
from outcome_monitors.learning.recorder import Recorder, Recording, ToolResult
from outcome_monitors.learning.storage import StorageConfig
from outcome_monitors.model import Json, Outcome
from outcome_monitors.state.opening import absolute
from outcome_monitors.traces.private import private_paths, redacted
from outcome_monitors.values.files import FilePath

__all__ = ["CallRecorder", "LearnIn", "Opened", "Watched", "opened"]

Watched = Watch | FilePath
"""A watch, or the contract file that one is opened by."""

T = TypeVar("T")

_lock = threading.Lock()
_by_file: dict[str, "CallRecorder"] = {}
_by_folder: dict[str, "Opened"] = {}
"""What is open in this process: several adapters may record to one file, and learn in one folder."""


class LearnIn(os.PathLike[str]):
    """A folder to learn in, and more to say of it: which values are kept nowhere, where decisions stand if not in it, where results are scored."""

    def __init__(
        self,
        folder: FilePath,
        *,
        private: Collection[str] = (),
        overrides: FilePath | None = None,
        scores: Collection[str] = (NO_SERVICE,),
    ) -> None:
        self.private = private_paths(private)
        self.overrides = overrides
        self.scores = scores
        self._folder = os.fspath(folder)

    def __fspath__(self) -> str:
        return self._folder


class CallRecorder:
    """Records calls, each run as a session of its own."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._runs: Runs[Recording] = Runs(recorder.conversation)

    def record(
        self, run: str | None, tool: str, arguments: Mapping[str, Json], value: Json, outcome: Outcome | None
    ) -> None:
        """Record a call of a run, by the name that its events have."""
        self._runs.of(run).record(tool, arguments, ToolResult(value), outcome)


class Opened(NamedTuple):
    """What looks at results, and what records them."""

    watch: Watch
    recorder: CallRecorder | None = None


def opened(watch: Watched | None, record: FilePath | None, learn: FilePath | None) -> Opened:
    """Open what an adapter was told to do; refuse what makes no sense together."""
    if learn is not None:
        if record is not None or isinstance(watch, Watch):
            raise OutcomeMonitorsError(
                "learn records and watches by itself, in its folder: leave out record, and the watch"
            )
        folder = absolute(learn)
        contracts = None if watch is None else os.fspath(watch)
        more = learn if isinstance(learn, LearnIn) else LearnIn(folder)
        return _once(_by_folder, folder, lambda: _learning(folder, contracts, more))
    if watch is None and record is None:
        raise OutcomeMonitorsError(
            'name the contracts ("contracts.json"), a file to record to (record="traces.jsonl") or a folder to learn in (learn="folder")'
        )
    if watch is None:
        # Nothing is known yet, so there is nothing to say.
        watch = Watch(Monitor(Registry()), mode="shadow")
    recorder = None
    if record is not None:
        path = os.path.abspath(record)  # noqa: PTH100 - as above
        recorder = _once(_by_file, path, lambda: CallRecorder(Recorder(path)))
    return Opened(watch if isinstance(watch, Watch) else Watch.open(watch), recorder)


def _once(table: dict[str, T], key: str, make: Callable[[], T]) -> T:
    with _lock:
        if key not in table:
            table[key] = make()
        return table[key]


def _learning(where: str, contracts: str | None, more: LearnIn) -> Opened:
    given = None if contracts is None else Registry.load(contracts)
    storage = StorageConfig(where)
    learning = open_learning(
        storage,
        given,
        sink=fanned(storage.sink(), *score_sinks(more.scores, os.environ)),
        private=more.private,
        payloads=Payloads(redacted(more.private), keep=False),
        overrides=more.overrides,
    )
    assert learning.watch is not None
    return Opened(learning.watch, CallRecorder(learning.recorder))
