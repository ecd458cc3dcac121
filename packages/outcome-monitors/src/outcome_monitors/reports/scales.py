"""From values to places on a chart."""

from dataclasses import dataclass
from math import floor, isfinite, log10

__all__ = ["Scale", "ticks"]

_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight line from values to positions; what lies outside is put at the edge."""

    low: float
    high: float
    start: float
    """Where `low` is drawn."""
    end: float

    def __call__(self, value: float) -> float:
        """Return the position of a value."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        # Divided first: the difference of two large values may be beyond what a float holds.
        span = self.high / 2 - self.low / 2
        along = (value / 2 - self.low / 2) / span if span else 0.5
        return self.start + (self.end - self.start) * min(1.0, max(0.0, along))


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Return round values from `low` to `high`, about so many and never many more.

    >>> ticks(0, 1), ticks(3, 260)
    ([0.0, 0.25, 0.5, 0.75, 1.0], [100.0, 200.0])
    """
    rough = (high - low) / about
    magnitude = 10.0 ** floor(log10(rough)) if isfinite(rough) and rough > 0 else 0.0
    if not magnitude:
        return [low]
    # A hair less, so that a fourth of 1 is not above 0.25.
    step = next(step * magnitude for step in _STEPS if step * magnitude >= rough * 0.999)
    found = (number * step for number in range(floor(low / step), floor(high / step) + 2))
    return [float(f"{value:.12g}") for value in found if low <= value <= high] or [low]
