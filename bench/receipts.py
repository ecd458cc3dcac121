"""Receipts: whether they list something to call, on recorded traffic and on real servers, and name the field that is wrong."""

from collections.abc import Iterable, Iterator

from . import blame
from ._lists import ListMeasure, of_servers, of_substitutes, of_traces
from ._report import Table

__all__ = ["tables"]

_OF_LISTS = (
    "Receipts with two actions or more, with a labelled one, and what share of the actions beside the tool itself is labelled."
    " Recorded traffic: relations from one half of the tasks and the names of the tools in sight, a list for each call of the other"
    " half. Servers: from the interfaces of the server alone. Only tools are counted for which a read in sight was labelled"
    " that stands in or shows the same thing (bench/data/recovery_reads.json); of the tickets there is no second read. The"
    " method was shaped on what is marked `tuned`. Substitutes: the shared labels, all servers in sight."
)
_COLUMNS = ("set", ">receipts", ">two", ">a right one", ">right")


def tables() -> Iterator[Table]:
    """Measure, and yield the tables."""
    rows = [*_rows("traffic", of_traces()), *_rows("server", of_servers())]
    rows.append(of_substitutes().row("labelled substitutes"))
    yield Table("What the safe list offers", _COLUMNS, tuple(rows), (_OF_LISTS,))
    yield from blame.tables()


def _rows(kind: str, measured: Iterable[tuple[str, str, ListMeasure]]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each set, and one for each part."""
    totals: dict[str, ListMeasure] = {}
    for name, part, measure in measured:
        yield measure.row(f"{kind}: {name} ({part})")
        totals.setdefault(part, ListMeasure()).plus(measure)
    for part, total in totals.items():
        yield total.row(f"{kind}: all {part}")
