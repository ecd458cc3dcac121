"""ToolMaze's faults between two places, and against what is known from other calls."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from outcome_monitors.jsonvalue.types import finite, normalise
from outcome_monitors.model import Json

from .corpus import sums_in
from .fault import Fault, Subject, about, numbers, objects, same_question, strings
from .places import Edits, Node, canonical, child, edit, look
from .vocabulary import (
    DONE,
    OPEN,
    STOCK,
    SUCCESS_TEXT,
    is_count,
    is_flag,
    is_id,
    is_time,
    mentions,
    successor,
    text_slot,
    word_set,
    words,
)


def flag_against_stock(view: Subject) -> Iterator[Edits]:
    """Say that something is there beside a stock of zero."""
    for node in objects(view):
        there = [key for key, value in node.value.items() if _there(key, value)]
        for key, value in node.value.items():
            if key not in there and there and mentions(key, STOCK):
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


def count_of_nothing(view: Subject) -> Iterator[Edits]:
    """Empty a list and leave the number of its items."""
    return (edit(rows.place, []) for _, rows in _counted(view))


def _counted(view: Subject) -> Iterator[tuple[Node, Node]]:
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


def done_with_nothing(view: Subject) -> Iterator[Edits]:
    """Call something done with nothing to show for it, or not done with everything there."""
    for node in objects(view):
        for key, state in _states(node):
            for name, value in node.value.items():
                if isinstance(value, list) and value and state in DONE:
                    yield edit((*node.place, name), [])
                elif value == [] and state in OPEN and mentions(name, _DELIVERY):
                    yield edit((*node.place, key), "delivered")


def _states(node: Node) -> Iterator[tuple[str, str]]:
    for key, value in node.value.items():
        if is_flag(key) and isinstance(value, str):
            yield key, normalise(value).split(" ")[0]


def state_against_date(view: Subject) -> Iterator[Edits]:
    """Let a state contradict the date on which it was or was not reached."""
    for node in objects(view):
        for key, state in _states(node):
            for name, value in node.value.items():
                reached = words(name)[:1]
                if reached and reached[0] in DONE and reached[0] != state and value is None:
                    yield edit((*node.place, key), reached[0])
                elif reached and reached[0] == state and is_time(value):
                    yield edit((*node.place, name), None)


def id_against_key(view: Subject) -> Iterator[Edits]:
    """Give an entry of a map another id than the key it is filed under."""
    for node in view.nodes:
        if (
            is_id(node.key)
            and node.value
            and isinstance(node.value, str)
            and node.place[-2:-1] == (node.value,)
        ):
            yield edit(node.place, successor(node.value))


def id_against_text(view: Subject) -> Iterator[Edits]:
    """Change a name or number that a text beside it repeats."""
    for node in objects(view):
        texts = [value for value in node.value.values() if isinstance(value, str)]
        for key, value in node.value.items():
            named = type(value) in (str, int) and (is_id(key) or words(key)[-1:] == ("name",))
            # One or two characters stand in any text by chance.
            if named and len(str(value)) > 2 and any(str(value) in text and text != value for text in texts):
                yield edit((*node.place, key), successor(value))


def success_denied(view: Subject) -> Iterator[Edits]:
    """Let a sentence report success and failure at once."""
    for node in strings(view):
        if len(node.value) < 300 and SUCCESS_TEXT.search(node.value) and " " in node.value:
            yield edit(node.place, f"{node.value.rstrip('.')}. Status: failed, nothing was changed.")


def total_against_parts(view: Subject) -> Iterator[Edits]:
    """Add a tenth to a total that is the sum of its parts."""
    for found in sums_in(view.nodes):
        if view.corpus.holds(view.call.tool, found):
            total: Any = found.total.value
            more = round(total * 1.1, 2) if isinstance(total, float) else total + max(1, total // 10)
            yield edit(found.total.place, more)


def part_against_total(view: Subject) -> Iterator[Edits]:
    """Double one part of a total."""
    for found in sums_in(view.nodes):
        if view.corpus.holds(view.call.tool, found):
            for index, row in enumerate(found.rows.value):
                yield edit((*found.rows.place, index, found.key), row[found.key] * 2)


def count_beside_rows(view: Subject) -> Iterator[Edits]:
    """Count eight more than there are."""
    return (edit(count.place, count.value + 8) for count, _ in _counted(view))


def length_of_text(view: Subject) -> Iterator[Edits]:
    """Give a text ten times its length."""
    for node in objects(view):
        texts = [len(value) for value in node.value.values() if isinstance(value, str)]
        for key, value in node.value.items():
            if type(value) is int and value > 0 and is_count(key) and value in texts:
                yield edit((*node.place, key), value * 10)


_AVERAGE = frozenset(("average", "avg", "mean", "median"))


def average_outside(view: Subject) -> Iterator[Edits]:
    """Let an average exceed the greatest of what it is the average of."""
    given = [value for value in view.arguments if finite(value) and abs(value) < 1e15]
    for node in numbers(view):
        if about(view, node, _AVERAGE):
            greatest = max((abs(n.value) for n in numbers(view)), default=0)
            yield edit(node.place, max([greatest, *map(abs, given)]) * 2 + 1)


def above_whole(view: Subject) -> Iterator[Edits]:
    """Let a part exceed the total that it is part of."""
    for node in objects(view):
        for key, total in node.value.items():
            if words(key)[:1] == ("total",) and finite(total) and abs(total) < 1e15:
                for name, part in node.value.items():
                    if name != key and words(name)[-1:] == words(key)[-1:] and finite(part) and part <= total:
                        yield edit((*node.place, name), total + 2)


# So many other values are offered for one place: enough to differ from call to call.
_SOME = 4


def entity_changed(view: Subject) -> Iterator[Edits]:
    """Change an attribute that an id always had."""
    for node in objects(view):
        for key in view.corpus.constant(view.call.tool, node):
            yield from _exchanged(view, child(node, key))


def repeated_answer_changed(view: Subject) -> Iterator[Edits]:
    """Change a value that the same question was always answered with."""
    answers = [
        *view.corpus.answers(view.call.tool, view.call.arguments),
        *(call.result for call in same_question(view)),
    ]
    for node in view.nodes if answers else ():
        plain = type(node.value) in (str, int, float) and not (is_id(node.key) or is_flag(node.key))
        if plain and all(look(answer, node.place) == node.value for answer in answers):
            yield from _exchanged(view, node)


def _exchanged(view: Subject, node: Node) -> Iterator[Edits]:
    return (edit(node.place, other) for other in view.corpus.other_values(view.call.tool, node)[:_SOME])


def impossible_neighbours(view: Subject) -> Iterator[Edits]:
    """Put a city in a country, or a currency beside a country, where it was never seen."""
    for node in objects(view):
        for key, wrong in view.corpus.impossible(node.value):
            yield edit((*node.place, key), wrong)


def other_entity(view: Subject) -> Iterator[Edits]:
    """Answer with this tool's result for other arguments, with the same keys where there is such a one."""
    asked = canonical(dict(view.call.arguments))
    others = [
        call.result
        for call in view.corpus.calls(view.call.tool)
        if type(call.result) is type(view.result) and call.result != view.result
        if canonical(dict(call.arguments)) != asked
    ]
    if isinstance(view.result, dict):
        others = [other for other in others if other.keys() == view.result.keys()] or others
    return (edit((), other) for other in others)


