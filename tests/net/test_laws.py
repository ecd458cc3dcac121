"""What holds of every check: it never raises, never alters, is the same each time, and knows no answer."""

import inspect
import json
import subprocess
import sys
import threading
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Monitor, Registry, Watch, canonical, exceptions, mine, read_traces
from outcome_monitors.adapters.functions import run as run_of_an_agent, watched
from tests.net.support import DATA, environment, lines

ROWS = lines((DATA / "wrong.jsonl").read_bytes())
CLEAN = ROWS[0]


class Hostile:
    """A value that fails at whatever is asked of it."""

    def __repr__(self) -> str:
        return "Hostile()"

    def _fail(self, *_: object) -> bool:
        raise RuntimeError("not for you")

    __eq__ = __len__ = __iter__ = __getitem__ = __hash__ = __bool__ = __lt__ = __str__ = __float__ = _fail  # type: ignore[assignment]


class Text(str):
    """Text of a type of its own."""

    __slots__ = ()


def cyclic() -> list[object]:
    value: list[object] = []
    value.append({"again": value})
    return value


ODD = st.one_of(
    st.sampled_from([float("nan"), float("inf"), -0.0, 10**400, -(10**4000), b"bytes", (1, 2), 1j, ...]),
    st.builds(Hostile),
    st.builds(Text, st.text(max_size=3)),
    st.builds(cyclic),
    st.builds(lambda: {1: "a", None: "b", (1,): "c"}),
    st.builds(lambda: {"a", "b"}),
    st.builds(lambda depth: json.loads("[" * depth + "]" * depth), st.integers(1, 800)),
    st.sampled_from(
        ["\ud800", "\x00", "x" * 100_000, "2026-13-45T99:00:00Z", "(" * 500, "1e999", '{"a":' * 300]
    ),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), ODD),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["id", "total", "items", "status", "x", ""]), inner, max_size=4),
    ),
    max_leaves=12,
)


@st.composite
def results(draw):
    """Draw a call of the shop with one thing in its result, or all of it, replaced."""
    row = json.loads(json.dumps(draw(st.sampled_from(ROWS))))
    result = row["result"]
    place = result
    while isinstance(place, list | dict) and place:
        key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if draw(st.booleans()) or not isinstance(place[key], list | dict):
            place[key] = draw(VALUES)
            return row["tool"], row["arguments"], result
        place = place[key]
    return row["tool"], row["arguments"], draw(VALUES)


@pytest.fixture(scope="module", params=["paper", "full"])
def registry(shop, request):
    return Registry.load(shop / f"{request.param}.json")


@pytest.fixture(scope="module")
def monitors(registry):
    """Two monitors of the same contracts; to make one for each example would take most of the time."""
    return Monitor(registry), Monitor(registry)


@pytest.fixture(scope="module")
def of_each_form(registry):
    return [
        Monitor(registry, encoder=encoder) for encoder in ("v1", "v2", "generic", "stripped", "text", "note")
    ]


def held_against(monitor, tool, arguments, result) -> list[object]:
    """Check and advise, alone and in a session, and hold what comes back against the laws."""
    before = repr((tool, arguments, result))
    # Arguments that are no object: `test_a_session_takes_arguments_that_are_no_object`.
    session = monitor.session() if isinstance(arguments, dict) else monitor
    found = monitor.check(tool, arguments, result)
    advised = [asked.advise(tool, arguments, result, tools=["get_order"]) for asked in (monitor, session)]
    again = session.check(tool, arguments, result)
    assert isinstance(found, tuple)
    assert isinstance(again, tuple)
    for told in advised:
        assert told is result or told["tool_result"] is result
    if not found:
        assert advised[0] is result
    assert repr((tool, arguments, result)) == before
    return [repr(found), repr(again), repr(advised)]


@settings(settings.get_profile("net"))
@given(call=results())
def test_a_spoilt_result_never_raises_is_never_altered_and_is_judged_alike_twice(monitors, call):
    first, second = monitors
    assert held_against(first, *call) == held_against(second, *call)


@settings(settings.get_profile("net"))
@given(tool=st.sampled_from(["get_order", "track_parcel", "other"]) | ODD, arguments=VALUES, result=VALUES)
def test_whatever_is_given_never_raises_and_is_never_altered(monitors, tool, arguments, result):
    held_against(monitors[0], tool, arguments, result)


NO_OBJECT: Any = None


def test_a_session_takes_arguments_that_are_no_object(registry):
    assert Monitor(registry).session().check("get_order", NO_OBJECT, None)


def test_a_number_that_cannot_be_written_never_raises(registry):
    """Python writes no more than 4,300 digits."""
    monitor, result = Monitor(registry), {**CLEAN["result"], "total": 10**5000, "id": -(10**9999)}
    assert monitor.check("get_order", CLEAN["arguments"], result)
    advised = monitor.advise("get_order", CLEAN["arguments"], result)
    assert advised is result or advised["tool_result"] is result


@settings(settings.get_profile("net"), max_examples=25)
@given(call=results())
def test_no_form_of_receipt_raises(of_each_form, call):
    tool, arguments, result = call
    for monitor in of_each_form:
        advised = monitor.advise(tool, arguments, result)
        if advised is not result:
            json.dumps(advised["outcome_contract"])


