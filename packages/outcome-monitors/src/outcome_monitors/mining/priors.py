"""What a clause costs: the share of right results that clauses of its sort flagged on tasks that mining had not seen.

A few tasks say little about the next one, and the trials of a small set of traces cannot show all that would fire. So the cost of a
sort begins with what it was in public traffic (`priors.json`, made by `python -m bench.priors`), with an upper bound in place of a mean;
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


class RuleBucket(NamedTuple):
    """What is affordable: clauses of a sort with about so many tasks behind them: 1, 2 to 3, 4 to 7, and so on."""

    sort: str
    band: int

    @classmethod
    def of(cls, sort: str, tasks: int) -> "RuleBucket":
        """Return the sort of a clause with so many tasks behind it."""
        return cls(sort, min(max(tasks, 1).bit_length(), CONFIG.max_band))


class HeldOutCounts(NamedTuple):
    """How such clauses did on held-out tasks of one data set; a result that several of them flag is shared among them."""

    clauses: int
    checked: float
    fired: float


_Rows = Mapping[str, HeldOutCounts]
"""By data set."""


class PriorTable:
    """FalsePositivePrior in public traffic."""

    def __init__(self, rows: Mapping[RuleBucket, _Rows]) -> None:
        self._rows = rows
        self._of_kind: dict[RuleBucket, _Rows] = {}
        self._of_band: dict[int, _Rows] = {}
        for (sort, band), found in rows.items():
            kind = RuleBucket(_kind(sort), band)
            self._of_kind[kind] = _added(self._of_kind.get(kind, {}), found)
            self._of_band[band] = _added(self._of_band.get(band, {}), found)

    def cost(self, bucket: RuleBucket) -> float:
        """Return an upper bound of the share of right results that one clause flags, drawn to that of its kind and of its band."""
        on_the_whole = _upper(self._of_band.get(bucket.band, {}), 0.0)
        of_kind = _upper(self._of_kind.get(RuleBucket(_kind(bucket.sort), bucket.band), {}), on_the_whole)
        return _upper(self._rows.get(bucket, {}), of_kind)


def _kind(sort: str) -> str:
    return sort.split(None, 1)[0]


def _added(some: _Rows, others: _Rows) -> _Rows:
    both = dict(some)
    for name, row in others.items():
        had = both.get(name, HeldOutCounts(0, 0.0, 0.0))
        both[name] = HeldOutCounts(
            had.clauses + row.clauses, had.checked + row.checked, had.fired + row.fired
        )
    return both


def _upper(rows: _Rows, shrunk_to: float) -> float:
    """Return the mean with a standard error between data sets: what one of them shows is no novel_value of another."""
    found: Collection[HeldOutCounts] = rows.values()
    checked, fired = sum(row.checked for row in found), sum(row.fired for row in found)
    rate = fired / checked if checked else 0.0
    error = math.sqrt(sum((row.fired - rate * row.checked) ** 2 for row in found))
    return (fired + error + CONFIG.shrinkage * shrunk_to) / (checked + CONFIG.shrinkage)


class FalsePositivePrior:
    """FalsePositivePrior in the traces at hand: those of public traffic, lowered by each clause that came through its trial here."""

    def __init__(self, table: PriorTable, held: Iterable[RuleBucket]) -> None:
        self._price = cache(table.cost)
        """Thousands of candidates are of a few hundred sorts."""
        self._held = Counter(held)

    def cost(self, bucket: RuleBucket) -> float:
        """Return what a clause costs. That clauses of its sort fire here is the business of the budget, which they share."""
        return self._price(bucket) * CONFIG.prior_weight / (CONFIG.prior_weight + self._held[bucket])


@cache
def public_priors(without: frozenset[str] = frozenset()) -> PriorTable:
    """Return the table that comes with the package; without some data sets, to try it on those."""
    text = files(__package__).joinpath("priors.json").read_text(encoding="utf-8")
    return PriorTable(
        {
            RuleBucket(sort, int(band)): {
                name: HeldOutCounts(*row) for name, row in rows.items() if name not in without
            }
            for sort, bands in json.loads(text)["sorts"].items()
            for band, rows in bands.items()
        }
    )
