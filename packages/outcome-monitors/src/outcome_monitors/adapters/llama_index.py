"""LlamaIndex: `FunctionAgent(tools=watched([get_order, ...], "contracts.json"), llm=llm)`."""

import copy
from collections.abc import Iterable
from typing import Any, Unpack
from uuid import uuid4

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.model import Json
from outcome_monitors.receipts.carriers import paragraph

from ._observer import REPORTED, Observed, Options, ToolCallObserver, Watched

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
    **options: Unpack[Options],
) -> list[Any]:
    """Return the same tools, functions among them as tools, with their results checked.

    Tools are not told which conversation they are called in: one list is one, so make a list for each.
    """
    observer, run = ToolCallObserver(watch, **options), run or f"run-{uuid4().hex}"
    given = [tool if hasattr(tool, "metadata") else FunctionTool.from_defaults(tool) for tool in tools]
    names = [tool.metadata.get_name() for tool in given]
    observer.listed(given, _described)
    return [_watched(tool, observer, run, names) for tool in given]


def _described(tool: Any) -> Json:
    told = tool.metadata
    return {
        "name": told.get_name(),
        "description": told.description,
        "inputSchema": told.get_parameters_dict(),
    }


def _watched(tool: Any, observer: ToolCallObserver, run: str, tools: list[str]) -> Any:
    name = tool.metadata.get_name()

    def seen(_run: object, output: Any, _args: tuple[Any, ...], arguments: dict[str, Any]) -> Observed:
        failed = REPORTED if output.is_error else ""
        return Observed(run, name, arguments, output.raw_output, _with, tools, skip=failed)

    same = copy.copy(tool)
    same.call = observer.wrap(tool.call, name, lambda: run, seen)
    if hasattr(tool, "acall"):
        same.acall = observer.wrap(tool.acall, name, lambda: run, seen, later=True)
    return same


def _with(output: Any, receipt: Any) -> Any:
    """Put a text behind those of the output: the payload stays as the framework prints it."""
    return output.model_copy(update={"blocks": [*output.blocks, TextBlock(text=paragraph(receipt))]})
