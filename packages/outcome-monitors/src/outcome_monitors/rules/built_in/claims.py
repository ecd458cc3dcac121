"""`own_claims`: what a result says of itself agrees with what is in it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.jsonvalue.times import comparable, when
from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Json
from outcome_monitors.rules.base.traits import Cause

from .base import MAX_NUMBER, MAX_ROWS, BuiltIn, Finding, bare, is_amount, lists_in, record_in, value_of
from .vocabulary import LIMITS, MORE, named

RETURNED = named("count returned resultcount numresults")
"""Counts that are of what is there; the others may be of all pages."""
EXACT = named("returned returnedcount resultsreturned")
"""Counts that can be of nothing else."""
COUNTS = RETURNED | EXACT | named("total totalcount totalresults totalitems totalfound numfound")
PAGING = named("offset page skip start cursor after pagetoken nextpagetoken")
PARTS_ASKED = PAGING | LIMITS | named("pagenumber pageno startindex size count")
"""Names of arguments that may ask for a part without rows."""
PARTS = named("tax taxes shipping shippingcost fees fee tip handling vat")
DISCOUNTS = named("discount discounts discountamount credit credits")
ENDS = (
    ("start", "end"),
    ("begin", "end"),
    ("min", "max"),
    ("from", "until"),
    ("low", "high"),
    ("minimum", "maximum"),
    ("created", "updated"),
    ("departure", "arrival"),
)
ITEMS = ("items", "lineitems", "lines", "products", "orderitems")
TOTALS = ("total", "totalprice", "totalamount", "ordertotal", "grandtotal")
PRICES = ("price", "unitprice", "amount", "cost")
EXTRAS = tuple(
    "tax vat shipping fee discount tip refund credit coupon adjust paid balance offset page count skip limit cursor".split()  # noqa: SIM905 - words read better as words
)
"""Parts of names of what may stand between the items and their total."""
TOLERANCE = 0.011
"""Sums of rounded amounts may differ by a unit of the last place."""


class OwnClaims(BuiltIn):
    """Counts, totals, ranges and coordinates of a result do not contradict its content."""

    name = "own_claims"
    code = "claim_contradicted"
    cause = Cause.NUMBERS_DISAGREE
    sentence = "counts, totals and ranges agree with what is there"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Hold the claims of the answer, and of each of its records, against its content."""
        yield from of_the_whole(arguments, result)
        for path, rows in lists_in(result).items():
            for index, row in enumerate(rows[:MAX_ROWS]):
                if isinstance(row, dict):
                    yield from _record(at_index(path, index), row)


