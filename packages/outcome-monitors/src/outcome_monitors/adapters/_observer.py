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
from typing import Any, NamedTuple, TypedDict, TypeVar, Unpack

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import Payloads, Watch, open_sink
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
from outcome_monitors.receipts.carriers import Carry, beside
from outcome_monitors.storage.opening import absolute
from outcome_monitors.traces.private import private_paths, redacted

from ._limits import HEAVY, LARGEST, Limited, OverBudgetError, weight

__all__ = [
    "REPORTED",
    "LearnIn",
    "Observed",
    "Opened",
    "Options",
    "ToolCallObserver",
    "Watched",
    "opened",
    "safely",
]

log = logging.getLogger("outcome_monitors")

Watched = Watch | Monitor | Registry | FilePath
"""A watch, a monitor, contracts, or the file of contracts."""
T = TypeVar("T")

UNREADABLE = "the result is not JSON"
REPORTED = "the tool reported an error"
FAILED = "an adapter failed; the result is passed on unmodified"
TOO_LARGE, TOO_LONG = "the result is too large", "the check took too long"


class Options(TypedDict, total=False):
    """What every adapter can be told beside its watch."""

    record: FilePath | None
    """A trace file that every call is written to."""
    learn: FilePath | None
    """A folder to record, learn and keep contracts in, as `proxy --learn` does."""


class Observed(NamedTuple):
    """A call whose result has come, as an adapter tells it."""

    run: object
    tool: str
    arguments: Any
    value: Any
    """What is checked: the payload of the result."""
    carry: Carry = beside
    """Puts a receipt beside the result."""
    tools: Collection[str] | None = None
    """Those that the agent can call."""
    call: str | None = None
    """The id that the model gave the call."""
    skip: str = ""
    """Why the result is not checked, where it is not."""
    unchecked: Unchecked = "an open failure"


Describe = Callable[..., Observed]
"""Makes that of what a framework hands its hooks; it may raise, and the result stands."""


def safely(otherwise: T, work: Callable[..., T], *arguments: Any) -> T:
    """Return what our own work gives, or, where that goes wrong, what there was without it."""
    try:
        return work(*arguments)
    except Exception:
        log.exception(FAILED)
        return otherwise


class LearnIn(os.PathLike[str]):
    """A folder to learn in, and more to say of it: which values are kept nowhere, where decisions stand if not in it, where else events go and results are scored."""

    def __init__(
        self,
        folder: FilePath,
        *,
        private: Collection[str] = (),
        overrides: FilePath | None = None,
        events: str | None = None,
        scores: Collection[str] = (NO_SERVICE,),
    ) -> None:
        self.private = private_paths(private)
        self.overrides, self.events, self.scores = overrides, events, scores
        self._folder = os.fspath(folder)

    def __fspath__(self) -> str:
        return self._folder


