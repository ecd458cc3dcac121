"""What can be chosen, and how the caller hears of progress."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from outcome_monitors.audit.faults import SUITES
from outcome_monitors.mining.observations import DEFAULT_PROFILE
from outcome_monitors.model import Profile

__all__ = ["DemoProgress", "DemoSettings", "in_silence"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DemoSettings:
    """What a demonstration is made of; equal settings give equal files."""

    workflows: int = 400
    runs: int = 20
    """Of each fault kind, at most; a kind that has no place in enough workflows gets fewer."""
    seed: int = 0
    profile: Profile = DEFAULT_PROFILE
    folds: int = 3
    """Each registry that judges was learned without one fold of the workflows, and judges that fold alone."""
    suites: tuple[str, ...] = tuple(SUITES)


class DemoProgress(Protocol):
    """Yields the items and tells someone how many there were so far."""

    def __call__(self, items: Iterable[T], noun: str, /) -> Iterator[T]:
        """Yield the items, each of them a `noun`."""


def in_silence(items: Iterable[T], _noun: str) -> Iterator[T]:
    """Yield the items and tell nobody."""
    yield from items
