"""Pydantic AI: `Agent(model, tools=[...], capabilities=[OutcomeContracts("contracts.json")])`."""

import dataclasses
from functools import partial
from typing import Any, Unpack

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.receipts.carriers import paragraph

from ._observer import Observed, Options, ToolCallObserver, Watched

try:
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ToolReturn
except ImportError as error:
    raise MissingExtra("the Pydantic AI adapter", "pydantic-ai 2.x", "pydantic-ai") from error

__all__ = ["OutcomeContracts"]


class OutcomeContracts(AbstractCapability[Any]):  # type: ignore[misc]  # not typed where it is not installed
    """Checks the result of every tool, whichever toolset it comes from."""

    def __init__(self, watch: Watched | None = None, **options: Unpack[Options]) -> None:
        super().__init__()
        self._observer = ToolCallObserver(watch, **options)

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        """Note a call that raises, retries and failures that a tool asks for included."""
        with self._observer.call(ctx.conversation_id, call.tool_name):
            return await handler(args)

    async def after_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
        """Check a result."""
        return await self._observer.hand_on_later(result, _described, ctx, call, args, result)


def _described(ctx: Any, call: Any, arguments: Any, result: Any) -> Observed:
    value = result.return_value if isinstance(result, ToolReturn) else result
    tools = list(getattr(getattr(ctx, "tool_manager", None), "tools", None) or ()) or None
    carry = partial(_with, call.tool_name)
    return Observed(ctx.conversation_id, call.tool_name, arguments, value, carry, tools, call.tool_call_id)


def _with(tool: str, result: Any, receipt: Any) -> Any:
    """Return the value as it is, pictures and all, and what the framework is to say to the model beside it."""
    told = f"On the result of {tool}: {paragraph(receipt)}"
    if not isinstance(result, ToolReturn):
        return ToolReturn(result, content=told)
    said = result.content
    before = [] if said is None else [said] if isinstance(said, str) else said
    return dataclasses.replace(result, content=[*before, told])
