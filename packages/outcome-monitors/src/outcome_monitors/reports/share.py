"""Numbers in words: a count of things, a share of a count, and how sure one can be of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

MOST_NAMED = 10

_Z = 1.959963984540054
"""The normal quantile that leaves 2.5% on either side."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """The share itself, from 0 to 1; None of nothing."""
        return self.part / self.whole if self.whole else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson score interval at 95%, for things that are independent of each other; None of nothing."""
        if not self.whole:
            return None
        share, spread = self.part / self.whole, _Z * _Z / self.whole
        centre = (share + spread / 2) / (1 + spread)
        reach = _Z * sqrt(share * (1 - share) / self.whole + spread / self.whole / 4) / (1 + spread)
        # Rounding must not leave the share itself outside: at 0 and at 1 the interval begins or ends there.
        return max(0.0, min(share, centre - reach)), min(1.0, max(share, centre + reach))

    def __str__(self) -> str:
        return f"{self.part:,} of {self.whole:,}"


def percent(value: float | None) -> str:
    """Write a share; a hyphen where there is none. A few of many are not none, and most of them are not all.

    >>> percent(0.5), percent(0.005), percent(None)
    ('50%', '0.5%', '-')
    """
    if value is None:
        return "-"
    text = f"{value * 100:.1f}"
    if text == "0.0" and value > 0:
        return f"{value * 100:.1g}%"
    return "99.9%" if text == "100.0" and value < 1 else f"{text.removesuffix('.0')}%"


def span(interval: tuple[float, float] | None) -> str:
    """Write an interval of shares.

    >>> span((0.25, 0.5))
    '25 to 50%'
    """
    return "-" if interval is None else f"{percent(interval[0])[:-1]} to {percent(interval[1])}"


def count(number: int, noun: str) -> str:
    """Write a number of things.

    >>> count(1, "call"), count(2000, "call")
    ('1 call', '2,000 calls')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def ranked(numbers: Mapping[str, int]) -> str:
    """Name the tools with the largest numbers, the largest first.

    >>> ranked({"a": 1, "b": 2})
    'b (2), a (1)'
    """
    by_number = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{name} ({number:,})" for name, number in by_number[:MOST_NAMED])
    more = len(by_number) - MOST_NAMED
    return f"{named} and {count(more, 'more tool')}" if more > 0 else named
