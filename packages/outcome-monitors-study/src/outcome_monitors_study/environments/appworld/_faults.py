"""The paper's two faults: a documented field that is missing, and a scalar of another type than documented.

The victim is the first read whose answer has a field to spoil; from then on every answer of that API is spoiled alike. Only what
the agent sees is changed.
"""

import copy
import random
from collections.abc import Callable, Collection, Iterator, Mapping

from outcome_monitors.model import Json

__all__ = ["FAULTS", "Fault", "spoiled"]

Fault = Callable[[dict[str, Json], str], None]


def _missing(row: dict[str, Json], field: str) -> None:
    del row[field]


def _flipped(row: dict[str, Json], field: str) -> None:
    value = row[field]
    if isinstance(value, str):
        row[field] = int(value) if value.isdecimal() else len(value)
    else:
        row[field] = str(value).lower() if isinstance(value, bool) else str(value)


FAULTS: Mapping[str, Fault | None] = {"missing-field": _missing, "type-flip": _flipped, "clean": None}
"""By stratum."""


def spoiled(result: Json, fault: Fault, documented: Collection[str], rng: random.Random) -> Json | None:
    """Return a result with one documented field spoiled, in every row that has it; None where it has none to spoil."""
    wrong = copy.deepcopy(result)
    rows = list(_rows(wrong))
    # A null may stand in the place of any documented type, and a list or an object is no scalar.
    fields = sorted(
        {key for row in rows for key in documented if isinstance(row.get(key), str | int | float)}
    )
    if not fields:
        return None
    field = rng.choice(fields)
    for row in rows:
        if isinstance(row.get(field), str | int | float):
            fault(row, field)
    return wrong


def _rows(result: Json) -> Iterator[dict[str, Json]]:
    """Yield the object that a result is, or those that it lists."""
    for row in result if isinstance(result, list) else [result]:
        if isinstance(row, dict):
            yield row
