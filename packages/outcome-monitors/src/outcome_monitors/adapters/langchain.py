"""LangChain: `create_agent(model, tools, middleware=[OutcomeMiddleware("contracts.json")])`."""

from typing import Any, Unpack

from outcome_monitors.exceptions import MissingExtra

from ._observer import Options, Watched

try:
    from langchain.agents.middleware import AgentMiddleware

    from .langgraph import WrapToolCall
except ImportError as error:
    raise MissingExtra("the LangChain adapter", "langchain 1.x", "langchain") from error

__all__ = ["OutcomeMiddleware"]


class OutcomeMiddleware(AgentMiddleware):  # type: ignore[misc]  # not typed where it is not installed
    """Checks the result of every tool. Put it last: the last middleware stands next to the tools."""

    def __init__(self, watch: Watched | None = None, **options: Unpack[Options]) -> None:
        super().__init__()
        self._hooks = WrapToolCall(watch, **options)

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Call the tool and check its message."""
        return self._hooks.now(request, handler)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Await the tool and check its message."""
        return await self._hooks.later(request, handler)
