"""Rows: the lists and maps of a result that hold several things of one kind."""

from collections.abc import Iterator, Sequence

from outcome_monitors.jsonvalue.types import is_number
from outcome_monitors.model import Json

from .places import Edits, Node, Place
from .view import View
from .vocabulary import is_count, primary_list

__all__ = ["Rows", "answer_list", "recounted", "tables"]

Rows = Sequence[tuple[Place, Json]]


def answer_list(view: View) -> Node | None:
    """Return the list that is the answer: the primary one, else the longest of any kind, else None."""
    lists = [node for node in view.nodes if isinstance(node.value, list) and node.value]
    return primary_list(view.nodes) or max(lists, key=lambda node: len(node.value), default=None)


def recounted(view: View, rows: Node, length: int) -> Edits:
    """Return the edits that set every count of these rows, outside of them, to a new length."""
    return tuple(
        (node.place, length)
        for node in view.nodes
        if is_count(node.key) and is_number(node.value) and node.value == len(rows.value)
        if node.place[: len(rows.place)] != rows.place
    )


def tables(view: View, kind: type | tuple[type, ...] = dict) -> Iterator[Rows]:
    """Yield the rows of each list and each map that holds two or more values, all of one kind."""
    for node in view.nodes:
        if isinstance(node.value, dict):
            rows = [((*node.place, key), value) for key, value in node.value.items()]
        elif isinstance(node.value, list):
            rows = [((*node.place, index), value) for index, value in enumerate(node.value)]
        else:
            continue
        if len(rows) > 1 and all(isinstance(row, kind) and not isinstance(row, bool) for _, row in rows):
            yield rows
