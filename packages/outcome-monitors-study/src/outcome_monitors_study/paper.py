"""The figures that the paper prints, beside what this package works out from the counts that stand next to them."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from outcome_monitors.model import Json

from ._json import resource
from .detector import PUBLISHED_TYPES
from .statistics import break_even, cluster_bootstrap, mcnemar_exact, minimum_detectable_effect
from .tables import Table

MOST_PAIRS = 60
"""Discordant pairs that are tried where only their difference is printed."""


def _mcnemar_of(difference: int, printed: str) -> float:
    """Return the p of some wins and losses of a difference, that which is nearest to the printed one."""
    wanted = float(printed)
    pairs = ((losses + difference, losses) for losses in range(MOST_PAIRS) if losses + difference >= 0)
    return min((mcnemar_exact(*each) for each in pairs), key=lambda p: abs(p - wanted))


def _bootstrap(wins: int, losses: int, pairs: int) -> list[float]:
    found = cluster_bootstrap([1.0] * wins + [-1.0] * losses + [0.0] * (pairs - wins - losses))
    return [100 * found.low, 100 * found.high]


def _least_effect(pairs: int, baseline: float, clusters: int) -> float:
    return round(100 * (minimum_detectable_effect(pairs, baseline, clusters=clusters) or 0))


def _mean_recall(_: str) -> float:
    faults = sum(number for number, _, _ in PUBLISHED_TYPES.values())
    return 100 * sum(number * recall for number, recall, _ in PUBLISHED_TYPES.values()) / faults


WAYS: Mapping[str, Callable[..., Any]] = {
    "mcnemar": mcnemar_exact,
    "points": lambda difference, pairs: 100 * difference / pairs,
    "percent": lambda part, whole: 100 * part / whole,
    "bootstrap": _bootstrap,
    "break_even": break_even,
    "mde": _least_effect,
    "mean": _mean_recall,
    "inputs": lambda workflows, dealt, folds: folds * (workflows - dealt) + (folds - 1) * dealt,
}


def paper_table() -> Table:
    """Return each printed figure, what it is here, and why it is another one or cannot be had."""
    columns = dict.fromkeys(("in the paper", "figure", "printed", "here", "why"), "text")
    return Table(
        "paper", "Figures of the paper", columns, [_row(**row) for row in resource("paper.json")["figures"]]
    )


def _row(where: str, figure: str, printed: str, why: str = "", **given: Any) -> tuple[Json, ...]:
    if "by" not in given:
        return where, figure, printed, "-", f"not here: {why}"
    found: Any
    if given["by"] == "mcnemar of":
        [difference] = given["from"]
        found, why = _mcnemar_of(difference, printed), "from the difference; W/L is not printed"
    else:
        found = WAYS[given["by"]](*given["from"])
    numbers = found if isinstance(found, list) else [found]
    wanted = re.findall(r"-?\d*\.?\d+", printed)
    here = [f"{number:.{len(text.partition('.')[2])}f}" for number, text in zip(numbers, wanted, strict=True)]
    verdict = "same" if list(map(float, here)) == list(map(float, wanted)) else "differs"
    return where, figure, printed, ", ".join(here), f"{verdict}: {why}" if why else verdict
