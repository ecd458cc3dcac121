"""Drift in what is answered: success that is not, old state, another's answer, an error for a result."""

from collections.abc import Iterator
from functools import partial
from itertools import dropwhile

from outcome_monitors.jsonvalue.types import normalise
from outcome_monitors.model import Call, Json

from .fault import Fault, Subject, answer_list, objects, same_question, scalars_of
from .places import GONE, Edits, Node, edit, look
from .vocabulary import (
    BIRTH,
    DONE,
    OPEN,
    SUCCESS,
    is_error,
    is_flag,
    is_fresh,
    is_id,
    is_time,
    mentions,
    moved,
    succeeded,
    text_slot,
)


def mock(view: Subject) -> Iterator[Edits]:
    """Answer any arguments with one stored result."""
    stored = view.corpus.calls(view.call.tool)
    if stored and stored[0].result != view.result:
        yield edit((), stored[0].result)


_STATES = SUCCESS | DONE | OPEN | {"active", "available", "error", "failed"}


def flag_over_nothing(view: Subject) -> Iterator[Edits]:
    """Force the flag to success over an empty payload."""
    for node in objects(view):
        flags = tuple(
            ((*node.place, key), succeeded(key, value))
            for key, value in node.value.items()
            if _is_outcome_flag(key, value)
        )
        if flags:
            lists = [
                (place, type(value)())
                for place, value in _fields(node)
                if isinstance(value, dict | list) and value
            ]
            texts = [(place, "") for place, value in _fields(node) if _is_payload(view, place[-1], value)]
            if lists or texts:
                yield flags + tuple(lists or texts)


def _fields(node: Node) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    return (((*node.place, key), value) for key, value in node.value.items() if not is_error(key))


def _is_outcome_flag(key: str, value: Json) -> bool:
    """Say whether a field tells how it went; the state of an address does not."""
    return is_flag(key) and (
        isinstance(value, bool) or (isinstance(value, str) and normalise(value) in _STATES)
    )


def _is_payload(view: Subject, key: str | int, value: Json) -> bool:
    return isinstance(value, str) and value != "" and value not in view.arguments and not is_flag(str(key))


def batch_keys_dropped(view: Subject) -> Iterator[Edits]:
    """Leave out one of several things that were asked for by name, without a word."""
    for batch in _batches(view):
        for node in objects(view):
            named = [key for key in batch if key in node.value]
            if len(named) > 1:
                yield from (edit((*node.place, key), GONE) for key in named)


def batch_rows_dropped(view: Subject) -> Iterator[Edits]:
    """The same where each thing has a row."""
    for batch in _batches(view):
        for node in view.nodes:
            if isinstance(node.value, list):
                named = [i for i, row in enumerate(node.value) if _names(row, batch)]
                if len(named) > 1:
                    yield from (edit((*node.place, index), GONE) for index in named)


def _batches(view: Subject) -> Iterator[list[Json]]:
    for value in view.call.arguments.values():
        if isinstance(value, list) and len(value) > 1 and all(isinstance(item, str) for item in value):
            yield value


def _names(row: Json, batch: list[Json]) -> bool:
    values = row.values() if isinstance(row, dict) else (row,)
    return any(isinstance(value, str) and value in batch for value in values)


def _same_record(before: Json, now: Json) -> bool | None:
    """Say whether two objects bear the same ids; None where they have none in common to tell."""
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return None
    ids = [key for key in now if is_id(key) and key in before]
    return all(before[key] == now[key] for key in ids) if ids else None


def write_undone(view: Subject) -> Iterator[Edits]:
    """Answer a write with success and with the state that another tool gave before it."""
    for call in reversed(view.history):
        if call.tool != view.call.tool and not call.error and _same_record(call.result, view.result):
            edits = tuple(_restored(view, call))
            if edits:
                yield edits
                return


def _restored(view: Subject, call: Call) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    for node in view.nodes:
        before = look(call.result, node.place)
        if type(before) is type(node.value) and not isinstance(before, dict | list) and before != node.value:
            yield node.place, before


