"""What every adapter does with a call: observe its result, hand it on, and keep its own trouble to itself.

OutcomeMiddleware(record="traces.jsonl")     every result is recorded, nothing is checked
OutcomeMiddleware("contracts.json")          every result is checked
OutcomeMiddleware(learn="folder")            both, from nothing: what `proxy --learn` does
"""

import logging
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple, TypeVar

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import Payloads, Watch
from outcome_monitors.events.runs import Runs
from outcome_monitors.events.scores import NO_SERVICE, score_sinks
from outcome_monitors.events.sinks import fanned
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath
from outcome_monitors.jsonvalue.canonical import NOT_JSON, arguments_of, canonical
from outcome_monitors.learning.learner import open_learning
from outcome_monitors.learning.recorder import Recorder, Recording, ToolResult
from outcome_monitors.learning.storage import StorageConfig
from outcome_monitors.model import Json, Unchecked
from outcome_monitors.receipts.carriers import Carry
from outcome_monitors.storage.opening import absolute
from outcome_monitors.traces.private import private_paths, redacted

__all__ = ["REPORTED", "UNREADABLE", "LearnIn", "Opened", "ToolCallObserver", "Watched", "opened", "safely"]

log = logging.getLogger("outcome_monitors")

Watched = Watch | FilePath
"""A watch, or the contract file that one is opened by."""
T = TypeVar("T")

UNREADABLE = "the result is not JSON"
REPORTED = "the tool reported an error"


def safely(otherwise: T, work: Callable[..., T], *arguments: Any) -> T:
    """Return what our own work gives, or, where that goes wrong, what there was without it."""
    try:
        return work(*arguments)
    except Exception:
        log.exception("an adapter failed; the result is passed on unmodified")
        return otherwise


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


class ToolCallObserver:
    """Observes calls for an adapter. No method raises, but for what the tool itself raised."""

    def __init__(
        self, watch: Watched | None, *, record: FilePath | None = None, learn: FilePath | None = None
    ) -> None:
        self.watch, self._recordings = opened(watch, record, learn)

    def listed(self, tools: Iterable[Any], described: Callable[[Any], Any]) -> None:
        """Take the tools in sight, each as `described` tells it, for what receipts offer."""
        entries = [safely(None, described, tool) for tool in tools]
        known = [entry for entry in entries if entry is not None]
        safely(None, lambda: self.watch.listed(known, at_once=False))

    @contextmanager
    def call(self, run: object, tool: str) -> Iterator[None]:
        """Note a call that raises, and let the exception pass as it is."""
        try:
            yield
        except BaseException as error:
            self.skip(run, tool, f"the call raised {type(error).__name__}")
            raise

    def wrap(
        self,
        function: Callable[..., Any],
        tool: str,
        run: Callable[[], object],
        observed: Callable[[object, Any, tuple[Any, ...], dict[str, Any]], Any],
        *,
        later: bool = False,
    ) -> Callable[..., Any]:
        """Return a function that returns what `observed` makes of the run, the result and the arguments; `later` for one that is awaited."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            current = run()
            with self.call(current, tool):
                result = function(*args, **kwargs)
            return observed(current, result, args, kwargs)

        @wraps(function)
        async def call_later(*args: Any, **kwargs: Any) -> Any:
            current = run()
            with self.call(current, tool):
                result = await function(*args, **kwargs)
            return observed(current, result, args, kwargs)

        return call_later if later else call

    def skip(
        self, run: object, tool: str, why: str = REPORTED, unchecked: Unchecked = "an open failure"
    ) -> None:
        """Note a call whose result is not checked; most of them have failed openly."""
        try:
            self.watch.run(run).skip(tool, why, unchecked=unchecked)
        except Exception:
            log.exception("a call of %r could not be noted", tool)

    def receipt(
        self,
        run: object,
        tool: str,
        arguments: Any,
        result: Any,
        tools: Collection[str] | None = None,
    ) -> Json:
        """Return the receipt for a result, or None where nothing is wrong with it."""
        try:
            conversation = self.watch.run(run)
            value = canonical(result)
            if value is NOT_JSON:
                conversation.skip(tool, UNREADABLE)
                return None
            known = arguments_of(arguments)
            outcome = conversation.look(tool, known, value, tools)
            if self._recordings is not None:
                # Under the name that its events have.
                self._recordings.of(conversation.name).record(tool, known, ToolResult(value), outcome)
        except Exception:
            log.exception("a result of %r could not be checked; it is passed on unmodified", tool)
            return None
        return outcome.receipt

    def observe(
        self,
        run: object,
        tool: str,
        arguments: Any,
        result: Any,
        carry: Carry,
        tools: Collection[str] | None = None,
    ) -> Any:
        """Return the very result, or, where it violates its contract, what `carry` makes of it and the receipt."""
        receipt = self.receipt(run, tool, arguments, result, tools)
        return result if receipt is None else self.attach(carry, tool, result, receipt)

    def attach(self, carry: Carry, tool: str, result: Any, receipt: Json) -> Any:
        """Put a receipt beside a result; the result alone where that goes wrong."""
        try:
            return carry(result, receipt)
        except Exception:
            log.exception("a receipt for %r could not be put beside its result", tool)
            return result


class Opened(NamedTuple):
    """What checks results, and what records each run as a session of its own."""

    watch: Watch
    recordings: Runs[Recording] | None = None


_lock = threading.Lock()
_by_file: dict[str, Runs[Recording]] = {}
_by_folder: dict[str, Opened] = {}
"""What is open in this process: several adapters may record to one file, and learn in one folder."""


def opened(watch: Watched | None, record: FilePath | None, learn: FilePath | None) -> Opened:
    """Open what an adapter was told to do; refuse what makes no sense together."""
    if learn is not None:
        if record is not None or isinstance(watch, Watch):
            raise OutcomeMonitorsError(
                "learn records and watches by itself, in its folder: leave out record, and the watch"
            )
        more, folder = learn if isinstance(learn, LearnIn) else LearnIn(learn), absolute(learn)
        given = None if watch is None else Registry.load(os.fspath(watch))
        return _once(_by_folder, folder, lambda: _learning(folder, given, more))
    if watch is None:
        # Whoever records, and names no contracts, does not ask for receipts.
        watch = Watch.open() if record is None else Watch(Monitor(built_in=False), mode="shadow")
    recordings = None
    if record is not None:
        path = os.path.abspath(record)  # noqa: PTH100 - as a text
        recordings = _once(_by_file, path, lambda: Runs(Recorder(path).conversation))
    return Opened(watch if isinstance(watch, Watch) else Watch.open(watch), recordings)


def _once(table: dict[str, T], key: str, make: Callable[[], T]) -> T:
    with _lock:
        if key not in table:
            table[key] = make()
        return table[key]


def _learning(folder: str, given: Registry | None, more: LearnIn) -> Opened:
    storage = StorageConfig(folder)
    learning = open_learning(
        storage,
        given,
        sink=fanned(storage.sink(), *score_sinks(more.scores, os.environ)),
        private=more.private,
        payloads=Payloads(redacted(more.private), keep=False),
        overrides=more.overrides,
    )
    assert learning.watch is not None
    return Opened(learning.watch, Runs(learning.recorder.conversation))
