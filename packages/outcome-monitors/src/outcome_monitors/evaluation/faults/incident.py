"""Eight faults drawn from incidents in a production agent runtime.

The incidents are those of W. Wu (arXiv:2606.14589, CC BY 4.0); the transformations are ours, made after the
mechanisms described there. They use no clock and no chance: every choice goes by document order.
"""

from functools import partial
from typing import Final

from outcome_monitors.jsonvalue.types import is_number, kind_of
from outcome_monitors.model import Call, Json

from .corpus import smallest_ids
from .fault import NOT_APPLICABLE, Fault, Subject, objects, recounted, scalars_of
from .places import GONE, Edits, Node, Place, canonical, changed, edit, look, walk
from .vocabulary import (
    is_count,
    is_error,
    is_flag,
    is_fresh,
    is_id,
    is_time,
    moved,
    primary_list,
    succeeded,
    successor,
    text_slot,
)


def swallowed(view: Subject, *, keep_counts: bool) -> Json:
    """Empty every list, string and number that is not a flag, a stamp or an argument given back."""

    def empty(key: str | None, value: Json) -> Json:
        if isinstance(value, dict):
            return {name: empty(name, item) for name, item in value.items() if not is_error(name)}
        if isinstance(value, list):
            return []
        if is_flag(key):
            return succeeded(key, value)
        if value is None or isinstance(value, bool) or value in view.arguments or is_fresh(key, value):
            return value
        if keep_counts and is_count(key):
            return value
        return "" if isinstance(value, str) else 0

    return empty(None, view.result)


def swallowed_but_counted(view: Subject) -> Json:
    """Empty everything but the counts, where there are any."""
    counted = swallowed(view, keep_counts=True)
    return NOT_APPLICABLE if counted == swallowed(view, keep_counts=False) else counted


_MESSAGE_KEYS = (
    "message",
    "detail",
    "description",
    "summary",
    "content",
    "text",
    "body",
    "reason",
    "note",
    "result",
)


def stripped(view: Subject, *, phrase: str) -> Json:
    """Keep flags, ids and what was asked, and let the message be a status phrase."""
    if not isinstance(view.result, dict):
        return {"result": phrase}
    spoken = next((key for key in _MESSAGE_KEYS if key in view.result), "message")
    kept = {
        key: phrase if key == spoken else value
        for key, value in view.result.items()
        if key == spoken or is_flag(key) or is_id(key) or _is_argument(view, value)
    }
    return kept if spoken in kept else {**kept, spoken: phrase}


def _is_argument(view: Subject, value: Json) -> bool:
    return not isinstance(value, dict | list | bool) and value in view.arguments


PAGE: Final = """<!DOCTYPE HTML>
<html><head><title>Error response</title></head>
<body>
<h1>Error response</h1>
<p>Error code: 400</p>
<p>Message: Bad JSON.</p>
<p>The request could not be read, and nothing was done about it.</p>
</body></html>
"""
PAGE_IN_LOG: Final = f"LLM raw response: {len(PAGE)} bytes, first 500 chars: {PAGE}Waiting 3s before retry..."


def paged(view: Subject, *, page: str) -> Json:
    """Put a page where the text was, else the rows, else the whole result."""
    slot = text_slot(view.nodes, view.arguments) or primary_list(view.nodes) or view.nodes[0]
    return changed(view.result, edit(slot.place, page))


# Where the client of the incident folded a message.
_FOLD = 4000


