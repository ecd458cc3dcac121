"""CrewAI: `register("contracts.json")`, once in a program."""

from collections.abc import Callable
from typing import Any

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.files import FilePath
from outcome_monitors.receipts.carriers import text_beside

from ._observer import REPORTED, ToolCallObserver, Watched, safely

try:
    from crewai.hooks import register_after_tool_call_hook
except ImportError as error:
    raise MissingExtra("the CrewAI adapter", "crewai", "crewai") from error

__all__ = ["register"]

# CrewAI tells hooks of a failure by its words alone.
FAILURES = (
    "Error executing tool",
    "I encountered an error",
    "Tool execution blocked by hook",
    "Tool '",
)


def register(
    watch: Watched | None = None, *, record: FilePath | None = None, learn: FilePath | None = None
) -> Callable[[Any], str | None]:
    """Check the result of every tool of every crew from now on.

    Returns the hook, for `crewai.hooks.unregister_after_tool_call_hook`. A conversation is one execution of a task.
    """
    observer = ToolCallObserver(watch, record=record, learn=learn)

    def after_tool_call(context: Any) -> str | None:
        return safely(None, _observed, observer, context)

    register_after_tool_call_hook(after_tool_call)
    return after_tool_call


def _observed(observer: ToolCallObserver, context: Any) -> str | None:
    run, result = _run_of(context), context.raw_tool_result
    if isinstance(result, str) and result.lstrip().startswith(FAILURES):
        observer.skip(run, context.tool_name, REPORTED)
        return None
    tools = [_name(tool) for tool in getattr(context.agent, "tools", None) or ()] or None
    receipt = observer.receipt(run, context.tool_name, context.tool_input, result, tools)
    return None if receipt is None else text_beside(context.tool_result or "", receipt)


def _run_of(context: Any) -> object:
    task = context.task
    return f"{task.id}/{task.start_time}" if task is not None else context.agent


def _name(tool: Any) -> str:
    # As CrewAI names them for the model.
    return str(tool.name).strip().lower().replace(" ", "_")
