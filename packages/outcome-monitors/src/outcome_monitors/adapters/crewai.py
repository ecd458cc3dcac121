"""CrewAI: `register("contracts.json")`, once in a program."""

from collections.abc import Callable
from typing import Any, Unpack

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.receipts.carriers import text_beside

from ._observer import REPORTED, Observed, Options, ToolCallObserver, Watched

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


def register(watch: Watched | None = None, **options: Unpack[Options]) -> Callable[[Any], str | None]:
    """Check the result of every tool of every crew from now on.

    Returns the hook, for `crewai.hooks.unregister_after_tool_call_hook`. A conversation is one execution of a task.
    """
    observer = ToolCallObserver(watch, **options)

    def after_tool_call(context: Any) -> str | None:
        said = context.tool_result or ""
        changed = observer.hand_on(said, _described, context)
        return None if changed is said else changed

    register_after_tool_call_hook(after_tool_call)
    return after_tool_call


def _described(context: Any) -> Observed:
    result = context.raw_tool_result
    failed = isinstance(result, str) and result.lstrip().startswith(FAILURES)
    tools = [_name(tool) for tool in getattr(context.agent, "tools", None) or ()] or None
    seen = Observed(_run_of(context), context.tool_name, context.tool_input, result, text_beside, tools)
    return seen._replace(skip=REPORTED) if failed else seen


def _run_of(context: Any) -> object:
    task = context.task
    return f"{task.id}/{task.start_time}" if task is not None else context.agent


def _name(tool: Any) -> str:
    # As CrewAI names them for the model.
    return str(tool.name).strip().lower().replace(" ", "_")
