"""Which tasks a study takes: so many of each stratum, and none that another study has had."""

from collections.abc import Sequence

from outcome_monitors.exceptions import OutcomeMonitorsError

__all__ = ["wanted"]


def wanted(strata: Sequence[str], per_stratum: int) -> dict[str, int]:
    """Return how many tasks of each stratum: `C3/P4:15` says its own number.

    >>> wanted(["C3/P3", "C3/P4:15"], 14)
    {'C3/P3': 14, 'C3/P4': 15}
    """
    found: dict[str, int] = {}
    for text in strata:
        name, colon, number = text.partition(":")
        if colon and not (number.isdecimal() and int(number)):
            raise OutcomeMonitorsError(f"stratum {text!r} has no number of tasks behind the colon")
        if name in found:
            raise OutcomeMonitorsError(f"stratum {name!r} is named twice")
        found[name] = int(number) if colon else per_stratum
    return found
