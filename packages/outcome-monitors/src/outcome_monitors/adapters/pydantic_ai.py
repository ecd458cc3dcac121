"""Pydantic AI: `Agent(model, tools=[...], capabilities=[OutcomeContracts("contracts.json")])`."""

import dataclasses
from typing import Any

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.files import FilePath
from outcome_monitors.receipts.carriers import paragraph

from ._observer import ToolCallObserver, Watched, safely

try:
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ToolReturn
except ImportError as error:
    raise MissingExtra("the Pydantic AI adapter", "pydantic-ai 2.x", "pydantic-ai") from error

__all__ = ["OutcomeContracts"]


class OutcomeContracts(AbstractCapability[Any]):  # type: ignore[misc]  # not typed where it is not installed
    """Checks the result of every tool, whichever toolset it comes from."""

    def __init__(
        self, watch: Watched | None = None, *, record: FilePath | None = None, learn: FilePath | None = None
    ) -> None:
        super().__init__()
        self._observer = ToolCallObserver(watch, record=record, learn=learn)

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        """Note a call that raises, retries and failures that a tool asks for included."""
        with self._observer.call(ctx.conversation_id, call.tool_name):
            return await handler(args)

    async def after_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
        """Check a result."""
        return safely(result, self._observed, ctx, call.tool_name, args, result)

    def _observed(self, ctx: Any, tool: str, arguments: Any, result: Any) -> Any:
        value = result.return_value if isinstance(result, ToolReturn) else result
        receipt = self._observer.receipt(ctx.conversation_id, tool, arguments, value, _tools(ctx))
        return result if receipt is None else _with(result, f"On the result of {tool}: {paragraph(receipt)}")


def _tools(ctx: Any) -> list[str] | None:
    manager = getattr(ctx, "tool_manager", None)
    known = getattr(manager, "tools", None)
    return list(known) if known else None


def _with(result: Any, told: str) -> Any:
    """Return the value as it is, pictures and all, and what the framework is to say to the model beside it."""
    if not isinstance(result, ToolReturn):
        return ToolReturn(result, content=told)
    said = result.content
    before = [] if said is None else [said] if isinstance(said, str) else said
    return dataclasses.replace(result, content=[*before, told])