def other_kind(view: Subject) -> Iterator[Edits]:
    """Put another tool's text where the text was, or answer with another tool's list."""
    slot = text_slot(view.nodes, view.arguments)
    for tool in view.corpus.tools:
        if tool != view.call.tool:
            text, rows = view.corpus.texts.get(tool), view.corpus.calls(tool)[0].result
            if slot is not None and slot.value and text and text != slot.value:
                yield edit(slot.place, text)
            if isinstance(view.result, list) and isinstance(rows, list) and rows != view.result:
                yield edit((), rows)


_fault = partial(Fault.of_forms, "toolmaze")

BETWEEN_PLACES = (
    _fault(
        "W06",
        "internal_contradiction",
        "cross-field",
        flag_against_stock,
        count_of_nothing,
        done_with_nothing,
        state_against_date,
        id_against_key,
        id_against_text,
        success_denied,
    ),
    _fault(
        "W07",
        "fact_contradiction",
        "cross-call",
        entity_changed,
        repeated_answer_changed,
        impossible_neighbours,
    ),
    _fault("W08", "irrelevant_response", "argument", other_entity, other_kind),
    _fault(
        "W09",
        "statistical_inconsistency",
        "cross-field",
        total_against_parts,
        part_against_total,
        count_beside_rows,
        length_of_text,
        average_outside,
        above_whole,
    ),
)
