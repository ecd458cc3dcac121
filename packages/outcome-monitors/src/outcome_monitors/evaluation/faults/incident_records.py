"""Incident faults that keep the form of an answer and give wrong records: shifted, stale, invented, exchanged."""

from outcome_monitors.jsonvalue.types import is_number, kind_of
from outcome_monitors.model import Call, Json

from .facts import Ids
from .fault import NOT_APPLICABLE
from .places import GONE, Edits, Node, Place, canonical, changed, edit, look, walk
from .tables import recounted
from .times import is_time, moved
from .view import View, asked_in, objects
from .vocabulary import is_flag, is_fresh, is_id, primary_list, successor, text_slot

__all__ = ["polluted", "rewound", "shifted", "stale", "substituted"]


def shifted(view: View, *, last: Json) -> Json:
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


def stale(view: View) -> Json:
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


def _stamp(view: View, node: Node) -> Edits:
    if isinstance(node.value, dict | list) or not (is_flag(node.key) or is_fresh(node.key, node.value)):
        return ()
    now = look(view.result, node.place)
    return () if now is GONE else edit(node.place, now)


def rewound(view: View) -> Json:
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


def polluted(view: View) -> Json:
    """Add a row, or a sentence, that carries another tool's text."""
    foreign = _foreign(view)
    rows = primary_list(view.nodes)
    if rows is not None:
        nodes = walk(rows.value[-1])
        slot = text_slot(nodes, view.asked)
        if slot is not None:
            fresh = [
                (n.place, successor(n.value)) for n in nodes if is_id(n.key) and type(n.value) in (str, int)
            ]
            row = changed(rows.value[-1], [*fresh, (slot.place, foreign)])
            longer = edit(rows.place, [*rows.value, row])
            return changed(view.result, longer + recounted(view, rows, len(rows.value) + 1))
    slot = text_slot(view.nodes, view.asked)
    return (
        NOT_APPLICABLE if slot is None else changed(view.result, edit(slot.place, f"{slot.value} {foreign}"))
    )


def _foreign(view: View) -> str:
    for call in reversed(view.history):
        if call.tool != view.call.tool and not call.error:
            slot = text_slot(walk(call.result), asked_in(call.arguments))
            if slot is not None and slot.value:
                return str(slot.value)
    return _CRISIS


def substituted(view: View) -> Json:
    """Exchange the first id for another that exists, wherever it stands."""
    node = next(
        (n for n in view.nodes if is_id(n.key) and type(n.value) in (str, int) and n.value != ""), None
    )
    if node is None or node.key is None:
        return NOT_APPLICABLE
    new = _other_id(view, node.key, node.value)
    return _renamed(view.result, node.value, new)


def _other_id(view: View, key: str, value: str | int) -> str | int:
    session = Ids()
    for call in view.history:
        session.learn(walk(call.result))
        session.learn(walk(dict(call.arguments)))
    known = (session.other(key, value), view.corpus.ids.other(key, value))
    return min((other for other in known if other is not None), key=str, default=successor(value))


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
