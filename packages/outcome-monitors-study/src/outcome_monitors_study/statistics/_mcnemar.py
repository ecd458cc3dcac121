"""The exact McNemar test: of the pairs that differ, is one direction more frequent than a fair coin would have it?"""

from math import comb

from outcome_monitors.exceptions import OutcomeMonitorsError

__all__ = ["mcnemar_exact"]


def mcnemar_exact(wins: int, losses: int) -> float:
    """Return the two-sided exact p of so many wins and losses; pairs that agree say nothing.

    >>> round(mcnemar_exact(wins=14, losses=0), 5)
    0.00012
    """
    if wins < 0 or losses < 0:
        raise OutcomeMonitorsError(f"wins and losses are counts, not {wins} and {losses}")
    discordant = wins + losses
    tail = sum(comb(discordant, k) for k in range(min(wins, losses) + 1))
    # Whole numbers up to the last division: no tail is lost to rounding.
    return min(1.0, 2 * tail / (1 << discordant))
