"""The records of an episode.

An episode changes copies of single records, so that opening one costs next to nothing, and what it changed is at hand.
"""

import copy
from collections.abc import Mapping

from outcome_monitors.model import Json
from outcome_monitors_study._json import canonical

Tables = Mapping[str, Mapping[str, dict[str, Json]]]


class RefusedError(Exception):
    """What a tool says no with."""


class Records:
    """The records of one episode, over those that all share."""

    def __init__(self, tables: Tables) -> None:
        self._base = tables
        self._own: dict[str, dict[str, dict[str, Json]]] = {name: {} for name in tables}

    def find(self, table: str, name: Json) -> dict[str, Json] | None:
        """Return a record, not to be changed; None where there is none."""
        own = self._own[table].get(name)
        return own if own is not None else self._base[table].get(name)

    def record(self, table: str, name: str) -> dict[str, Json]:
        """Return the episode's own copy of a record, to be changed."""
        if name not in self._own[table]:
            self._own[table][name] = copy.deepcopy(self._base[table][name])
        return self._own[table][name]

    def names(self, table: str) -> list[str]:
        """Return the ids of a table's records, in its order."""
        return list(self._base[table])

    def changed(self) -> dict[str, dict[str, Json]]:
        """Return the records that are not as they were, by table and id."""
        return {
            f"{table}/{name}": record
            for table, own in self._own.items()
            for name, record in sorted(own.items())
            if canonical(record) != canonical(self._base[table].get(name))
        }


def failed(result: Json) -> bool:
    """Say whether a call failed openly."""
    return isinstance(result, str) and result.startswith("Error")
