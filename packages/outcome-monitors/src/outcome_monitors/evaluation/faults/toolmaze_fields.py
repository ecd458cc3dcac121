"""ToolMaze's faults in one place: a value that cannot be, a missing field, text from behind the scenes."""

import re
from collections.abc import Iterator
from typing import Any

from outcome_monitors.jsonvalue.types import normalise
from outcome_monitors.model import Json

from .places import GONE, Edits, canonical, edit
from .times import later_years, moment
from .topics import BIRTH, QUANTITY, SHARE, SUCCESS, SUCCESS_TEXT
from .view import View, about, numbers, objects, strings
from .vocabulary import is_count, is_flag, is_id, text_slot, words

__all__ = [
    "absent",
    "beyond_hundred",
    "born_long_ago",
    "confirmed_without_id",
    "emptied",
    "emptied_answer",
    "impossible_clock",
    "leaked_after_text",
    "leaked_for_answer",
    "leaked_for_id",
    "leaked_for_text",
    "millionfold",
    "negated",
    "negated_in_text",
    "success_for_nothing",
]


def _quantities(view: View) -> Iterator[Any]:
    for node in numbers(view):
        # A bare answer, or one called `result`, is a quantity of whatever was asked for.
        if is_count(node.key) or node.key in (None, "result", "value") or about(view, node, QUANTITY):
            yield node


def negated(view: View) -> Iterator[Edits]:
    """Turn a positive quantity into its negative."""
    return (edit(node.place, -node.value) for node in _quantities(view) if node.value > 0)


def millionfold(view: View) -> Iterator[Edits]:
    """Multiply a quantity by a million."""
    return (edit(node.place, node.value * 10**6) for node in _quantities(view) if node.value != 0)


def beyond_hundred(view: View) -> Iterator[Edits]:
    """Let a share or a rating exceed what it is a share of."""
    return (edit(node.place, 150) for node in numbers(view) if about(view, node, SHARE) and node.value != 150)


_HOUR = re.compile(r"(?:\A|(?<=[T ]))\d{2}(?=:\d{2})")


def impossible_clock(view: View) -> Iterator[Edits]:
    """Give a day more than 24 hours."""
    for node in strings(view):
        if moment(node.value) and (hour := _HOUR.search(node.value)):
            later = int(hour.group()) + 24
            yield edit(node.place, f"{node.value[: hour.start()]}{later}{node.value[hour.end() :]}")


def born_long_ago(view: View) -> Iterator[Edits]:
    """Let a living person be born two centuries earlier."""
    for node in strings(view):
        born = later_years(node.value, -200)
        if born != node.value and not BIRTH.isdisjoint(words(node.key or "")):
            yield edit(node.place, born)


_NUMBER_IN_TEXT = re.compile(
    r"\b(?:amount|balance|cost|count|fee|price|rating|size|total)\b[^\d\n-]{0,16}(?=\d)", re.IGNORECASE
)


def negated_in_text(view: View) -> Iterator[Edits]:
    """Put a minus before a price, rating or count that stands in a sentence."""
    for node in strings(view):
        if number := _NUMBER_IN_TEXT.search(node.value):
            yield edit(node.place, f"{node.value[: number.end()]}-{node.value[number.end() :]}")


def confirmed_without_id(view: View) -> Iterator[Edits]:
    """Leave a confirmation in place and null the id of what it confirms."""
    for node in objects(view):
        if any(_confirms(key, value) for key, value in node.value.items()):
            for key, value in node.value.items():
                if is_id(key) and value not in (None, ""):
                    yield edit((*node.place, key), None)


def _confirms(key: str, value: Json) -> bool:
    if value is True:
        return is_flag(key) or not SUCCESS.isdisjoint(words(key))
    return isinstance(value, str) and normalise(value) in SUCCESS


def success_for_nothing(view: View) -> Iterator[Edits]:
    """Report success on `null` where the sentence named what was asked for."""
    named = [text for text in view.asked if isinstance(text, str) and len(text) > 2]
    for node in strings(view):
        if named and SUCCESS_TEXT.search(node.value):
            for text in named:
                if text in node.value:
                    yield edit(node.place, node.value.replace(text, "null"))


def absent(view: View) -> Iterator[Edits]:
    """Remove a field that this tool's results always have."""
    return (edit(place, GONE) for place, _ in _always(view))


def emptied(view: View) -> Iterator[Edits]:
    """Empty a field that this tool's results always have."""
    for place, value in _always(view):
        if value not in (None, "", [], {}):
            yield edit(place, "" if isinstance(value, str) else None)


def _always(view: View) -> Iterator[tuple[Any, Json]]:
    for node in objects(view):
        always = view.corpus.presence.always(view.call.tool, node.path)
        for key, value in node.value.items():
            if key in always:
                yield (*node.place, key), value


def emptied_answer(view: View) -> Iterator[Edits]:
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


def _leaks(view: View) -> Iterator[str]:
    tool = "_".join(words(view.call.tool)) or "tool"
    arguments = canonical(dict(view.call.arguments)) or "{}"
    return (leak.format(tool=tool, args=arguments) for leak in _LEAKS)


def leaked_for_text(view: View) -> Iterator[Edits]:
    """Give internals in place of the text."""
    slot = text_slot(view.nodes, view.asked)
    if slot is not None and slot.value:
        yield from (edit(slot.place, leak) for leak in _leaks(view))


def leaked_after_text(view: View) -> Iterator[Edits]:
    """Let internals follow the text."""
    slot = text_slot(view.nodes, view.asked)
    if slot is not None and slot.value:
        yield from (edit(slot.place, f"{slot.value} {leak}") for leak in _leaks(view))


def leaked_for_id(view: View) -> Iterator[Edits]:
    """Give internals in place of an id."""
    for node in strings(view):
        if is_id(node.key):
            yield from (edit(node.place, leak) for leak in _leaks(view))


def leaked_for_answer(view: View) -> Iterator[Edits]:
    """Give internals in place of an answer that is no text and has no fields."""
    if view.result == "" or not isinstance(view.result, str | dict | list):
        yield from (edit((), leak) for leak in _leaks(view))
