"""What a clause costs: the share of right results that clauses of its sort flagged on tasks that mining had not seen.

A few tasks say little about the next one, and the trials of a small set of traces cannot show all that would fire. So the price of a
sort begins with what it was in public traffic (`prices.json`, made by `python -m bench.prices`), with an upper bound in place of a mean;
clauses that come through their trials in the traces at hand lower it. What nothing is known of costs what clauses with so many tasks behind them cost on the whole.
"""

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from .config import CONFIG

__all__ = ["PriceTable", "Priced", "Prices", "Sold", "public_prices"]


class Sold(NamedTuple):
    """What is priced: clauses of a sort with about so many tasks behind them: 1, 2 to 3, 4 to 7, and so on."""

    sort: str
    band: int

    @classmethod
    def of(cls, sort: str, tasks: int) -> "Sold":
        """Return the sort of a clause with so many tasks behind it."""
        return cls(sort, min(max(tasks, 1).bit_length(), CONFIG.max_band))


class Priced(NamedTuple):
    """How such clauses did on held-out tasks of one data set; a result that several of them flag is shared among them."""

    clauses: int
    checked: float
    fired: float


_Rows = Mapping[str, Priced]
"""By data set."""


class PriceTable:
    """Prices in public traffic."""

    def __init__(self, rows: Mapping[Sold, _Rows]) -> None:
        self._rows = rows
        self._of_kind: dict[Sold, _Rows] = {}
        self._of_band: dict[int, _Rows] = {}
        for (sort, band), found in rows.items():
            kind = Sold(_kind(sort), band)
            self._of_kind[kind] = _added(self._of_kind.get(kind, {}), found)
            self._of_band[band] = _added(self._of_band.get(band, {}), found)

    def price(self, sold: Sold) -> float:
        """Return an upper bound of the share of right results that one clause flags, drawn to that of its kind and of its band."""
        on_the_whole = _upper(self._of_band.get(sold.band, {}), 0.0)
        of_kind = _upper(self._of_kind.get(Sold(_kind(sold.sort), sold.band), {}), on_the_whole)
        return _upper(self._rows.get(sold, {}), of_kind)


def _kind(sort: str) -> str:
    return sort.split(None, 1)[0]


def _added(some: _Rows, others: _Rows) -> _Rows:
    both = dict(some)
    for name, row in others.items():
        had = both.get(name, Priced(0, 0.0, 0.0))
        both[name] = Priced(had.clauses + row.clauses, had.checked + row.checked, had.fired + row.fired)
    return both


def _upper(rows: _Rows, drawn_to: float) -> float:
    """Return the mean with a standard error between data sets: what one of them shows is no news of another."""
    found: Collection[Priced] = rows.values()
    checked, fired = sum(row.checked for row in found), sum(row.fired for row in found)
    rate = fired / checked if checked else 0.0
    error = math.sqrt(sum((row.fired - rate * row.checked) ** 2 for row in found))
    return (fired + error + CONFIG.shrinkage * drawn_to) / (checked + CONFIG.shrinkage)


class Prices:
    """Prices in the traces at hand: those of public traffic, lowered by each clause that came through its trial here."""

    def __init__(self, table: PriceTable, held: Iterable[Sold]) -> None:
        self._price = cache(table.price)
        """Thousands of candidates are of a few hundred sorts."""
        self._held = Counter(held)

    def price(self, sold: Sold) -> float:
        """Return what a clause costs. That clauses of its sort fire here is the business of the budget, which they share."""
        return self._price(sold) * CONFIG.prior_weight / (CONFIG.prior_weight + self._held[sold])


@cache
def public_prices(without: frozenset[str] = frozenset()) -> PriceTable:
    """Return the table that comes with the package; without some data sets, to try it on those."""
    text = files(__package__).joinpath("prices.json").read_text(encoding="utf-8")
    return PriceTable(
        {
            Sold(sort, int(band)): {name: Priced(*row) for name, row in rows.items() if name not in without}
            for sort, bands in json.loads(text)["sorts"].items()
            for band, rows in bands.items()
        }
    )