def unwritten(view: Subject) -> Iterator[Edits]:
    """Read back what stood there before a write, in the fields that were written alone."""
    reads = same_question(view)
    if reads:
        since = dropwhile(lambda call: call is not reads[0], view.history)
        written = {new for write in since for new in scalars_of(write.arguments)}
        edits = tuple(old for old in _restored(view, reads[0]) if look(view.result, old[0]) in written)
        if edits:
            yield edits


def cached(view: Subject) -> Iterator[Edits]:
    """Serve the last earlier answer to the same question that is not true any more."""
    for call in reversed(same_question(view)):
        if call.result != view.result and _same_record(call.result, view.result) is not False:
            yield edit((), call.result)
            return


def body_rewound(view: Subject) -> Iterator[Edits]:
    """Keep the stamp of the answer and move all that it stamps nine months back."""
    times = [node for node in view.nodes if _is_dated(node)]
    old = [node for node in times if not is_fresh(node.key, node.value)]
    if len(old) < len(times):
        edits = tuple((node.place, moved(node.value, -253)) for node in old)
        if edits:
            yield edits


def rows_rewound(view: Subject) -> Iterator[Edits]:
    """Move every row but one nine months back: stale, and still with one fresh date."""
    rows = answer_list(view)
    if rows is not None and len(rows.value) > 2:
        dated = [
            node for node in view.nodes if node.place[: len(rows.place)] == rows.place and _is_dated(node)
        ]
        for fresh in range(min(len(rows.value), 4)):
            edits = tuple((n.place, moved(n.value, -253)) for n in dated if n.place[len(rows.place)] != fresh)
            if edits:
                yield edits


def _is_dated(node: Node) -> bool:
    return is_time(node.value) and not mentions(node.key, BIRTH)


def another_call(view: Subject) -> Iterator[Edits]:
    """Deliver the result of another call of the session."""
    for call in reversed(view.history[-4:]):
        if not call.error and call.result and call.result != view.result:
            yield edit((), call.result)


def another_tool(view: Subject) -> Iterator[Edits]:
    """Deliver the result of another tool."""
    for tool in view.corpus.tools:
        result = view.corpus.calls(tool)[0].result
        if result and tool != view.call.tool and type(result) is type(view.result) and result != view.result:
            yield edit((), result)


_ERRORS = (
    "Error: connection reset by peer",
    "Error: upstream service returned no response",
    "Error: rate limit exceeded, please retry later",
    "Error: could not parse the response of the backend",
)

_PAGES = tuple(
    f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"
    for title, text in (
        ("404 Not Found", "The requested URL was not found on this server."),
        ("Just a moment...", "Please enable JavaScript and cookies to continue."),
        ("Sign in", "Your session has expired. Sign in to continue."),
    )
)


def error_text(view: Subject) -> Iterator[Edits]:
    """Give the words of an error where the text was."""
    return _text_replaced(view, _ERRORS)


def foreign_page(view: Subject) -> Iterator[Edits]:
    """Give a page that says not found, or that asks who is there, where the text was."""
    return _text_replaced(view, _PAGES)


def _text_replaced(view: Subject, texts: tuple[str, ...]) -> Iterator[Edits]:
    slot = text_slot(view.nodes, view.arguments)
    if slot is None and not isinstance(view.result, dict | list):
        slot = view.nodes[0]
    if slot is not None:
        yield from (edit(slot.place, text) for text in texts if text != slot.value)


_fault = partial(Fault.of_forms, "drift")

ANSWERS = (
    _fault("W28", "mock_fallback", "cross-call", mock),
    _fault("W33", "constant_success_flag", "cross-field", flag_over_nothing),
    _fault("W34", "masked_partial_batch", "argument", batch_keys_dropped, batch_rows_dropped),
    _fault("W35", "silent_no_op_write", "cross-call", write_undone, unwritten),
    _fault("W36", "stale_read_after_write", "cross-call", cached),
    _fault("W37", "fresh_stamp_stale_body", "temporal", body_rewound, rows_rewound),
    _fault("W38", "cross_wired_response", "argument", another_call, another_tool),
    _fault("W39", "error_text_as_success", "string", error_text),
    _fault("W40", "hidden_target_status", "string", foreign_page),
)
