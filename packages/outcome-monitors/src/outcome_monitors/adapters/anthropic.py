"""Anthropic's tool runner: `client.beta.messages.tool_runner(tools=watched([get_order, ...], "contracts.json"), ...)`."""

import copy
import inspect
from collections.abc import Iterable
from typing import Any, Unpack
from uuid import uuid4

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.model import Json
from outcome_monitors.receipts.carriers import paragraph

from ._observer import Observed, Options, ToolCallObserver, Watched

try:
    import anthropic.lib.tools  # noqa: F401 - only whether it is there
except ImportError as error:
    raise MissingExtra("the adapter for Anthropic's tool runner", "anthropic", "anthropic") from error

__all__ = ["watched"]


def watched(
    tools: Iterable[Any],
    watch: Watched | None = None,
    *,
    run: str | None = None,
    **options: Unpack[Options],
) -> list[Any]:
    """Return the same tools with their results checked; definitions of tools that run elsewhere stay as they are.

    The runner has no name for a conversation: one list is one, so make a list for each runner.
    """
    observer, run = ToolCallObserver(watch, **options), run or f"run-{uuid4().hex}"
    given = list(tools)
    names = [tool.name for tool in given if hasattr(tool, "call")]
    observer.listed((tool for tool in given if hasattr(tool, "to_dict")), _described)
    return [_watched(tool, observer, run, names) if hasattr(tool, "call") else tool for tool in given]


def _described(tool: Any) -> Json:
    told = tool.to_dict()
    return {**told, "inputSchema": told.get("input_schema")}


def _watched(tool: Any, observer: ToolCallObserver, run: str, tools: list[str]) -> Any:
    def seen(_run: object, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Observed:
        [given] = (*args, *kwargs.values())
        return Observed(run, tool.name, given, result, _with, tools)

    same = copy.copy(tool)
    same.call = observer.wrap(
        tool.call, tool.name, lambda: run, seen, later=inspect.iscoroutinefunction(tool.call)
    )
    return same


def _with(result: Any, receipt: Any) -> Any:
    blocks = [_text(result)] if isinstance(result, str) else result
    return [*blocks, _text(paragraph(receipt))]


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
