"""Drift in how much comes back: nothing, a page, too much, twice, in another order, on two scales."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Call, Json

from .fault import Fault, Subject, answer_list, recounted, tables
from .places import GONE, Edits, Node, canonical, edit, look
from .vocabulary import is_count, is_id, mentions, word_set


def denied_rows(view: Subject) -> Iterator[Edits]:
    """Empty the list that is the answer, and set its counts to zero."""
    rows = answer_list(view)
    if rows is not None:
        yield edit(rows.place, []) + recounted(view, rows, 0)


def denied_map(view: Subject) -> Iterator[Edits]:
    """Empty an answer that is keyed by what was asked for."""
    if isinstance(view.result, dict) and any(key in view.arguments for key in view.result):
        yield edit((), {})


def denied_text(view: Subject) -> Iterator[Edits]:
    """Say that nothing was found."""
    if isinstance(view.result, str) and view.result:
        yield edit((), "No matches found.")


def _shorter(view: Subject) -> tuple[Node, list[Json]] | None:
    rows = answer_list(view)
    if rows is None or len(rows.value) < 2:
        return None
    return rows, rows.value[: max(1, min(10, len(rows.value) // 2))]


_MORE = word_set("cursor more next")


def first_page(view: Subject) -> Iterator[Edits]:
    """Keep the first page, drop the way to the next; the total stays."""
    if short := _shorter(view):
        rows, kept = short
        top = [node for node in view.nodes if len(node.place) == 1 and node.place != rows.place[:1]]
        way = tuple((node.place, GONE) for node in top if mentions(node.key, _MORE))
        yield edit(rows.place, kept) + way


def first_page_recounted(view: Subject) -> Iterator[Edits]:
    """Keep the first page and call it all there is."""
    if short := _shorter(view):
        rows, kept = short
        counts = recounted(view, rows, len(kept))
        if counts:
            yield edit(rows.place, kept) + counts


_LIMIT = word_set("count first k limit lines max n num per size top")


def clamped(view: Subject) -> Iterator[Edits]:
    """Give half of what was asked for by a limit, and say nothing of it."""
    limits = [value for key, value in view.call.arguments.items() if mentions(key, _LIMIT)]
    if any(type(limit) is int and limit > 1 for limit in limits) and (short := _shorter(view)):
        yield edit(short[0].place, short[1])


def unfiltered(view: Subject) -> Iterator[Edits]:
    """Add rows of other answers that do not have what every row here has: the value that was asked for."""
    rows = answer_list(view)
    if rows is None:
        return
    # A filter is a text argument of its own; an id inside a list of things to do is none.
    for wanted in (value for value in view.call.arguments.values() if isinstance(value, str) and value):
        if all(_has(row, wanted) for row in rows.value):
            for call in view.corpus.calls(view.call.tool):
                other = look(call.result, rows.place)
                strangers = [row for row in other if not _has(row, wanted)] if isinstance(other, list) else []
                if strangers:
                    longer = [*rows.value, *strangers[:3]]
                    yield edit(rows.place, longer) + recounted(view, rows, len(longer))


def _has(row: Json, wanted: str) -> bool:
    return isinstance(row, dict) and wanted in row.values()


_WINDOW = word_set(
    "after before date day days end from hours month months period range since start time until week window"
    " year"
)
_PAGE = word_set("after cursor offset page skip token")


def _is_window(key: str) -> bool:
    return mentions(key, _WINDOW)


def _is_page(key: str) -> bool:
    return mentions(key, _PAGE) and not mentions(key, _LIMIT)


def other_window(view: Subject) -> Iterator[Edits]:
    """Answer for another period than the one asked for."""
    calls = _differing_in(view, _is_window, view.corpus.calls(view.call.tool))
    return (edit((), call.result) for call in calls)


def repeated_page(view: Subject) -> Iterator[Edits]:
    """Answer with a page that came before: one of the session, or one with a lower number."""
    yield from (edit((), call.result) for call in _differing_in(view, _is_page, reversed(view.history)))
    for call in _differing_in(view, _is_page, view.corpus.calls(view.call.tool)):
        pages = [
            (call.arguments.get(key, 0), page) for key, page in view.call.arguments.items() if _is_page(key)
        ]
        if all(type(lower) is type(page) is int and lower < page for lower, page in pages):
            yield edit((), call.result)


def _differing_in(view: Subject, is_about: Callable[[str], bool], calls: Iterable[Call]) -> Iterator[Call]:
    """Yield calls of the tool that differ in the arguments about a topic alone, and in their results."""
    if any(map(is_about, view.call.arguments)):
        rest, topic = _divided(view.call, is_about)
        for call in calls:
            if call.tool == view.call.tool and type(call.result) is type(view.result) and not call.error:
                same, other = _divided(call, is_about)
                if same == rest and other != topic and call.result != view.result:
                    yield call


def _divided(call: Call, is_about: Callable[[str], bool]) -> tuple[str | None, str | None]:
    """Return the arguments that are not about a topic, and those that are, as text."""
    rest = {key: value for key, value in call.arguments.items() if not is_about(key)}
    return canonical(rest), canonical({key: call.arguments[key] for key in call.arguments if key not in rest})


# Which of the first rows is hit makes no difference; long lists have thousands.
_SOME = 16


def twice(view: Subject) -> Iterator[Edits]:
    """Repeat one row and raise the count."""
    rows = answer_list(view)
    if rows is not None:
        for index, row in enumerate(rows.value[:_SOME]):
            longer = [*rows.value[: index + 1], row, *rows.value[index + 1 :]]
            yield edit(rows.place, longer) + recounted(view, rows, len(longer))


def reversed_rows(view: Subject) -> Iterator[Edits]:
    """Turn round a list that always comes sorted."""
    for node in view.nodes:
        if isinstance(node.value, list) and len(node.value) > 2:
            keys = view.corpus.sort_keys(view.call.tool, node.path)
            if any(_varies(node.value, key) for key in keys):
                yield edit(node.place, node.value[::-1])


def _varies(rows: list[Json], key: str) -> bool:
    column = [row.get(key) for row in rows if isinstance(row, dict)]
    return any(value != column[0] for value in column)


def scaled_row(view: Subject) -> Iterator[Edits]:
    """Give the number of one row on a scale a hundred times finer than the others."""
    for rows in tables(view):
        for key, value in rows[0][1].items():
            column = [row.get(key) for _, row in rows]
            if finite(value) and not is_id(key) and not is_count(key) and _one_scale(column):
                yield from (edit((*place, key), row[key] * 100) for place, row in rows)


def scaled_number(view: Subject) -> Iterator[Edits]:
    """The same in a map or list of plain numbers."""
    for rows in tables(view, (int, float)):
        if _one_scale([value for _, value in rows]):
            yield from (edit(place, value * 100) for place, value in rows)


def _one_scale(column: list[Json]) -> bool:
    return all(finite(value) and 0 < value < 1e12 for value in column) and max(column) < 20 * min(column)


_fault = partial(Fault.of_forms, "drift")

VOLUME = (
    _fault("W10", "empty_because_denied", "volume", denied_rows, denied_map, denied_text),
    _fault("W11", "first_page_only", "cross-field", first_page, first_page_recounted),
    _fault("W12", "silent_clamp", "argument", clamped),
    _fault("W13", "filter_ignored", "argument", unfiltered),
    _fault("W14", "default_window", "argument", other_window),
    _fault("W15", "repeated_page", "cross-call", repeated_page),
    _fault("W16", "duplicate_rows", "rows", twice),
    _fault("W17", "order_ignored", "rows", reversed_rows),
    _fault("W18", "mixed_scales", "rows", scaled_row, scaled_number),
)
