"""LlamaIndex: `FunctionAgent(tools=watched([get_order, ...], "contracts.json"), llm=llm)`."""

import copy
from collections.abc import Callable, Iterable
from typing import Any
from uuid import uuid4

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.model import Json
from outcome_monitors.receipts.carriers import paragraph
from outcome_monitors.values.files import FilePath

from ._observer import Onlooker, Watched, safely

try:
    from llama_index.core.base.llms.types import TextBlock
    from llama_index.core.tools import FunctionTool
except ImportError as error:
    raise MissingExtra("the LlamaIndex adapter", "llama-index-core", "llama-index") from error

__all__ = ["watched"]


def watched(
    tools: Iterable[Any],
    watch: Watched | None = None,
    *,
    run: str | None = None,
    record: FilePath | None = None,
    learn: FilePath | None = None,
) -> list[Any]:
    """Return the same tools, functions among them as tools, with their results looked at.

    Tools are not told which conversation they are called in: one list is one, so make a list for each.
    """
    onlooker, run = Onlooker(watch, record=record, learn=learn), run or f"run-{uuid4().hex}"
    given = [tool if hasattr(tool, "metadata") else FunctionTool.from_defaults(tool) for tool in tools]
    names = [tool.metadata.get_name() for tool in given]
    onlooker.listed(given, _described)
    return [_watched(tool, onlooker, run, names) for tool in given]


def _described(tool: Any) -> Json:
    told = tool.metadata
    return {
        "name": told.get_name(),
        "description": told.description,
        "inputSchema": told.get_parameters_dict(),
    }


def _watched(tool: Any, onlooker: Onlooker, run: str, tools: list[str]) -> Any:
    name, call, call_later = tool.metadata.get_name(), tool.call, getattr(tool, "acall", None)

    def seen(arguments: Any, output: Any) -> Any:
        if output.is_error:
            onlooker.skip(run, name)
            return output
        receipt = onlooker.look(run, name, arguments, output.raw_output, tools)
        return output if receipt is None else _with(output, receipt)

    def now(*args: Any, **kwargs: Any) -> Any:
        with onlooker.call(run, name):
            output = call(*args, **kwargs)
        return safely(output, seen, kwargs, output)

    same = copy.copy(tool)
    same.call = now
    if call_later is not None:
        same.acall = _later(onlooker, run, name, call_later, seen)
    return same


def _later(
    onlooker: Onlooker, run: str, name: str, call: Callable[..., Any], seen: Callable[..., Any]
) -> Callable[..., Any]:
    async def later(*args: Any, **kwargs: Any) -> Any:
        with onlooker.call(run, name):
            output = await call(*args, **kwargs)
        return safely(output, seen, kwargs, output)

    return later


def _with(output: Any, receipt: Any) -> Any:
    """Put a text behind those of the output: the payload stays as the framework prints it."""
    return output.model_copy(update={"blocks": [*output.blocks, TextBlock(text=paragraph(receipt))]})
