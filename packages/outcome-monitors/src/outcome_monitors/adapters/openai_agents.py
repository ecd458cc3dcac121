"""OpenAI Agents SDK: `Agent(tools=watched([get_order, ...], "contracts.json"))`."""

import copy
import dataclasses
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any, Unpack

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.model import Json
from outcome_monitors.receipts.carriers import paragraph

from ._observer import REPORTED, Observed, Options, ToolCallObserver, Watched, safely

try:
    from agents import (
        FunctionTool,
        Tool,
        ToolOutputFileContent,
        ToolOutputImage,
        ToolOutputText,
    )
except ImportError as error:
    raise MissingExtra("the adapter for the OpenAI Agents SDK", "openai-agents", "openai-agents") from error

__all__ = ["watched"]

_BLOCKS = (ToolOutputText, ToolOutputImage, ToolOutputFileContent)

_failed: ContextVar[bool] = ContextVar("outcome_monitors_tool_failed", default=False)


def watched(
    tools: Iterable[Tool],
    watch: Watched | None = None,
    **options: Unpack[Options],
) -> list[Tool]:
    """Return the same tools with their results checked; tools that run elsewhere stay as they are.

    Runs with the same `RunConfig(group_id=...)` are one conversation; without it, each run is one.
    """
    observer = ToolCallObserver(watch, **options)
    given = list(tools)
    names = [tool.name for tool in given]
    observer.listed(given, _described)
    return [_watched(tool, observer, names) if isinstance(tool, FunctionTool) else tool for tool in given]


def _described(tool: Any) -> Json:
    schema = getattr(tool, "params_json_schema", None)
    return {"name": tool.name, "description": getattr(tool, "description", ""), "inputSchema": schema}


def _watched(tool: Any, observer: ToolCallObserver, tools: list[str]) -> Any:
    invoke = _noting_failures(tool).on_invoke_tool

    async def on_invoke_tool(context: Any, arguments: str) -> Any:
        run = safely(None, _run_of, context)
        token = _failed.set(False)
        try:
            with observer.call(run, tool.name):
                result = await invoke(context, arguments)
            failed = _failed.get() or getattr(context, "_function_tool_default_failure_handled", False)
        finally:
            _failed.reset(token)
        seen = Observed(
            run,
            tool.name,
            arguments,
            result,
            _carry,
            tools,
            getattr(context, "tool_call_id", None),
            REPORTED if failed else "",
        )
        return await observer.hand_on_later(result, lambda: seen)

    return dataclasses.replace(tool, on_invoke_tool=on_invoke_tool)


def _noting_failures(tool: Any) -> Any:
    """Return a copy that says when it has made a text of an exception, which nothing else tells from a result."""
    noting = copy.copy(tool)
    explain = getattr(noting, "_failure_error_function", None)
    if explain is not None:

        def noted(context: Any, error: Exception) -> Any:
            _failed.set(True)
            return explain(context, error)

        noting._failure_error_function = noted  # noqa: SLF001 - there is no public way to see it
    return noting


def _run_of(context: Any) -> object:
    group = getattr(context.run_config, "group_id", None)
    # The count of tokens is the one object that all calls of a run share and no two runs do.
    return group or context.usage


def _carry(result: Any, receipt: Any) -> Any:
    """Put a block behind those of a result; what is none, the model reads as Python prints it."""
    return [
        *(_blocks(result) or [ToolOutputText(text=str(result))]),
        ToolOutputText(text=paragraph(receipt)),
    ]


def _blocks(result: Any) -> list[Any]:
    """Return the blocks that a result is of, if it is."""
    blocks = result if isinstance(result, list) else [result]
    return blocks if all(isinstance(block, _BLOCKS) for block in blocks) else []
