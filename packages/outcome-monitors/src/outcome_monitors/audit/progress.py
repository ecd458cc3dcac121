"""Long work tells how far it is: whoever calls it hands in what counts the items."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

__all__ = ["Ticker", "unwatched"]

T = TypeVar("T")


class Ticker(Protocol):
    """Yields the items as they come; `noun` says what they are, `then` what work follows the last."""

    def __call__(self, items: Iterable[T], noun: str, then: str = "") -> Iterable[T]:
        """Watch the items go by."""


def unwatched(items: Iterable[T], noun: str, then: str = "") -> Iterable[T]:  # noqa: ARG001 - as `Watch` has it
    """Watch nothing."""
    return items
