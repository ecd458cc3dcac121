"""How well odds hold: of the results that were wrong with odds p, as the policy says, how many were.

A result that breaks something is given odds (`alerting.severity`); as a probability they say how many of a hundred such results are
wrong. Where faults were put in, that can be counted. On the diagonal the odds mean what they say; above it more results are wrong
than they say, below it fewer.
"""

from collections.abc import Mapping
from typing import NamedTuple

from outcome_monitors.alerting.severity import probability
from outcome_monitors.reports import Estimate, Markup, Series, Share, lines

__all__ = ["ReliabilityBin", "draw_reliability", "reliability", "said"]

BINS = 10
DIGITS = 3


class ReliabilityBin(NamedTuple):
    """Results that were given about the same probability of being wrong."""

    low: float
    high: float
    """The probabilities that are in it, the upper bound in the last one alone."""
    said: float
    """The mean of theirs."""
    wrong: Share


def said(odds: float) -> float:
    """Return odds as a probability, with so few digits that there are never many."""
    return round(probability(odds), DIGITS)


def reliability(results: Mapping[float, int], wrong: Mapping[float, int]) -> tuple[ReliabilityBin, ...]:
    """Return the curve from the results given each probability, and those of them that were wrong; empty bins are left out."""
    bins: dict[int, list[float]] = {}
    for value in sorted(results):
        bins.setdefault(min(int(value * BINS), BINS - 1), []).append(value)
    return tuple(
        ReliabilityBin(
            place / BINS,
            (place + 1) / BINS,
            sum(value * results[value] for value in values) / sum(map(results.__getitem__, values)),
            Share(sum(wrong.get(value, 0) for value in values), sum(map(results.__getitem__, values))),
        )
        for place, values in bins.items()
    )


def draw_reliability(curve: tuple[ReliabilityBin, ...]) -> Markup:
    """Draw the curve beside the diagonal that it should be."""
    places = [round(100 * one.said, 1) for one in curve]
    counted = [
        (place, Estimate(one.wrong.value, *(one.wrong.interval or (None, None))))
        for place, one in zip(places, curve, strict=True)
    ]
    diagonal = [(place, Estimate(place / 100)) for place in (0.0, 100.0)]
    return lines(
        "How many results were wrong, against how many the odds say",
        [Series("wrong, as counted", counted), Series("as the odds say", diagonal)],
        across="wrong, as the odds say, %",
    )
