"""The figures as rows of tables, for the terminal and the page alike; a column named with a leading `>` is of numbers."""

from collections.abc import Iterable

from outcome_monitors.reports import percent, span

from ._learning import Learning
from .figures import Caught, Completed

__all__ = ["Table", "caught_table", "completed_table", "learning_table"]

Table = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""The columns and the rows."""


def caught_table(rows: Iterable[Caught]) -> Table:
    """Return what was caught, a fault a row."""
    return (
        ("fault", ">runs", ">caught", ">share", ">95% interval"),
        [
            (
                row.fault,
                f"{row.share.whole:,}",
                f"{row.share.part:,}",
                percent(row.share.value),
                span(row.interval),
            )
            for row in rows
        ],
    )


def completed_table(rows: Iterable[Completed]) -> Table:
    """Return what became of the tasks, a group a row."""
    return (
        ("the fault strikes", ">runs", ">without", ">with", ">rescued", ">broken"),
        [
            (
                row.group,
                f"{row.without.whole:,}",
                f"{row.without.part:,}",
                f"{row.monitored.part:,}",
                f"{row.rescued:,}",
                f"{row.broken:,}",
            )
            for row in rows
        ],
    )


def learning_table(points: Iterable[Learning]) -> Table:
    """Return how much it takes, a number of workflows a row."""
    return (
        (">workflows", ">wrong results caught", ">share", ">clean results flagged", ">share"),
        [
            (
                f"{point.workflows:,}",
                str(point.caught),
                percent(point.caught.value),
                str(point.flagged),
                percent(point.flagged.value),
            )
            for point in points
        ],
    )
