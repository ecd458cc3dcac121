"""Microsoft Agent Framework: `Agent(client, tools=[...], middleware=[OutcomeMiddleware("contracts.json")])`."""

from typing import Any, Unpack

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.receipts.carriers import paragraph

from ._observer import Observed, Options, ToolCallObserver, Watched, safely

try:
    from agent_framework import Content, FunctionMiddleware
except ImportError as error:
    raise MissingExtra(
        "the adapter for Microsoft Agent Framework", "agent-framework-core", "agent-framework"
    ) from error

__all__ = ["OutcomeMiddleware"]


class OutcomeMiddleware(FunctionMiddleware):  # type: ignore[misc]  # not typed where it is not installed
    """Checks the result of every function. Put it last: the last middleware stands next to the functions.

    A conversation is the agent's session; runs without one have no memory.
    """

    def __init__(self, watch: Watched | None = None, **options: Unpack[Options]) -> None:
        self._observer = ToolCallObserver(watch, **options)

    async def process(self, context: Any, call_next: Any) -> None:
        """Call the function and check its result."""
        run, tool = safely(None, _run_of, context), context.function.name
        with self._observer.call(run, tool):
            await call_next()
        context.result = await self._observer.hand_on_later(context.result, _described, run, tool, context)


def _described(run: object, tool: str, context: Any) -> Observed:
    tools = [known.name for known in context.tools or () if hasattr(known, "name")] or None
    return Observed(run, tool, context.arguments, _value_of(context.result), _with, tools)


def _run_of(context: Any) -> str | None:
    return context.session.session_id if context.session is not None else None


def _is_content(result: Any) -> bool:
    return isinstance(result, list) and all(isinstance(block, Content) for block in result)


def _value_of(result: Any) -> Any:
    """Return what a function gave: the framework makes contents of it before anyone sees it, which are plain objects."""
    return [_block(content) for content in result] if _is_content(result) else result


def _block(content: Any) -> dict[str, Any]:
    if content.type == "text":
        return {"type": "text", "text": content.text}
    return {"type": "file", "mime_type": getattr(content, "media_type", None)}


def _with(result: Any, receipt: Any) -> Any:
    # Anything else the framework would make a text of.
    contents = result if _is_content(result) else [Content.from_text(str(result))]
    return [*contents, Content.from_text(paragraph(receipt))]
