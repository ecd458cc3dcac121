"""The one form of a result, law by law."""

import dataclasses
import datetime as dt
import enum
import json
import types
import uuid
from collections import OrderedDict, UserDict, namedtuple
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

import attrs
import pydantic
import pytest
from hypothesis import given, strategies as st

from outcome_monitors.jsonvalue.canonical import (
    LONGEST,
    NOT_JSON,
    arguments_of,
    canonical,
    is_plain,
    made_plain,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass
class Order:
    total: Any
    more: Any = None


@attrs.define
class Parcel:
    weight: float
    sent: dt.date


class Model(pydantic.BaseModel):
    total: float
    sent: dt.date


Point = namedtuple("Point", "x y")  # noqa: PYI024 - a tuple with names is what is tested
DAY = dt.date(2026, 3, 1)
MOMENT = dt.datetime(2026, 3, 1, 10, 0, tzinfo=dt.UTC)

TABLE = [
    ({"a": [1, 2.5, None, True, "x"]}, {"a": [1, 2.5, None, True, "x"]}),
    ('{"total": 1.5}', {"total": 1.5}),
    (' [1, "a"]', [1, "a"]),
    ("{'total': 1.5, 'open': True, 'note': None}", {"total": 1.5, "open": True, "note": None}),
    ("[{'at': datetime.date(2026, 3, 1), 'sum': Decimal('2.50')}]", [{"at": "2026-03-01", "sum": 2.5}]),
    ("12", "12"),
    ("{cut off", "{cut off"),
    ("[" * 100_000, "[" * 100_000),
    (MOMENT, "2026-03-01T10:00:00Z"),
    (DAY, "2026-03-01"),
    (dt.time(9, 30), "09:30:00"),
    (dt.timedelta(minutes=2), 120.0),
    (Decimal("19.90"), 19.9),
    (Fraction(1, 4), 0.25),
    (Colour.RED, "red"),
    (Level.LOW, 1),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (PurePosixPath("a/b"), "a/b"),
    (b"text", "text"),
    (b"\xff\xfe", "//4="),
    ((1, 2), [1, 2]),
    (Point(1, 2), [1, 2]),
    ({3, 1, 2}, [1, 2, 3]),
    (OrderedDict(total=1.5), {"total": 1.5}),
    (MappingProxyType({"total": Decimal(1)}), {"total": 1}),
    (UserDict(total=1.5), {"total": 1.5}),
    ({1: "a", None: "b", False: "c", DAY: "d"}, {"1": "a", "null": "b", "false": "c", "2026-03-01": "d"}),
    (types.SimpleNamespace(total=1.5), {"total": 1.5}),
    (Order(Colour.RED, (Level.LOW,)), {"total": "red", "more": [1]}),
    (Parcel(1.5, DAY), {"weight": 1.5, "sent": "2026-03-01"}),
    (Model(total=1.5, sent=DAY), {"total": 1.5, "sent": "2026-03-01"}),
]


@pytest.mark.parametrize(("value", "form"), TABLE, ids=lambda value: repr(value)[:30])
def test_what_values_stand_for(value, form):
    found = canonical(value)
    assert found == form
    assert is_plain(found)
    assert type(found) is type(form)


@given(JSON.filter(lambda value: not isinstance(value, str)))
def test_what_is_plain_and_no_wrapper_stays_the_same_object(value):
    assert is_plain(value)
    assert made_plain(value) is value


@given(
    st.one_of(
        JSON, st.text(), st.dictionaries(st.integers() | st.booleans(), SCALARS), st.sets(st.integers())
    )
)
def test_the_form_of_a_form_is_itself(value):
    once = canonical(value)
    assert canonical(once) == once


@given(JSON)
def test_nothing_is_changed(value):
    before = json.dumps(value)
    canonical(value)
    canonical({"within": (value,)})
    assert json.dumps(value) == before


TEXT = '{"total": 1.5}'
BLOCK = {"type": "text", "text": TEXT}
MESSAGE = {"content": TEXT, "name": "get_order", "tool_call_id": "c1", "status": "success"}
WRAPPED = [
    [BLOCK],
    BLOCK,
    {"content": [BLOCK], "isError": False},
    {"content": [BLOCK], "structuredContent": {"total": 1.5}, "isError": False},
    {"type": "tool", **MESSAGE},
    {"type": "tool", "data": MESSAGE},
    {"role": "tool", "tool_call_id": "c1", "content": TEXT},
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "ToolMessage"],
        "kwargs": MESSAGE,
    },
    f"content={TEXT!r} name='get_order' tool_call_id='c1'",
    [{"type": "resource", "resource": {"uri": "shop://1", "text": TEXT}}],
]


