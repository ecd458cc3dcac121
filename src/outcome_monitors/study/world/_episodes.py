"""An episode: a few needs in a row that serve one wish, in the words of a user."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ._state import Record, Tables
from ._world import first_tables

__all__ = ["Ask", "Draw", "Episode", "ask"]

Template = Any


@dataclass(frozen=True, slots=True)
class Ask:
    """One need of an episode; later templates find its facts under `name`."""

    name: str
    need: str
    want: Mapping[str, Template]


@dataclass(frozen=True, slots=True)
class Episode:
    """What the user says, what that needs, and what a summary of it tells."""

    sentence: str
    asks: tuple[Ask, ...]
    report: Mapping[str, Template]


def ask(name: str, need: str, /, **want: Template) -> Ask:
    """Write one need of an episode."""
    return Ask(name, need, want)


class Draw:
    """What an episode is drawn from: a source of chance, and the first records to choose among."""

    def __init__(self, rng: random.Random, seed: int) -> None:
        self.rng = rng
        self.tables: Tables = first_tables(seed)

    def one(self, table: str, fits: Callable[[Record], bool] = lambda _: True) -> tuple[str, Record]:
        """Draw a record that fits."""
        return self.rng.choice([(key, record) for key, record in self.tables[table].items() if fits(record)])