def truncated(view: Subject) -> Json:
    """Drop rows from the end, or cut the text, to half the length or to where the client folds."""
    size = len(view.text or "")
    excess = size - min(_FOLD, size // 2)
    rows = primary_list(view.nodes)
    if rows is not None and len(rows.value) > 1:
        kept = len(rows.value)
        while kept > 1 and excess > 0:
            kept -= 1
            excess -= len(canonical(rows.value[kept]) or "") + 1
        return changed(view.result, edit(rows.place, rows.value[:kept]))
    slot = text_slot(view.nodes, view.arguments)
    if slot is None:
        return NOT_APPLICABLE
    return changed(view.result, edit(slot.place, slot.value[: max(1, len(slot.value) - excess)]))


def shifted(view: Subject, *, last: Json) -> Json:
    """Lose one value and move all later ones of its type one slot forward, across row borders."""
    found = primary_list(view.nodes)
    if found is not None:
        rows = [((*found.place, index), row) for index, row in enumerate(found.value)]
    else:
        rows = [(node.place, node.value) for node in objects(view)]
        rows = [max(rows, key=lambda row: len(_slots([row])))] if rows else []
    slots = _slots(rows)
    if not slots:
        return NOT_APPLICABLE
    second = next((index for index, (place, _) in enumerate(slots) if place[:-1] != slots[0][0][:-1]), 0)
    lost = min(second + 1, len(slots) - 1)
    values = [value for _, value in slots[lost + 1 :]] + [last]
    return changed(view.result, [(place, new) for (place, _), new in zip(slots[lost:], values, strict=True)])


def _slots(rows: list[tuple[Place, Json]]) -> list[tuple[Place, Json]]:
    """Return the places of the most common scalar type that has at least two keys, in document order."""
    by_type: dict[str, list[tuple[Place, Json]]] = {}
    for place, row in rows:
        for key, value in row.items():
            kind = "number" if is_number(value) else kind_of(value)
            if kind in ("string", "number", "boolean"):
                by_type.setdefault(kind, []).append(((*place, key), value))
    able = [slots for slots in by_type.values() if len({place[-1] for place, _ in slots}) > 1]
    return max(able, key=len, default=[])


def stale(view: Subject) -> Json:
    """Serve the oldest result of the session for the same entity under the present stamps and flags."""
    entity = _entity(view.call)
    for call in view.history:
        if call.tool == view.call.tool and not call.error and _entity(call) == entity:
            nodes = walk(call.result)
            return changed(call.result, [stamp for node in nodes for stamp in _stamp(view, node)])
    return NOT_APPLICABLE


def _entity(call: Call) -> str | None:
    """Return the id arguments, or all of them where a tool takes no id, as text that can be compared."""
    ids = {key: value for key, value in call.arguments.items() if is_id(key)}
    return canonical(ids or dict(call.arguments))


def _stamp(view: Subject, node: Node) -> Edits:
    if isinstance(node.value, dict | list) or not (is_flag(node.key) or is_fresh(node.key, node.value)):
        return ()
    now = look(view.result, node.place)
    return () if now is GONE else edit(node.place, now)


def rewound(view: Subject) -> Json:
    """Move every date back but the stamps of the answer."""
    # The youngest of the dead accounts in the audit after the incident was 253 days old.
    return changed(
        view.result,
        [
            (node.place, moved(node.value, days=-253))
            for node in view.nodes
            if is_time(node.value) and not is_fresh(node.key, node.value)
        ],
    )


_CRISIS = (
    "Platform crisis signal: 'Bad JSON' and '400' responses observed; start 72-hour availability monitoring."
)


def polluted(view: Subject) -> Json:
    """Add a row, or a sentence, that carries another tool's text."""
    foreign = _foreign(view)
    rows = primary_list(view.nodes)
    if rows is not None:
        nodes = walk(rows.value[-1])
        slot = text_slot(nodes, view.arguments)
        if slot is not None:
            fresh = [
                (n.place, successor(n.value)) for n in nodes if is_id(n.key) and type(n.value) in (str, int)
            ]
            row = changed(rows.value[-1], [*fresh, (slot.place, foreign)])
            longer = edit(rows.place, [*rows.value, row])
            return changed(view.result, longer + recounted(view, rows, len(rows.value) + 1))
    slot = text_slot(view.nodes, view.arguments)
    return (
        NOT_APPLICABLE if slot is None else changed(view.result, edit(slot.place, f"{slot.value} {foreign}"))
    )


def _foreign(view: Subject) -> str:
    for call in reversed(view.history):
        if call.tool != view.call.tool and not call.error:
            slot = text_slot(walk(call.result), scalars_of(call.arguments))
            if slot is not None and slot.value:
                return str(slot.value)
    return _CRISIS


def substituted(view: Subject) -> Json:
    """Exchange the first id for another that exists, wherever it stands."""
    node = next(
        (n for n in view.nodes if is_id(n.key) and type(n.value) in (str, int) and n.value != ""), None
    )
    if node is None or node.key is None:
        return NOT_APPLICABLE
    new = _other_id(view, node.key, node.value)
    return _renamed(view.result, node.value, new)


def _other_id(view: Subject, key: str, value: str | int) -> str | int:
    known = (
        smallest_ids(view.history).get((key, type(value)), ()),
        view.corpus.ids.get((key, type(value)), ()),
    )
    others = (other for ids in known for other in ids if other != value)
    return min(others, key=str, default=successor(value))


def _renamed(value: Json, old: Json, new: Json) -> Json:
    """Replace an id wherever it stands, as a value or as a key."""
    if isinstance(value, dict):
        return {
            new if key == old and new not in value else key: _renamed(item, old, new)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_renamed(item, old, new) for item in value]
    return new if type(value) is type(old) and value == old else value


_fault = partial(Fault.of_result, "incident")

INCIDENT = (
    _fault("incident 1", "vacuous_exec_swallow", "volume", partial(swallowed, keep_counts=False)),
    _fault("incident 2", "positional_field_shift", "string", partial(shifted, last=None)),
    _fault("incident 3", "stale_declared_state", "cross-call", stale),
    _fault(
        "incident 4",
        "cause_stripped_http_payload",
        "field",
        partial(stripped, phrase="HTTP 502: Bad Gateway"),
    ),
    _fault("incident 5", "error_page_as_payload", "string", partial(paged, page=PAGE)),
    _fault("incident 6", "context_pollution_fabrication", "cross-call", polluted),
    _fault("incident 7", "ref_id_substitution", "argument", substituted),
    _fault("incident 8", "env_threshold_truncation", "volume", truncated),
    _fault(
        "incident 1, keep_counts", "vacuous_exec_swallow_keep_counts", "cross-field", swallowed_but_counted
    ),
    _fault(
        "incident 2, separator", "positional_field_shift_separator", "string", partial(shifted, last="---")
    ),
    _fault("incident 3, rewind", "stale_declared_state_rewind", "temporal", rewound),
    _fault(
        "incident 4, proxy_hop",
        "cause_stripped_http_payload_proxy_hop",
        "field",
        partial(stripped, phrase="HTTP Error 502: Bad Gateway"),
    ),
    _fault(
        "incident 5, captured_log",
        "error_page_as_payload_captured_log",
        "string",
        partial(paged, page=PAGE_IN_LOG),
    ),
)
"""The eight, in the order of their description, then the variants that stay silent and need no model."""
