"""LangGraph: `ToolNode(tools, **watched("contracts.json"))`."""

import dataclasses
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, Unpack

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.receipts.carriers import paragraph

from ._observer import REPORTED, Observed, Options, ToolCallObserver, Watched, safely

try:
    from langchain_core.messages import ToolMessage
except ImportError as error:
    raise MissingExtra("the LangGraph adapter", "langgraph", "langgraph") from error

__all__ = ["WrapToolCall", "watched"]

COMMAND = "the tool returned a command without a message"


class WrapToolCall:
    """The two hooks of a tool node: around a call, and around one that is awaited."""

    def __init__(self, watch: Watched | None = None, **options: Unpack[Options]) -> None:
        self._observer = ToolCallObserver(watch, **options)

    def now(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Call the tool and check its message."""
        with self._observer.call(safely(None, _run_of, request), request.tool_call["name"]):
            message = handler(request)
        return self._observer.hand_on(message, _described, request, message)

    async def later(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Await the tool and check its message."""
        with self._observer.call(safely(None, _run_of, request), request.tool_call["name"]):
            message = await handler(request)
        return await self._observer.hand_on_later(message, _described, request, message)


def _described(request: Any, message: Any) -> Observed:
    call, said = request.tool_call, _answer_to(message, request.tool_call["id"])
    tools = [known.name for known in request.runtime.tools] or None
    seen = Observed(
        _run_of(request), call["name"], call["args"], said, partial(_with, said), tools, call["id"]
    )
    if said is None:
        return seen._replace(skip=COMMAND, unchecked="no result")
    return seen._replace(skip=REPORTED) if said.status == "error" else seen


def watched(watch: Watched | None = None, **options: Unpack[Options]) -> dict[str, Any]:
    """Return what a `ToolNode` takes to check the results of its tools."""
    hooks = WrapToolCall(watch, **options)
    return {"wrap_tool_call": hooks.now, "awrap_tool_call": hooks.later}


def _run_of(request: Any) -> str | None:
    """Return the thread, or, where there is none, the id of the message that the conversation began with."""
    runtime = request.runtime
    thread = (runtime.config.get("configurable") or {}).get("thread_id") if runtime is not None else None
    if thread is not None:
        return str(thread)
    state = request.state
    messages = state.get("messages") if isinstance(state, Mapping) else getattr(state, "messages", state)
    first = messages[0] if isinstance(messages, list) and messages else None
    return getattr(first, "id", None)


def _answer_to(message: Any, call_id: str) -> Any:
    """Return the message that answers a call: itself, or among those that commands add; None where there is none."""
    found = list(_messages(message))
    return next((item for item in found if item.tool_call_id == call_id), found[-1] if found else None)


def _messages(message: Any) -> Iterator[Any]:
    """Yield the messages of tools in what a node hands on: one, a command that adds some, or a list of both."""
    if isinstance(message, ToolMessage):
        yield message
    elif isinstance(message, list):
        for item in message:
            yield from _messages(item)
    else:
        added = _added(message)
        yield from (item for item in added if isinstance(item, ToolMessage))


def _added(command: Any) -> list[Any]:
    """Return the messages that a command adds; where the state is a list of them, so is the update."""
    update = getattr(command, "update", None)
    added = update.get("messages") if isinstance(update, dict) else update
    return added if isinstance(added, list) else []


def _replaced(message: Any, said: Any, told: Any) -> Any:
    """Return what a node hands on with another message in the place of one of its own."""
    if message is said:
        return told
    if isinstance(message, list):
        return [_replaced(item, said, told) for item in message]
    if not any(item is said for item in _added(message)):
        return message
    added = [told if item is said else item for item in _added(message)]
    update = {**message.update, "messages": added} if isinstance(message.update, dict) else added
    return dataclasses.replace(message, update=update)


def _with(said: Any, message: Any, receipt: Any) -> Any:
    blocks = [_text(said.content)] if isinstance(said.content, str) else said.content
    told = said.model_copy(update={"content": [*blocks, _text(paragraph(receipt))]})
    return _replaced(message, said, told)


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