class ToolCallObserver:
    """Observes calls for an adapter. No method raises, but for what the tool itself raised."""

    def __init__(self, watch: Watched | None, **options: Unpack[Options]) -> None:
        self.watch, self._recordings = opened(watch, options.get("record"), options.get("learn"))

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
        describe: Callable[[object, Any, tuple[Any, ...], dict[str, Any]], Observed],
        *,
        later: bool = False,
    ) -> Callable[..., Any]:
        """Return a function whose results are handed on as `describe` tells them; `later` for one that is awaited."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            current = run()
            with self.call(current, tool):
                result = function(*args, **kwargs)
            return self.hand_on(result, describe, current, result, args, kwargs)

        @wraps(function)
        async def call_later(*args: Any, **kwargs: Any) -> Any:
            current = run()
            with self.call(current, tool):
                result = await function(*args, **kwargs)
            return await self.hand_on_later(result, describe, current, result, args, kwargs)

        return call_later if later else call

    def skip(
        self, run: object, tool: str, why: str = REPORTED, unchecked: Unchecked = "an open failure"
    ) -> None:
        """Note a call whose result is not checked; most of them have failed openly."""
        try:
            self.watch.run(run).skip(tool, why, unchecked=unchecked)
        except Exception:
            log.exception("a call of %r could not be noted", tool)

    def hand_on(self, result: Any, describe: Describe, *given: Any) -> Any:
        """Return the very result, or, where it violates its contract, the result with a receipt beside it."""
        check = safely(None, self._check, describe, given)
        return result if check is None else _delivered(result, check, safely(None, check.work.now))

    async def hand_on_later(self, result: Any, describe: Describe, *given: Any) -> Any:
        """Do the same, and leave the event loop to others meanwhile."""
        check = safely(None, self._check, describe, given)
        if check is None:
            return result
        try:
            receipt = await check.work.later()
        except Exception:
            log.exception(FAILED)
            return result
        return _delivered(result, check, receipt)

    def _check(self, describe: Describe, given: tuple[Any, ...]) -> "_Check | None":
        """Return the check of a result that has come; None where it is not checked."""
        seen = describe(*given)
        if seen.skip:
            self.skip(seen.run, seen.tool, seen.skip, seen.unchecked)
            return None
        # Behind another that is at work, a small one would wait for it.
        heavy = self.watch.lock.locked() or weight(seen.value, HEAVY) >= HEAVY
        return _Check(seen, Limited(None, lambda decide: self._receipt(seen, decide), heavy=heavy))

    def _receipt(self, seen: Observed, decide: Callable[[], None]) -> Json:
        """Return the receipt for a result, or None where nothing is wrong with it."""
        conversation, tool = self.watch.run(seen.run), seen.tool
        if weight(seen.value, LARGEST) >= LARGEST:
            conversation.skip(tool, TOO_LARGE, unchecked="too large")
            return None
        value, arguments = canonical(seen.value), arguments_of(seen.arguments)
        if value is NOT_JSON:
            conversation.skip(tool, UNREADABLE)
            return None
        try:
            outcome = conversation.look(tool, arguments, value, seen.tools, call=seen.call, decided=decide)
        except OverBudgetError:
            conversation.skip(tool, TOO_LONG, unchecked="took too long")
            return None
        if self._recordings is not None:
            # Under the name that its events have.
            self._recordings.of(conversation.name).record(tool, arguments, ToolResult(value), outcome)
        return outcome.receipt


class _Check(NamedTuple):
    seen: Observed
    work: Limited[Json]


def _delivered(result: Any, check: _Check, receipt: Json) -> Any:
    if receipt is None:
        return result
    try:
        return check.seen.carry(result, receipt)
    except BaseExceptionGroup:  # what a host asked for, in place of the result
        raise
    except Exception:
        log.exception("a receipt for %r could not be put beside its result", check.seen.tool)
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
        if record is not None or isinstance(watch, Watch | Monitor):
            raise OutcomeMonitorsError(
                "learn records and watches by itself, in its folder: leave out record, and the watch"
            )
        more, folder = learn if isinstance(learn, LearnIn) else LearnIn(learn), absolute(learn)
        given = Registry.load(os.fspath(watch)) if isinstance(watch, str | os.PathLike) else watch
        return _once(_by_folder, folder, lambda: _learning(folder, given, more))
    if watch is None:
        # Whoever records, and names no contracts, does not ask for receipts.
        watch = Watch.open() if record is None else Watch(Monitor(built_in=False), mode="shadow")
    elif not isinstance(watch, Watch):
        watch = Watch(_monitor(watch)) if isinstance(watch, Monitor | Registry) else Watch.open(watch)
    recordings = None
    if record is not None:
        path = os.path.abspath(record)  # noqa: PTH100 - as a text
        recordings = _once(_by_file, path, lambda: Runs(Recorder(path).conversation))
    return Opened(watch, recordings)


def _monitor(given: Monitor | Registry) -> Monitor:
    return given if isinstance(given, Monitor) else Monitor(given, encoder="note")


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
        sink=fanned(storage.sink(), open_sink(more.events), *score_sinks(more.scores, os.environ)),
        private=more.private,
        payloads=Payloads(redacted(more.private), keep=False),
        overrides=more.overrides,
    )
    assert learning.watch is not None
    return Opened(learning.watch, Runs(learning.recorder.conversation))
