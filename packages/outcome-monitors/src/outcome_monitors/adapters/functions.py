"""Any function, sync or async: a decorator, a context manager around one call, and one around a run.

@watched(watch)
def get_order(order_id): ...

with run("conversation-17"):
get_order("W1")
"""

import inspect
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, ParamSpec, TypeVar, Unpack
from uuid import uuid4

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors.receipts.carriers import Carry, beside, paragraph, text_beside

from ._observer import Observed, Options, ToolCallObserver, Watched, safely

__all__ = ["Calling", "InconsistentResult", "Tell", "calling", "run", "watched"]

log = logging.getLogger("outcome_monitors")

P = ParamSpec("P")
R = TypeVar("R")


class InconsistentResult(OutcomeMonitorsError):  # noqa: N818 - it is the result that is at fault
    """A result that breaks its contract, for those who asked for an exception; it holds the result and the receipt."""

    def __init__(self, tool: str, result: Any, receipt: Json) -> None:
        super().__init__(tool, result, receipt)
        self.tool, self.result, self.receipt = tool, result, receipt

    def __str__(self) -> str:
        return f"a result of {self.tool!r} is inconsistent with its contract: {paragraph(self.receipt)}"


Tell = Callable[[str, Any, Json], object] | type[BaseExceptionGroup[Any]]
"""Takes the tool, its result and the receipt; or the exception group that is raised with an `InconsistentResult` in it."""

_run: ContextVar[str | None] = ContextVar("outcome_monitors_run", default=None)


@contextmanager
def run(name: str | None = None) -> Iterator[str]:
    """Make the calls inside one conversation; calls outside any run have no memory of each other."""
    name = name or f"run-{uuid4().hex}"
    token = _run.set(name)
    try:
        yield name
    finally:
        _run.reset(token)


def watched(
    watch: Watched | None = None,
    *,
    name: str | None = None,
    tools: Collection[str] | None = None,
    carry: Carry | None = None,
    tell: Tell | None = None,
    **options: Unpack[Options],
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function so that each of its results is checked.

    Args:
        watch: A watch, a monitor, contracts, or the file of contracts.
        name: What the tool is called in contracts; the function's own name unless given.
        tools: Those the agent can call; a receipt names no others.
        carry: Puts a receipt beside a result: `beside` makes an envelope. Without one, the function gives what it gave: text gets
            the receipt behind it, and anything else is the very same object.
        tell: Is called with the tool, the result and the receipt; an exception group is raised. Without one, and without a way to
            put the receipt beside the result, it goes to the log.
        options: `record`, a trace file that every call is written to, or `learn`, a folder to record, learn and keep contracts in,
            as `proxy --learn` does.
    """
    observer = ToolCallObserver(watch, **options)

    def deliver(tool: str, result: Any, receipt: Json) -> Any:
        if isinstance(tell, type) and issubclass(tell, BaseExceptionGroup):
            raise tell("inconsistent results", [InconsistentResult(tool, result, receipt)])
        if tell is not None:
            safely(None, tell, tool, result, receipt)
        if carry is not None:
            return carry(result, receipt)
        if tell is None and isinstance(result, str):
            return text_beside(result, receipt)
        if tell is None:
            log.warning("a result of %r is inconsistent with its contract: %s", tool, paragraph(receipt))
        return result

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        tool = name or str(getattr(function, "__name__", type(function).__name__))
        arguments = _named(function)
        observer.listed([function], lambda given: _described(given, tool))

        def seen(current: object, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Observed:
            return Observed(current, tool, arguments(args, kwargs), result, partial(deliver, tool), tools)

        later = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - an object whose call is a coroutine
        )
        return observer.wrap(function, tool, _run.get, seen, later=later)

    return decorate


class Calling:
    """One call that is under way."""

    def __init__(
        self,
        observer: ToolCallObserver,
        tool: str,
        arguments: Mapping[str, Json],
        tools: Collection[str] | None,
    ) -> None:
        self._observer, self._tool, self._arguments, self._tools = observer, tool, arguments, tools

    def observe(self, result: Any, carry: Carry = beside) -> Any:
        """Return the very result, or the result with a receipt beside it."""
        seen = Observed(_run.get(), self._tool, self._arguments, result, carry, self._tools)
        return self._observer.hand_on(result, lambda: seen)


@contextmanager
def calling(
    watch: Watched, tool: str, arguments: Mapping[str, Json], *, tools: Collection[str] | None = None
) -> Iterator[Calling]:
    """Check the result of code that is no function of its own; inside, `observe(result)` hands it on."""
    observer = ToolCallObserver(watch)
    with observer.call(_run.get(), tool):
        yield Calling(observer, tool, arguments, tools)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # built-in functions may have no signature
        return []


def _described(function: Callable[..., Any], name: str) -> Json:
    """Return what a function says of itself: its docstring, and which arguments it cannot be called without."""
    taken = [
        each for each in _parameters(function) if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]
    needed = [parameter.name for parameter in taken if parameter.default is parameter.empty]
    schema = {"properties": {parameter.name: {} for parameter in taken}, "required": needed}
    return {"name": name, "description": inspect.getdoc(function) or "", "inputSchema": schema}


def _named(function: Callable[..., Any]) -> Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]:
    """Return what gives each argument of a call its name, as the caller gave it: defaults, `self` and `cls` are left out."""
    names = [
        each.name
        for each in _parameters(function)
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    own = {*names[:1]} & {"self", "cls"}

    def arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        found = {**dict(zip(names, args, strict=False)), **kwargs}
        return {name: value for name, value in found.items() if name not in own}

    return arguments
