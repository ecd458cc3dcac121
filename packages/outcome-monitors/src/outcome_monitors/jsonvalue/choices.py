"""What a caller hands over in the place of something else, said in one sentence with the next step."""

import os
from collections.abc import Collection
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError

from .display import clip

__all__ = ["refuse_one", "refuse_path", "refuse_unknown"]


def refuse_unknown(noun: str, name: object, choices: Collection[str]) -> None:
    """Raise where a name is not among the choices."""
    if name not in choices:
        raise OutcomeMonitorsError(f"there is no {noun} {clip(name)!r}; choose one of {', '.join(choices)}")


def refuse_one(call: str, given: Any) -> None:
    """Raise where one file, or one text, stands in the place of a list of them; `call` is written as it should be, with {}."""
    if isinstance(given, (str, bytes, os.PathLike)):
        meant = call.format(f"[{os.fspath(given)!r}]")
        raise TypeError(f"a list is needed, not {os.fspath(given)!r} alone: {meant}")


def refuse_path(taker: str, given: object, wanted: str, call: str) -> None:
    """Raise where a path stands in the place of what is read from it, and say which call reads it."""
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        raise TypeError(f"{taker} takes a {wanted}, not the path {path!r}: {call}({path!r})")