def of_the_whole(arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
    """Yield what an answer as a whole claims against its content."""
    if isinstance(result, dict):
        yield from _counts(arguments, result)
        yield from _record(*record_in(result))


def _counts(arguments: Mapping[str, Json], result: Mapping[str, Any]) -> Iterator[Finding]:
    """Hold counts against the one list that they can be of."""
    lists = lists_in(result)
    holder = record_in(result)[1]
    if len(lists) != 1:
        return
    [(path, rows)] = lists.items()
    noun = bare(path.rpartition(".")[2])
    names = {bare(name): name for name in holder if isinstance(name, str)}
    whole = not any(bare(name) in PARTS_ASKED for name in arguments)
    for name, field in names.items():
        value = holder[field]
        if (
            type(value) is not int
            or not 0 <= value < MAX_NUMBER
            or not (name in COUNTS or (noun and name in {f"{noun}count", f"num{noun}", f"total{noun}"}))
        ):
            continue
        too_many = value < len(rows) or (name in EXACT and value != len(rows))
        none = (
            value > 0 and not rows and name in (COUNTS if whole else RETURNED) and not PAGING & names.keys()
        )
        if too_many or none:
            there = f"{len(rows)} item{'' if len(rows) == 1 else 's'}"
            yield Finding(
                field, there, value, f"field {field} says {value}, and {path or 'the list'} has {there}"
            )
    for name in sorted(MORE & names.keys()):
        total = next((holder[names[n]] for n in ("total", "totalcount", "totalresults") if n in names), None)
        first = not any(holder.get(names[n]) for n in PAGING & names.keys())
        if (
            holder[names[name]] is False
            and first
            and type(total) is int
            and 0 < len(rows) < total < MAX_NUMBER
        ):
            yield Finding(
                names[name],
                True,
                False,
                f"field {names[name]} denies that there is more than {len(rows)} of {total}",
            )


def _record(path: str, record: Mapping[str, Any]) -> Iterator[Finding]:
    names = {bare(name): name for name in record if isinstance(name, str)}
    yield from _sum(path, record, names)
    yield from _of_items(path, record, names)
    yield from _order(path, record, names)


def _sum(path: str, record: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Finding]:
    """Hold a total against the subtotal and what is named as added to it."""
    if "subtotal" not in names or not ({"total", "grandtotal"} & names.keys()):
        return
    field = names["total"] if "total" in names else names["grandtotal"]
    total, subtotal = record[field], record[names["subtotal"]]
    parts = [record[names[n]] for n in sorted(PARTS & names.keys())]
    less = [record[names[n]] for n in sorted(DISCOUNTS & names.keys())]
    amounts = [total, subtotal, *parts, *less]
    if not parts or not all(map(is_amount, amounts)):
        return
    expected = subtotal + sum(parts) - sum(map(abs, less))
    if abs(total - expected) > TOLERANCE + 1e-9 * abs(expected):
        yield Finding(
            below(path, field),
            round(expected, 2),
            total,
            f"field {field} is not the subtotal with what is added to it",
        )


def _of_items(path: str, record: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Finding]:
    """Hold a total against the items that it is of, where nothing else is named that would change it."""
    items = next((record[names[n]] for n in ITEMS if isinstance(value_of(record, names, n), list)), None)
    field = next((names[n] for n in TOTALS if is_amount(value_of(record, names, n))), None)
    if items is None or field is None or any(part in name for name in names for part in EXTRAS):
        return
    total = record[field]
    if type(total) is int and not any(
        isinstance(item, dict) and {"quantity", "qty"} & item.keys() for item in items
    ):
        # It may count what there is.
        return
    if not items and total > 0:
        yield Finding(below(path, field), "items", total, f"field {field} is a total of no items")
        return
    amounts = [_amount(item) for item in items[:MAX_ROWS]]
    if amounts and None not in amounts:
        sums = {round(sum(amount[n] for amount in amounts if amount), 2) for n in (0, 1)}
        if not any(abs(total - one) <= TOLERANCE + 0.001 * abs(one) for one in sums):
            yield Finding(below(path, field), max(sums), total, f"field {field} is not the sum of the items")


def _amount(item: Json) -> tuple[float, float] | None:
    """Return what an item costs, by itself and times its quantity; None where it does not say."""
    if not isinstance(item, dict):
        return None
    names = {bare(name): name for name in item if isinstance(name, str)}
    price: Any = next((item[names[n]] for n in PRICES if n in names), None)
    quantity: Any = next((item[names[n]] for n in ("quantity", "qty") if n in names), 1)
    if (
        not is_amount(price)
        or not is_amount(quantity)
        or any(part in name for name in names for part in EXTRAS)
    ):
        return None
    return price, price * quantity


def _order(path: str, record: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Finding]:
    """Hold a start against the end of the same thing."""
    for name, field in names.items():
        for first, last in ENDS:
            if first not in name:
                continue
            other = names.get(name.replace(first, last, 1))
            if other is None or other == field:
                continue
            low, high = record[field], record[other]
            if _is_above(low, high):
                yield Finding(
                    below(path, other), f"not below {field}", high, f"field {field} is above {other}"
                )


def _is_above(low: Json, high: Json) -> bool:
    if finite(low) and finite(high):
        return bool(low > high)
    if (
        isinstance(low, str)
        and isinstance(high, str)
        and re.match(r"\d{4}-\d\d-\d\d", low)
        and re.match(r"\d{4}-\d\d-\d\d", high)
    ):
        one, other = when(low), when(high)
        return one is not None and other is not None and comparable(one, other) and bool(one > other)
    return False
