"""smolagents: `agent = watched(ToolCallingAgent(tools=[...], model=model), "contracts.json")`.

A `CodeAgent` works on with the values that tools return, so nothing can be put beside them there.
"""

from typing import Any, Unpack

from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors.receipts.carriers import text_beside

from ._observer import Observed, Options, ToolCallObserver, Watched, safely

try:
    from smolagents import ToolCallingAgent
except ImportError as error:
    raise MissingExtra("the smolagents adapter", "smolagents", "smolagents") from error

__all__ = ["watched"]

FINAL = "final_answer"


def watched(
    agent: Any,
    watch: Watched | None = None,
    **options: Unpack[Options],
) -> Any:
    """Return the agent itself, with the results of its tools checked. Each run is a conversation, unless it goes on."""
    if not isinstance(agent, ToolCallingAgent):
        raise OutcomeMonitorsError(
            f"{type(agent).__name__} is no ToolCallingAgent; decorate its functions with outcome_monitors.adapters.functions"
        )
    observer, execute = ToolCallObserver(watch, **options), agent.execute_tool_call
    observer.listed(agent.tools.values(), _described)

    def execute_tool_call(tool_name: str, arguments: Any) -> Any:
        if tool_name == FINAL:
            return execute(tool_name, arguments)
        run = safely(None, _run_of, agent)
        with observer.call(run, tool_name):
            result = execute(tool_name, arguments)
        seen = Observed(run, tool_name, arguments, result, _carry, [*agent.tools])
        return observer.hand_on(result, lambda: seen)

    agent.execute_tool_call = execute_tool_call
    return agent


def _described(tool: Any) -> Json:
    needed = [name for name, told in tool.inputs.items() if not told.get("nullable")]
    schema = {"properties": dict(tool.inputs), "required": needed}
    return {"name": tool.name, "description": tool.description, "inputSchema": schema}


def _run_of(agent: Any) -> object:
    # The task that its memory begins with: a run that starts anew has another one.
    steps = agent.memory.steps
    return steps[0] if steps else None


def _carry(result: Any, receipt: Any) -> str:
    # The model reads what is no text as Python prints it.
    return text_beside(str(result), receipt)
