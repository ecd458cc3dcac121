"""ToolMaze's faults in times: what ends before it starts, what has not happened yet."""

import re
from collections.abc import Iterator

from .places import Edits, edit
from .times import earlier, is_time, later_years, moved
from .topics import BIRTH
from .view import View, objects, strings
from .vocabulary import words

__all__ = ["dates_swapped_in_text", "end_before_start", "not_yet_happened", "ordered_pair_swapped"]


def ordered_pair_swapped(view: View) -> Iterator[Edits]:
    """Swap two times that are always in one order."""
    for node in objects(view):
        for first, second in view.corpus.orders.ordered(view.call.tool, node.path):
            start, end = node.value.get(first), node.value.get(second)
            if earlier(start, end):
                yield (((*node.place, first), end), ((*node.place, second), start))


_ENDS = {
    "end": ("start", "begin"),
    "ends": ("starts", "begins"),
    "arrival": ("departure",),
    "out": ("in",),
    "to": ("from",),
    "until": ("from", "since"),
    "updated": ("created",),
    "closed": ("created", "opened"),
    "merged": ("created",),
    "pushed": ("created",),
    "published": ("created",),
}


def end_before_start(view: View) -> Iterator[Edits]:
    """Move an end to three days before its start, by the names of the two."""
    for node in objects(view):
        starts = {words(key): value for key, value in node.value.items() if is_time(value)}
        for key, value in node.value.items():
            if is_time(value):
                for start in _starts(words(key)):
                    if start in starts and (early := moved(starts[start], -3)) != value:
                        yield edit((*node.place, key), early)


def _starts(end: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for index, word in enumerate(end):
        for start in _ENDS.get(word, ()):
            yield (*end[:index], start, *end[index + 1 :])


_PAST = BIRTH | {"committed", "created", "modified", "published", "sent", "timestamp"}


def not_yet_happened(view: View) -> Iterator[Edits]:
    """Move what has happened a century ahead."""
    for node in strings(view):
        ahead = later_years(node.value, 100)
        if ahead != node.value and not _PAST.isdisjoint(words(node.key or "")):
            yield edit(node.place, ahead)


_TIME = r"(\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?: [AP]M)?)"
_TWO_TIMES = re.compile(rf"\b{_TIME}( ?(?:-|to|until|and) ?){_TIME}(?!\d)")


def dates_swapped_in_text(view: View) -> Iterator[Edits]:
    """Swap the two ends of a period that a sentence names."""
    for node in strings(view):
        swapped = _TWO_TIMES.sub(r"\3\2\1", node.value, count=1)
        if swapped != node.value:
            yield edit(node.place, swapped)
