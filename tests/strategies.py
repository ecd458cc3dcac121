"""Hypothesis strategies: any JSON, and calls that look like a tool's."""

import json
from typing import Any

from hypothesis import strategies as st

from outcome_monitors import Call

ODD_KEYS = [
    "",
    ".",
    "a.b",
    "[]",
    "[0]",
    "[json]",
    '"',
    "*",
    "\n",
    "status",
    "price",
    "error",
    "Error",
    "items",
    "start_date",
    "end_date",
    "é",
    "\ud800",
]

keys = st.sampled_from(ODD_KEYS) | st.text(max_size=6)
dates = st.sampled_from(
    ["2026-01-01", "2026-02-03T10:00:00Z", "2026-02-03 09:00:00", "2026-02-03T10:00", "not a date"]
)
scalars: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.integers()
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.sampled_from(["open", "OPEN", "closed", "usd", " USD", ""])
    | dates
    | st.text(max_size=8)
)
json_values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=20,
)

_fields = {
    "order_id": st.sampled_from(["a1", "a2", "a3"]),
    "status": st.sampled_from(["open", "closed", "held"]),
    "price": st.integers(-1, 6) | st.sampled_from([1.5, 2.25]),
    "total": st.integers(-1, 12),
    "count": st.integers(0, 4),
    "start_date": dates,
    "end_date": dates,
    "error": st.none() | st.just("boom"),
    "items": st.lists(
        st.fixed_dictionaries({}, optional={"sku": st.sampled_from(["x", "y"]), "price": st.integers(0, 3)}),
        max_size=3,
    ),
    "note": scalars,
}
_objects = st.fixed_dictionaries({}, optional=_fields)
_plain = _objects | json_values
_texts = _plain.map(json.dumps)
# As many servers answer: JSON in a text, by itself or in a field, twice over, or cut off.
texts = (
    _texts
    | _texts.map(lambda text: text[:-1])
    | _texts.map(lambda text: {"content": text})
    | st.lists(_texts | scalars, max_size=3).map(lambda texts: [{"type": "text", "text": t} for t in texts])
    | _texts.map(lambda text: json.dumps({"note": text, "status": "open"}))
)
results = _plain | texts
arguments = st.fixed_dictionaries(
    {}, optional={"order_id": st.sampled_from(["a1", "a2"]), "count": st.integers(0, 4)}
)

calls = st.builds(
    Call,
    tool=st.sampled_from(["get_order", "list_orders"]),
    arguments=arguments,
    result=results,
    task=st.none() | st.sampled_from(["t1", "t2", "t3", "t4"]),
    session=st.none() | st.sampled_from(["s1", "s2"]),
)
