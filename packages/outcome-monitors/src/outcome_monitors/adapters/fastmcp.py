"""FastMCP servers: `mcp.add_middleware(OutcomeMiddleware("contracts.json"))`.

In front of a server of another make stands the proxy (`outcome_monitors.mcp`).
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Unpack
from uuid import uuid4

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.model import Json
from outcome_monitors.receipts.carriers import KEY, paragraph
from outcome_monitors.receipts.mcp import DESCRIPTION, must_declare, takes_receipt

from ._observer import REPORTED, Observed, Options, ToolCallObserver, Watched, safely

try:
    from fastmcp.server.middleware import Middleware
    from fastmcp.tools.base import ToolResult
    from mcp.types import TextContent
except ImportError as error:
    raise MissingExtra("the FastMCP adapter", "fastmcp 4.x", "fastmcp") from error

__all__ = ["OutcomeMiddleware"]

UNFINISHED = "the result is not final"
NO_SESSIONS = "2026-07-28"
"""From this version of the protocol on, every request is a connection of its own, with a name of its own."""
OVER_HTTP = ("sse", "streamable-http")


class OutcomeMiddleware(Middleware):  # type: ignore[misc]  # not typed where it is not installed
    """Checks the result of every tool. Add it last: the last middleware stands next to the tools.

    As at the proxy, a receipt goes as a text block and, where the output schema allows it, in the structured content.
    """

    def __init__(self, watch: Watched | None = None, **options: Unpack[Options]) -> None:
        self._observer = ToolCallObserver(watch, **options)
        self._holding: set[str] = set()
        """Tools that have been listed, and whose structured content may hold a receipt."""
        self._names: list[str] | None = None
        self._only = f"run-{uuid4().hex}"
        """The conversation of a server that has one client."""

    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        """Declare receipts in the output schemas that need it."""
        tools = await call_next(context)
        return safely(tools, self._listed, tools)

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """Call the tool and check its result."""
        run, tool = safely(None, self._run_of, context), context.message.name
        with self._observer.call(run, tool):
            result = await call_next(context)
        return await self._observer.hand_on_later(
            result, self._described, run, tool, context.message.arguments or {}, result
        )

    def _run_of(self, context: Any) -> str | None:
        known = context.fastmcp_context
        request = known.request_context if known is not None else None
        if request is None or request.protocol_version < NO_SESSIONS:
            return known.session_id if known is not None else None
        # Over HTTP nothing tells one client from another; any other server is some client's own.
        return None if known.transport in OVER_HTTP else self._only

    def _listed(self, tools: Sequence[Any]) -> Sequence[Any]:
        self._names = [tool.name for tool in tools]
        self._observer.listed(tools, _entry)
        checks = self._observer.watch.monitor.checks
        holding = [tool for tool in tools if takes_receipt(tool.output_schema) and checks(tool.name)]
        self._holding.update(tool.name for tool in holding)
        return [
            _declaring(tool) if tool in holding and must_declare(tool.output_schema) else tool
            for tool in tools
        ]

    def _described(self, run: object, tool: str, arguments: Any, result: Any) -> Observed:
        seen = Observed(run, tool, arguments, None, partial(self._with, tool), self._names)
        if why := _unchecked(result):
            return seen._replace(skip=why, unchecked="an open failure" if why == REPORTED else "no result")
        return seen._replace(value=_value_of(result))

    def _with(self, tool: str, result: Any, receipt: Any) -> Any:
        structured = result.structured_content
        if structured is not None and tool in self._holding and KEY not in structured:
            structured = {**structured, KEY: receipt}
        told = TextContent(type="text", text=paragraph(receipt))
        return ToolResult(content=[*result.content, told], structured_content=structured, meta=result.meta)


def _declaring(tool: Any) -> Any:
    schema = tool.output_schema
    properties = {**schema["properties"], KEY: {"description": DESCRIPTION}}
    return tool.model_copy(update={"output_schema": {**schema, "properties": properties}})


def _unchecked(result: Any) -> str:
    """Say why a result cannot be checked, if it cannot."""
    # A question to the client is a result by its class, and has no content.
    if not isinstance(result, ToolResult) or hasattr(result, "input_required"):
        return UNFINISHED
    return REPORTED if result.is_error else ""


def _value_of(result: Any) -> Any:
    """Return the result as it goes over the wire, without what is said of the call alone.

    The blocks are dumped where they are needed: with no structured content, or with one that only repeats them.
    """
    structured = result.structured_content
    if structured is not None and list(structured) != ["result"]:
        return {"content": [], "structuredContent": structured, "isError": False}
    content = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content]
    return {"content": content, "structuredContent": structured, "isError": False}


def _entry(tool: Any) -> Json:
    hints = tool.annotations.model_dump() if tool.annotations is not None else {}
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.parameters,
        "outputSchema": tool.output_schema,
        "annotations": hints,
    }
