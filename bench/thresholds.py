"""`python -m bench thresholds FILES... [--then LATER]...`: what each threshold does to recall and to false alarms.

Each threshold is halved and doubled, one at a time. Those of mining (`rules.config`, `mining.config`): contracts are mined from four
fifths of the tasks of each file, and the rest is judged as it is and with silent faults put in, as an audit does. With `--then`, those of
alerting (`alerting.config`, and how severe `rules.config` takes things to be): contracts are mined from each file, and the later one of
the same place in the order is replayed under the alert policy, as a backtest does.
"""

import gc
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import _lru_cache_wrapper
from statistics import fmean
from textwrap import fill
from typing import Any

import click

from outcome_monitors.cli._output import write

from ._report import WIDTH
from ._variants import CONFIGS, Alerts, Audits, Figures, Variant

FIXED = ("parts", "drift_rates")
"""Part of the format of what is stored."""
ROW = "{:<34}{:>22}{:>8}{:>8}{:>8}\n"
COLUMNS = ("threshold", "tried", "clauses", "recall", "clean")
NOTE = (
    "Clauses: learned or lost, in all. Recall: points of the results with a fault that are flagged, the mean over the sets."
    " Clean: the same of the clean results. With `--then`, those of which agents are alerted. Blank: nothing moves."
)


def variants(names: Sequence[str], *, of_alerting: bool) -> Iterator[Variant]:
    """Yield each threshold of mining or of alerting, or those of them named, with half its value and with twice."""
    for side, config in CONFIGS.items():
        for one in fields(config):
            alerts = side == "alerting" or one.name.startswith("severity_")
            if alerts is of_alerting and one.name not in FIXED and (not names or one.name in names):
                value = getattr(config, one.name)
                yield from (Variant(side, one.name, other) for other in half_and_twice(value))


def half_and_twice(value: Any) -> tuple[Any, Any]:
    """Return half a value and twice, of several each; of a share, all is the most."""
    if isinstance(value, Mapping):
        halves, twice = zip(*map(half_and_twice, value.values()), strict=True)
        return dict(zip(value, halves, strict=True)), dict(zip(value, twice, strict=True))
    if isinstance(value, tuple):
        halves, twice = zip(*map(half_and_twice, value), strict=True)
        return halves, twice
    if isinstance(value, int):
        return value // 2, 2 * value
    return value / 2, min(2 * value, 1.0) if isinstance(value, float) and value < 1 else 2 * value


_figures: Audits | Alerts
"""In a forked process: what it does."""


def _try(variant: Variant) -> list[Figures]:
    variant.apply()
    for found in gc.get_objects():
        # What is remembered was found under the values of before.
        if isinstance(found, _lru_cache_wrapper):
            found.cache_clear()
    return _figures(variant)


def rows(figures: Audits | Alerts, tried: Sequence[Variant]) -> Iterator[tuple[str, ...]]:
    """Yield what each variant moves; each is tried in a process of its own."""
    global _figures  # noqa: PLW0603 - how a pool hands its workers what cannot be sent
    _figures = figures
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        for variant, found in zip(tried, pool.imap(_try, tried), strict=True):
            yield _row(variant, figures.base, found)


def _row(variant: Variant, base: Sequence[Figures], found: Sequence[Figures]) -> tuple[str, ...]:
    pairs = list(zip(base, found, strict=True))
    clauses = sum(len(one.clauses ^ other.clauses) for one, other in pairs)
    recall = fmean(other.recall - one.recall for one, other in pairs)
    clean = fmean(other.clean - one.clean for one, other in pairs)
    moved = (str(clauses or ""), f"{recall:+.2f}", f"{clean:+.2f}")
    blank = list(base) == list(found)
    return variant.name, _written(variant), *(("", "", "") if blank else moved)


def _written(variant: Variant) -> str:
    was, value = getattr(CONFIGS[variant.side], variant.name), variant.value
    if isinstance(value, int | float):
        return f"{was:g} -> {value:g}"
    return "twice" if value == half_and_twice(was)[1] else "half"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, required=True)
@click.option("--then", multiple=True, help="The later traces of each file, for the thresholds of alerting.")
@click.option("--names", multiple=True, help="Try these thresholds alone.")
@click.option("--folds", default=1, show_default=True, help="Leave out each of so many folds, of five.")
@click.option(
    "--limit", default=40, show_default=True, help="Try at most so many results of each fault; 0 tries all."
)
def main(
    files: tuple[str, ...], then: tuple[str, ...], names: tuple[str, ...], folds: int, limit: int
) -> None:
    """Show what each threshold moves, on FILES of traces.

    Example: python -m bench thresholds airline.jsonl.gz --names min_tasks
    """
    tried = list(variants(names, of_alerting=bool(then)))
    figures = Alerts(zip(files, then, strict=True), limit) if then else Audits(files, folds, limit)
    write(ROW.format(*COLUMNS))
    for row in rows(figures, tried):
        write(ROW.format(*row))
    write("\n" + fill(NOTE, WIDTH) + "\n")
