"""The nine implicit corruptions that ToolMaze names (arXiv:2606.05806), as transformations; here the first five.

There a language model wrote each corrupted output by rules: valid JSON, no error field, the same keys, believable
values. Here each of the nine has several forms under the same rules; a missing field alone may take a key away.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from outcome_monitors.jsonvalue.types import normalise
from outcome_monitors.model import Json

from .fault import (
    Fault,
    Subject,
    about,
    each_changed,
    numbers,
    objects,
    strings,
)
from .places import GONE, Edits, canonical, edit
from .vocabulary import (
    BIRTH,
    QUANTITY,
    SHARE,
    SUCCESS,
    SUCCESS_TEXT,
    earlier,
    is_count,
    is_flag,
    is_id,
    is_time,
    later_years,
    mentions,
    moment,
    moved,
    text_slot,
    words,
)


def _quantities(view: Subject) -> Iterator[Any]:
    for node in numbers(view):
        # A bare answer, or one called `result`, is a quantity of whatever was asked for.
        if is_count(node.key) or node.key in (None, "result", "value") or about(view, node, QUANTITY):
            yield node


def negated(view: Subject) -> Iterator[Edits]:
    """Turn a positive quantity into its negative."""
    return each_changed(_quantities(view), lambda value: -value if value > 0 else value)


def millionfold(view: Subject) -> Iterator[Edits]:
    """Multiply a quantity by a million."""
    return each_changed(_quantities(view), lambda value: value * 10**6)


def beyond_hundred(view: Subject) -> Iterator[Edits]:
    """Let a share or a rating exceed what it is a share of."""
    return each_changed((node for node in numbers(view) if about(view, node, SHARE)), lambda _: 150)


_HOUR = re.compile(r"(?:\A|(?<=[T ]))\d{2}(?=:\d{2})")


def impossible_clock(view: Subject) -> Iterator[Edits]:
    """Give a day more than 24 hours."""
    for node in strings(view):
        if moment(node.value) and (hour := _HOUR.search(node.value)):
            later = int(hour.group()) + 24
            yield edit(node.place, f"{node.value[: hour.start()]}{later}{node.value[hour.end() :]}")


def born_long_ago(view: Subject) -> Iterator[Edits]:
    """Let a living person be born two centuries earlier."""
    births = (node for node in strings(view) if mentions(node.key, BIRTH))
    return each_changed(births, lambda text: later_years(text, -200))


_NUMBER_IN_TEXT = re.compile(
    r"\b(?:amount|balance|cost|count|fee|price|rating|size|total)\b[^\d\n-]{0,16}(?=\d)", re.IGNORECASE
)


def negated_in_text(view: Subject) -> Iterator[Edits]:
    """Put a minus before a price, rating or count that stands in a sentence."""
    return each_changed(strings(view), lambda text: _NUMBER_IN_TEXT.sub(r"\g<0>-", text, count=1))


def confirmed_without_id(view: Subject) -> Iterator[Edits]:
    """Leave a confirmation in place and null the id of what it confirms."""
    for node in objects(view):
        if any(_confirms(key, value) for key, value in node.value.items()):
            for key, value in node.value.items():
                if is_id(key) and value not in (None, ""):
                    yield edit((*node.place, key), None)


def _confirms(key: str, value: Json) -> bool:
    if value is True:
        return is_flag(key) or mentions(key, SUCCESS)
    return isinstance(value, str) and normalise(value) in SUCCESS


def success_for_nothing(view: Subject) -> Iterator[Edits]:
    """Report success on `null` where the sentence named what was asked for."""
    named = [text for text in view.arguments if isinstance(text, str) and len(text) > 2]
    for node in strings(view):
        if named and SUCCESS_TEXT.search(node.value):
            for text in named:
                if text in node.value:
                    yield edit(node.place, node.value.replace(text, "null"))


def absent(view: Subject) -> Iterator[Edits]:
    """Remove a field that this tool's results always have."""
    return (edit(place, GONE) for place, _ in _always(view))


def emptied(view: Subject) -> Iterator[Edits]:
    """Empty a field that this tool's results always have."""
    for place, value in _always(view):
        if value not in (None, "", [], {}):
            yield edit(place, "" if isinstance(value, str) else None)


