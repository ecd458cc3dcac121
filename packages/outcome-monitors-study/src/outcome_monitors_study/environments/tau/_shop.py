"""The records of a benchmark's domain by id, as tau-bench's retail data has them: orders, products and users.

An episode changes copies of single records, so that opening one costs next to nothing, and what it changed is at hand.
"""

import copy
from collections.abc import Mapping
from pathlib import Path

from outcome_monitors.exceptions import SourceError
from outcome_monitors.model import Json
from outcome_monitors.values.documents import read_json
from outcome_monitors_study._json import canonical

__all__ = ["TABLES", "Shop", "Tables", "read_tables"]

TABLES = ("orders", "products", "users")

Tables = Mapping[str, Mapping[str, dict[str, Json]]]

_NEEDED = {
    "orders": ("order_id", "user_id", "items", "status", "payment_history", "address"),
    "products": ("name", "product_id", "variants"),
    "users": ("name", "address", "email", "payment_methods", "orders"),
}
"""Fields without which the tools could not do their work."""


def read_tables(folder: Path) -> dict[str, dict[str, dict[str, Json]]]:
    """Read `orders.json`, `products.json` and `users.json`."""
    return {name: _table(folder / f"{name}.json", _NEEDED[name]) for name in TABLES}


def _table(file: Path, needed: tuple[str, ...]) -> dict[str, dict[str, Json]]:
    records = read_json(file)
    if not isinstance(records, dict) or not records:
        raise SourceError(
            f"{file} is no table of tau-bench's retail data: it must be an object of records by id"
        )
    for name, record in records.items():
        lacking = [field for field in needed if not isinstance(record, dict) or field not in record]
        if lacking:
            raise SourceError(
                f"{file}: record {name} lacks {lacking[0]}; give tau-bench's retail data unaltered"
            )
    return records


class Shop:
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

    def add(self, table: str, name: str, record: dict[str, Json]) -> None:
        """Put a new record in."""
        self._own[table][name] = record

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
