"""ToolMaze's faults between two places: flags, ids and counts that cannot both be true."""

from collections.abc import Iterator
from typing import Any

from outcome_monitors.jsonvalue.types import finite, normalise
from outcome_monitors.model import Json

from .places import Edits, Node, child, edit
from .regularities import sums_in
from .times import is_time
from .topics import DONE, OPEN, STOCK, SUCCESS_TEXT
from .view import View, about, numbers, objects, strings
from .vocabulary import is_count, is_flag, is_id, successor, word_set, words

__all__ = [
    "above_whole",
    "average_outside",
    "count_beside_rows",
    "count_of_nothing",
    "done_with_nothing",
    "flag_against_stock",
    "id_against_key",
    "id_against_text",
    "length_of_text",
    "part_against_total",
    "state_against_date",
    "success_denied",
    "total_against_parts",
]


def flag_against_stock(view: View) -> Iterator[Edits]:
    """Say that something is there beside a stock of zero."""
    for node in objects(view):
        there = [key for key, value in node.value.items() if _there(key, value)]
        for key, value in node.value.items():
            if key not in there and there and not STOCK.isdisjoint(words(key)):
                stock = value if isinstance(value, dict) else {None: value}
                if any(finite(left) and left > 0 for left in stock.values()):
                    zero = {name: 0 if finite(left) else left for name, left in stock.items()}
                    yield edit((*node.place, key), zero if isinstance(value, dict) else 0)


def _there(key: str, value: Json) -> bool:
    if value is True:
        return not {"available", "stock", "active"}.isdisjoint(words(key))
    return (
        isinstance(value, str)
        and is_flag(key)
        and normalise(value) in {"available", "in_stock", "open", "active"}
    )


def count_of_nothing(view: View) -> Iterator[Edits]:
    """Empty a list and leave the number of its items."""
    return (edit(rows.place, []) for _, rows in _counted(view))


def _counted(view: View) -> Iterator[tuple[Node, Node]]:
    """Yield each count with the list beside it that has so many items."""
    for node in objects(view):
        lists = [(name, rows) for name, rows in node.value.items() if isinstance(rows, list) and rows]
        for key, count in node.value.items() if lists else ():
            for name, rows in lists:
                if type(count) is int and count == len(rows) and _counts(key, name):
                    yield child(node, key), child(node, name)


_COUNTING = word_set("count total size length num n number result")


def _counts(key: str, name: str) -> bool:
    """Say whether a key counts anything at all, or just what the other names."""
    of = {word.rstrip("s") for word in words(key)} - _COUNTING
    return is_count(key) if not of else not of.isdisjoint(word.rstrip("s") for word in words(name))


_DELIVERY = word_set("deliveries fulfillments items payments results shipments tracking")


def done_with_nothing(view: View) -> Iterator[Edits]:
    """Call something done with nothing to show for it, or not done with everything there."""
    for node in objects(view):
        for key, state in _states(node):
            for name, value in node.value.items():
                if isinstance(value, list) and value and state in DONE:
                    yield edit((*node.place, name), [])
                elif value == [] and state in OPEN and not _DELIVERY.isdisjoint(words(name)):
                    yield edit((*node.place, key), "delivered")


def _states(node: Node) -> Iterator[tuple[str, str]]:
    for key, value in node.value.items():
        if is_flag(key) and isinstance(value, str):
            yield key, normalise(value).split(" ")[0]


def state_against_date(view: View) -> Iterator[Edits]:
    """Let a state contradict the date on which it was or was not reached."""
    for node in objects(view):
        for key, state in _states(node):
            for name, value in node.value.items():
                reached = words(name)[:1]
                if reached and reached[0] in DONE and reached[0] != state and value is None:
                    yield edit((*node.place, key), reached[0])
                elif reached and reached[0] == state and is_time(value):
                    yield edit((*node.place, name), None)


def id_against_key(view: View) -> Iterator[Edits]:
    """Give an entry of a map another id than the key it is filed under."""
    for node in view.nodes:
        if (
            is_id(node.key)
            and node.value
            and isinstance(node.value, str)
            and node.place[-2:-1] == (node.value,)
        ):
            yield edit(node.place, successor(node.value))


def id_against_text(view: View) -> Iterator[Edits]:
    """Change a name or number that a text beside it repeats."""
    for node in objects(view):
        texts = [value for value in node.value.values() if isinstance(value, str)]
        for key, value in node.value.items():
            named = type(value) in (str, int) and (is_id(key) or words(key)[-1:] == ("name",))
            # One or two characters stand in any text by chance.
            if named and len(str(value)) > 2 and any(str(value) in text and text != value for text in texts):
                yield edit((*node.place, key), successor(value))


def success_denied(view: View) -> Iterator[Edits]:
    """Let a sentence report success and failure at once."""
    for node in strings(view):
        if len(node.value) < 300 and SUCCESS_TEXT.search(node.value) and " " in node.value:
            yield edit(node.place, f"{node.value.rstrip('.')}. Status: failed, nothing was changed.")


def total_against_parts(view: View) -> Iterator[Edits]:
    """Add a tenth to a total that is the sum of its parts."""
    for found in sums_in(view.nodes):
        if view.corpus.sums.holds(view.call.tool, found):
            total: Any = found.total.value
            more = round(total * 1.1, 2) if isinstance(total, float) else total + max(1, total // 10)
            yield edit(found.total.place, more)


def part_against_total(view: View) -> Iterator[Edits]:
    """Double one part of a total."""
    for found in sums_in(view.nodes):
        if view.corpus.sums.holds(view.call.tool, found):
            for index, row in enumerate(found.rows.value):
                yield edit((*found.rows.place, index, found.key), row[found.key] * 2)


def count_beside_rows(view: View) -> Iterator[Edits]:
    """Count eight more than there are."""
    return (edit(count.place, count.value + 8) for count, _ in _counted(view))


def length_of_text(view: View) -> Iterator[Edits]:
    """Give a text ten times its length."""
    for node in objects(view):
        texts = [len(value) for value in node.value.values() if isinstance(value, str)]
        for key, value in node.value.items():
            if type(value) is int and value > 0 and is_count(key) and value in texts:
                yield edit((*node.place, key), value * 10)


_AVERAGE = frozenset(("average", "avg", "mean", "median"))


def average_outside(view: View) -> Iterator[Edits]:
    """Let an average exceed the greatest of what it is the average of."""
    given = [value for value in view.asked if finite(value) and abs(value) < 1e15]
    for node in numbers(view):
        if about(view, node, _AVERAGE):
            greatest = max((abs(n.value) for n in numbers(view)), default=0)
            yield edit(node.place, max([greatest, *map(abs, given)]) * 2 + 1)


def above_whole(view: View) -> Iterator[Edits]:
    """Let a part exceed the total that it is part of."""
    for node in objects(view):
        for key, total in node.value.items():
            if words(key)[:1] == ("total",) and finite(total) and abs(total) < 1e15:
                for name, part in node.value.items():
                    if name != key and words(name)[-1:] == words(key)[-1:] and finite(part) and part <= total:
                        yield edit((*node.place, name), total + 2)
