"""What every adapter does with a call: look at its result, hand it on, and keep its own trouble to itself."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from outcome_monitors.model import Json, Unchecked
from outcome_monitors.receipts.carriers import Carry
from outcome_monitors.values.canonical import NOT_JSON, arguments_of, canonical, is_plain
from outcome_monitors.values.files import FilePath

from ._recording import Watched, opened

__all__ = ["REPORTED", "UNREADABLE", "Onlooker", "Watched", "safely"]

log = logging.getLogger("outcome_monitors")

T = TypeVar("T")

UNREADABLE = "the result is not JSON"
REPORTED = "the tool reported an error"


def safely(otherwise: T, work: Callable[..., T], *arguments: Any) -> T:
    """Return what our own work gives, or, where that goes wrong, what there was without it."""
    try:
        return work(*arguments)
    except Exception:
        log.exception("an adapter went wrong; the result stands as it is")
        return otherwise


class _UnderWay:
    """A call that is under way; not `contextmanager`, which takes as long as the check of a small result."""

    __slots__ = ("_onlooker", "_run", "_tool")

    def __init__(self, onlooker: "Onlooker", run: object, tool: str) -> None:
        self._onlooker, self._run, self._tool = onlooker, run, tool

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if error is not None:
            self._onlooker.raised(self._run, self._tool, error)


class Onlooker:
    """Looks at results for an adapter. No method raises, but for what the tool itself raised."""

    def __init__(
        self, watch: Watched | None, *, record: FilePath | None = None, learn: FilePath | None = None
    ) -> None:
        self.watch, self._recorder = opened(watch, record, learn)

    def listed(self, tools: Iterable[Any], described: Callable[[Any], Any]) -> None:
        """Take the tools in sight, each as `described` tells it, for what receipts offer."""
        entries = [safely(None, described, tool) for tool in tools]
        known = [entry for entry in entries if entry is not None]
        safely(None, lambda: self.watch.listed(known, at_once=False))

    def call(self, run: object, tool: str) -> "_UnderWay":
        """Note a call that raises, and let the exception pass as it is."""
        return _UnderWay(self, run, tool)

    def raised(self, run: object, tool: str, error: BaseException) -> None:
        """Note a call that raised."""
        self.skip(run, tool, f"the call raised {type(error).__name__}")

    def skip(
        self, run: object, tool: str, why: str = REPORTED, unchecked: Unchecked = "an open failure"
    ) -> None:
        """Note a call whose result is not checked; most of them have failed openly."""
        try:
            self.watch.run(run).skip(tool, why, unchecked=unchecked)
        except Exception:
            log.exception("a call of %r could not be noted", tool)

    def look(
        self,
        run: object,
        tool: str,
        arguments: Any,
        result: Any,
        tools: Collection[str] | None = None,
    ) -> Json:
        """Return the receipt for a result, or None where there is nothing to tell."""
        try:
            conversation = self.watch.runs.of(run)
            value = canonical(result)
            if value is NOT_JSON:
                conversation.skip(tool, UNREADABLE)
                return None
            plain = type(arguments) is dict and is_plain(arguments)
            known: Mapping[str, Json] = arguments if plain else arguments_of(arguments)
            outcome = conversation.look(tool, known, value, tools)
            if self._recorder is not None:
                self._recorder.record(conversation.name, tool, known, value, outcome)
        except Exception:
            log.exception("a result of %r could not be looked at; it stands as it is", tool)
            return None
        return outcome.receipt

    def seen(
        self,
        run: object,
        tool: str,
        arguments: Any,
        result: Any,
        carry: Carry,
        tools: Collection[str] | None = None,
    ) -> Any:
        """Return the very result, or, where it breaks its contract, what `carry` makes of it and the receipt."""
        receipt = self.look(run, tool, arguments, result, tools)
        return result if receipt is None else self.carried(carry, tool, result, receipt)

    def carried(self, carry: Carry, tool: str, result: Any, receipt: Json) -> Any:
        """Put a receipt beside a result; the result alone where that goes wrong."""
        try:
            return carry(result, receipt)
        except Exception:
            log.exception("a receipt for %r could not be put beside its result", tool)
            return result