def test_a_clean_result_is_the_very_same_object(registry):
    monitor = Monitor(registry)
    result = CLEAN["result"]
    assert monitor.check("get_order", CLEAN["arguments"], result) == ()
    assert monitor.advise("get_order", CLEAN["arguments"], result) is result
    assert monitor.session().advise("get_order", CLEAN["arguments"], result) is result
    wrong = {**result, "total": -1}
    advised = monitor.advise("get_order", CLEAN["arguments"], wrong)
    assert list(advised) == ["tool_result", "outcome_contract"]
    assert advised["tool_result"] is wrong
    assert monitor.covers("get_order")
    assert not monitor.covers("no such tool")
    assert (monitor.counts.checked, monitor.counts.flagged) == (4, 1)


def test_threads_get_what_one_alone_gets(registry):
    monitor = Monitor(registry)
    rows = [row for row in ROWS if not row.get("error")]
    alone = [monitor.check(row["tool"], row["arguments"], row["result"]) for row in rows]
    found: list[object] = []

    def work() -> None:
        found.extend(monitor.check(r["tool"], r["arguments"], r["result"]) for r in rows)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(repr, found)) == sorted(map(repr, alone * 4))


@settings(settings.get_profile("net"), max_examples=5)
@given(order=st.permutations(range(60)))
def test_contracts_do_not_depend_on_the_order_of_the_tasks(order):
    calls = list(read_traces([DATA / "shop.jsonl"]))
    ranks = {f"shop/{number}": rank for rank, number in enumerate(order)}
    assert mine(sorted(calls, key=lambda call: ranks[call.task or ""]), "paper").dumps() == LEARNED


LEARNED = mine(read_traces([DATA / "shop.jsonl"]), "paper").dumps()


def test_other_hashes_make_no_difference(shop, tmp_path):
    """Neither of what is learned nor of what is found."""
    program = (
        "import sys; from outcome_monitors import *; "
        f"calls = list(read_traces([{str(DATA / 'shop.jsonl')!r}])); r = mine(calls); "
        "print(r.dumps()); m = Monitor(r); "
        f"print([m.check(c.tool, c.arguments, c.result) for c in read_traces([{str(DATA / 'wrong.jsonl')!r}])])"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=environment(tmp_path) | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert said[0].startswith((shop / "full.json").read_bytes().rstrip())


def test_no_oracle():
    """A monitor is given contracts and relations, a call is what agent and tool know: no label, fault or solution."""
    assert set(inspect.signature(Monitor).parameters) <= {
        "registry",
        "relations",
        "encoder",
        "listing",
        "built_in",
    }
    for method in (Monitor.check, Monitor.advise):
        assert set(inspect.signature(method).parameters) <= {"self", "tool", "arguments", "result", "tools"}
    program = (
        "import sys; from outcome_monitors import Monitor, Registry, Session; "
        f"m = Monitor(Registry.load({str(DATA / 'printed.json')!r})); "
        "m.advise('get_order_details', {}, {'status': 'lost'}); m.session().check('t', {}, 1); "
        "print([n for n in sys.modules if n.startswith(('outcome_monitors.study', 'outcome_monitors.evaluation'))"
        " or n.startswith(('outcome_monitors_study', 'outcome_monitors_fleet'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_cannot_be_loaded_is_one_kind_of_error(tmp_path):
    (tmp_path / "odd.json").write_text('{"format": "outcome-monitors/contracts", "version": 99}')
    with pytest.raises(exceptions.ContractError):
        Registry.load(tmp_path / "odd.json")
    with pytest.raises(exceptions.OutcomeMonitorsError):
        Registry.load(tmp_path / "nowhere.json")
    with pytest.raises(exceptions.OutcomeMonitorsError):
        Monitor(Registry.load(DATA / "printed.json"), encoder="v9")  # type: ignore[arg-type]  # that is the point


def test_canonical_form():
    """Equal values have equal forms, whatever the order of their keys."""
    assert canonical({"b": 1, "a": [1.0, None]}) == canonical({"a": [1.0, None], "b": 1})
    assert canonical({"a": 1}) != canonical({"a": 2})


def test_a_function_that_is_watched(shop, tmp_path):
    """The adapter that needs no framework: results pass as they are, receipts go to who asked, events are kept."""
    watch = Watch.open(shop / "full.json", events=str(tmp_path / "events.jsonl"))
    clean, spoilt = CLEAN["result"], {**CLEAN["result"], "total": -1}

    said: list[tuple[Any, ...]] = []

    @watched(watch, name="get_order", tell=lambda *told: said.append(told))
    def get_order(id, wrong=False):  # noqa: A002 - the tool's argument
        return spoilt if wrong else clean

    with run_of_an_agent("conversation-1"):
        assert get_order("W1003") is clean
        assert get_order("W1003", wrong=True) is spoilt
    watch.close()
    [(tool, result, receipt)] = said
    assert (tool, result is spoilt, receipt["status"]) == ("get_order", True, "inconsistent")
    events = lines((tmp_path / "events.jsonl").read_bytes())
    assert [(event["tool"], event["outcome"], event["told"]) for event in events] == [
        ("get_order", "clean", False),
        ("get_order", "flagged", True),
    ]