@pytest.mark.parametrize("wrapped", WRAPPED, ids=lambda value: repr(value)[:40])
def test_wrappers_are_taken_off(wrapped):
    assert canonical(wrapped) == {"total": 1.5}
    if not isinstance(wrapped, str):
        assert canonical(json.dumps(wrapped)) == {"total": 1.5}


def framework(name, **attributes):
    return type(name, (), attributes)()


def test_objects_of_frameworks_are_opened():
    message = framework("ToolMessage", content=TEXT, tool_call_id="c1", artifact=None)
    assert canonical(message) == {"total": 1.5}
    structured = {"structured_content": {"total": 2.5}}
    assert canonical(framework("ToolMessage", content="", tool_call_id="c1", artifact=structured)) == {
        "total": 2.5
    }
    assert canonical(framework("Command", update={"messages": [message]})) == {"total": 1.5}
    assert canonical(framework("ToolReturn", return_value=Order(1))) == {"total": 1, "more": None}
    assert canonical([framework("TextContent", type="text", text=TEXT)]) == ["<TextContent>"]
    assert canonical(framework("TextContent", type="text", text=TEXT)) == {"total": 1.5}


@pytest.mark.parametrize(
    "own",
    [
        {"result": {"total": 1.5}},
        {"type": "text", "text": "a", "price": 3},
        {"content": [{"type": "text", "text": "a"}]},
        {"content": "a", "type": "tool"},
        {"type": "image"},
        [{"type": "text", "text": "a"}, {"type": "house"}],
    ],
)
def test_what_a_tool_has_of_its_own_is_no_wrapper(own):
    assert canonical(own) is own


class Raising:
    def model_dump(self, **_options):
        raise RuntimeError("no")


class Lazy:
    """A field that is fetched when it is looked at, and cannot be."""

    @property
    def type(self):
        raise ConnectionError("gone")


@pytest.mark.parametrize(
    "value", [object(), Order, iter(()), (n for n in (1, 2)), Raising(), Lazy(), print], ids=type
)
def test_what_says_nothing(value):
    assert canonical(value) is NOT_JSON


def test_what_says_nothing_within_a_result_is_named_and_logged_once(caplog):
    class Handle:
        pass

    assert canonical({"total": 1.5, "handle": Handle()}) == {"total": 1.5, "handle": "<Handle>"}
    canonical([Handle()])
    assert sum("Handle" in record.message for record in caplog.records) == 1


def test_cycles_end():
    order = Order(1)
    order.more = [order]
    assert canonical(order) == {"total": 1, "more": ["<Order>"]}
    own: dict[str, Any] = {}
    own["own"] = own
    assert canonical(own) == {"own": "<dict>"}


def test_depth_and_size_are_bounded():
    deep: Any = 1
    for _ in range(100_000):
        deep = (deep,)
    assert canonical(deep) is not NOT_JSON
    assert canonical((0,) * 600_000) is NOT_JSON
    long = json.dumps({"a": "x" * LONGEST})
    assert canonical(long) is long


def test_arguments_are_an_object_its_text_or_a_model():
    assert arguments_of('{"id": "W1"}') == {"id": "W1"}
    assert arguments_of(Model(total=1, sent=DAY)) == {"total": 1.0, "sent": "2026-03-01"}
    assert arguments_of({"on": DAY}) == {"on": "2026-03-01"}
    assert arguments_of("") == arguments_of(None) == arguments_of(Raising()) == {}


def numeric(name, module="numpy", **methods):
    return type(name, (), {"__module__": module, **methods})()


def test_numbers_and_tables_of_other_libraries():
    assert canonical(numeric("int64", tolist=lambda _: 3)) == 3
    assert canonical({"a": numeric("ndarray", tolist=lambda _: [1.5, 2.5], size=2)}) == {"a": [1.5, 2.5]}
    frame = numeric("DataFrame", "pandas.core.frame", to_dict=lambda _, how: [{"id": 1, "how": how}], size=2)
    assert canonical(frame) == [{"id": 1, "how": "records"}]
    assert canonical({"a": numeric("NAType", "pandas._libs")}) == {"a": None}
    missing = type("NaTType", (dt.datetime,), {})
    assert canonical({"a": missing(2026, 1, 1)}) == {"a": None}
    assert canonical(numeric("DataFrame", "polars.dataframe", to_dicts=lambda _: [{"id": 1}])) == [{"id": 1}]
    assert canonical(numeric("ndarray", tolist=lambda _: [1], size=10**9)) is NOT_JSON
