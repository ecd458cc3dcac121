"""Arguments and results as they come out of a record, or ready to be written where another process goes on with them."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.model import Json

from ._values import content_of
from ._wrappers import OpenedArguments, opened_arguments, opened_result

__all__ = ["AS_THEY_ARE", "READY", "PayloadMaker"]

REMEMBERED = 1024
LONGEST_REMEMBERED = 1 << 14
"""Characters: later copies of a conversation repeat its results, and what is remembered must not be much."""


class PayloadMaker(NamedTuple):
    """What is made of payloads."""

    arguments: Callable[[dict[str, Json]], Any]
    result: Callable[[Json], Any]
    content: Callable[[Json], Any] | None
    """Of a message's content that a tool has answered; nothing where that waits until the call is known to be new."""


def _ready_arguments(arguments: Mapping[str, Json]) -> Any:
    opened = opened_arguments(arguments)
    try:
        return OpenedArguments(json.dumps(opened.value), opened.wrapped, is_text=True)
    except (TypeError, ValueError, RecursionError):
        return arguments  # whoever writes the line says what is wrong with it, by the call's number


def _ready_result(result: Json) -> Any:
    opened = opened_result(result)
    try:
        return opened._replace(value=json.dumps(opened.value), is_text=True)
    except (TypeError, ValueError, RecursionError):
        return result


def _ready_content(content: Json) -> Any:
    if isinstance(content, str) and len(content) < LONGEST_REMEMBERED:
        return _ready_text(content)
    return _ready_result(content_of(content))


@lru_cache(maxsize=REMEMBERED)
def _ready_text(content: str) -> Any:
    return _ready_result(content_of(content))


def _same(value: Any) -> Any:
    return value


AS_THEY_ARE = PayloadMaker(_same, _same, None)
READY = PayloadMaker(_ready_arguments, _ready_result, _ready_content)