def _always(view: Subject) -> Iterator[tuple[Any, Json]]:
    for node in objects(view):
        always = view.corpus.always(view.call.tool, node.path)
        for key, value in node.value.items():
            if key in always:
                yield (*node.place, key), value


def emptied_answer(view: Subject) -> Iterator[Edits]:
    """Answer with an empty text where the tool never did."""
    if isinstance(view.result, str) and all(call.result != "" for call in view.corpus.calls(view.call.tool)):
        yield edit((), "")


_LEAKS = (
    "API endpoint: /internal/v2/{tool}",
    "DEBUG: route={tool} model=gpt-4o-mini cache=MISS retries=2",
    "java.lang.NullPointerException at com.internal.tools.{tool}.execute(Handler.java:118)",
    "SELECT * FROM {tool}_records WHERE tenant_id = 17",
    'Traceback (most recent call last): File "/srv/app/tools/{tool}.py", line 42, in execute',
    "[DEBUG] tool={tool} args={args}",
)


def _leaks(view: Subject) -> Iterator[str]:
    tool = "_".join(words(view.call.tool)) or "tool"
    arguments = canonical(dict(view.call.arguments)) or "{}"
    return (leak.format(tool=tool, args=arguments) for leak in _LEAKS)


def leaked_for_text(view: Subject) -> Iterator[Edits]:
    """Give internals in place of the text."""
    slot = text_slot(view.nodes, view.arguments)
    if slot is not None and slot.value:
        yield from (edit(slot.place, leak) for leak in _leaks(view))


def leaked_after_text(view: Subject) -> Iterator[Edits]:
    """Let internals follow the text."""
    slot = text_slot(view.nodes, view.arguments)
    if slot is not None and slot.value:
        yield from (edit(slot.place, f"{slot.value} {leak}") for leak in _leaks(view))


def leaked_for_id(view: Subject) -> Iterator[Edits]:
    """Give internals in place of an id."""
    for node in strings(view):
        if is_id(node.key):
            yield from (edit(node.place, leak) for leak in _leaks(view))


def leaked_for_answer(view: Subject) -> Iterator[Edits]:
    """Give internals in place of an answer that is no text and has no fields."""
    if view.result == "" or not isinstance(view.result, str | dict | list):
        yield from (edit((), leak) for leak in _leaks(view))


def ordered_pair_swapped(view: Subject) -> Iterator[Edits]:
    """Swap two times that are always in one order."""
    for node in objects(view):
        for first, second in view.corpus.ordered(view.call.tool, node.path):
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


def end_before_start(view: Subject) -> Iterator[Edits]:
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


def not_yet_happened(view: Subject) -> Iterator[Edits]:
    """Move what has happened a century ahead."""
    past = (node for node in strings(view) if mentions(node.key, _PAST))
    return each_changed(past, lambda text: later_years(text, 100))


_TIME = r"(\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?: [AP]M)?)"
_TWO_TIMES = re.compile(rf"\b{_TIME}( ?(?:-|to|until|and) ?){_TIME}(?!\d)")


def dates_swapped_in_text(view: Subject) -> Iterator[Edits]:
    """Swap the two ends of a period that a sentence names."""
    return each_changed(strings(view), lambda text: _TWO_TIMES.sub(r"\3\2\1", text, count=1))


_fault = partial(Fault.of_forms, "toolmaze")

IN_ONE_PLACE = (
    _fault("W01", "logic_violation", "field", negated, confirmed_without_id, success_for_nothing),
    _fault(
        "W02",
        "physics_violation",
        "field",
        negated,
        millionfold,
        beyond_hundred,
        impossible_clock,
        born_long_ago,
        negated_in_text,
    ),
    _fault(
        "W03",
        "temporal_contradiction",
        "temporal",
        ordered_pair_swapped,
        end_before_start,
        not_yet_happened,
        dates_swapped_in_text,
    ),
    _fault("W04", "missing_required_fields", "field", absent, emptied, emptied_answer),
    _fault(
        "W05", "tool_leakage", "string", leaked_for_text, leaked_after_text, leaked_for_id, leaked_for_answer
    ),
)
