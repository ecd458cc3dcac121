"""Where the first records come from: data files, and seeded draws from small pools of made-up names."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from .state import TODAY, Record


@cache
def document(*path: str) -> Any:
    """Return what a file of the folder `data` holds; it is shared and must not be changed."""
    return json.loads(resources.files(__package__ or "").joinpath("data", *path).read_text(encoding="utf-8"))


@cache
def vocabulary(domain: str = "") -> Mapping[str, Any]:
    """Return the words of a domain and those that all domains share, by the name of their list."""
    own = document(domain, "vocabulary.json") if domain else {}
    return {**document("vocabulary.json"), **own}


class City(NamedTuple):
    """A made-up town; its airport code and its hours ahead of UTC go with it."""

    name: str
    code: str
    region: str
    utc_offset: int
    warmth: int
    """Its mean temperature in March, in degrees Celsius."""


_WORDS = vocabulary()
CITIES = tuple(City(**row) for row in _WORDS["cities"])


def generator(seed: int, name: str) -> random.Random:
    """Return a source of draws of its own for each part, so that one part's records do not move another's."""
    return random.Random(f"{seed}/{name}")  # noqa: S311 - made-up records, not secrets


def numbered(rng: random.Random, prefix: str, how_many: int, start: int) -> Iterator[str]:
    """Yield ids that rise by uneven steps."""
    number = start
    for _ in range(how_many):
        number += rng.randint(1, 40)
        yield f"{prefix}-{number}"


def person(rng: random.Random, taken: set[str]) -> tuple[str, str]:
    """Return a name not yet taken, and the address that goes with it."""
    while True:
        first, last = rng.choice(_WORDS["first_names"]), rng.choice(_WORDS["last_names"])
        if (name := f"{first} {last}") not in taken:
            taken.add(name)
            return name, f"{first}.{last}@example.com".lower()


def address(rng: random.Random) -> Record:
    """Return a postal address."""
    city = rng.choice(CITIES)
    return {
        "street": f"{rng.randint(1, 240)} {rng.choice(_WORDS['streets'])} Street",
        "city": city.name,
        "region": city.region,
        "postal_code": f"{rng.randint(10000, 98999)}",
    }


def shift(day: str, days: int) -> str:
    """Return the day so many days later."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def past_day(rng: random.Random, within: int) -> str:
    """Return a day before today."""
    return shift(TODAY, -rng.randint(1, within))


def units(amount: int) -> float:
    """Write an amount kept in cents as results show it."""
    return amount / 100


def cents(amount: float) -> int:
    """Read an amount as callers give it."""
    return round(amount * 100)


def paged(name: str, rows: Sequence[Record], page: int, limit: int) -> Record:
    """Return a page of rows under a name, how many there are in all, and whether there are more."""
    shown = rows[(page - 1) * limit : page * limit]
    return {"total_count": len(rows), "has_more": page * limit < len(rows), name: shown}
