"""Nothing that a host hands over or a file says raises, and none of it takes long."""

import json
import random
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Call, Clause, Contract, Monitor, Registry, explain, mine
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.built_in import BUILT_IN_KINDS
from tests.fuzz.contracts import small_value, written
from tests.fuzz.results import ODD

HUGE = 10**5000


class Silent:
    """An object that says nothing of itself, and is no key."""

    __hash__ = None  # type: ignore[assignment]  # as objects of hosts may have it

    def __repr__(self):
        raise RuntimeError


def calls(count: int = 30) -> list[Call]:
    return [Call("t", {"q": f"x{n}"}, {"a": n, "c": f"W{n}"}, task=f"t{n}") for n in range(count)]


@pytest.fixture(scope="module")
def monitor() -> Monitor:
    return Monitor(mine(calls(), "full"))


@pytest.mark.parametrize("tool", [None, 7, ["a"], {"a": 1}, b"t", Silent(), "\ud800", float("nan"), object()])
def test_a_tools_name_may_be_any_object(monitor, tool):
    for watched in (monitor, monitor.session()):
        assert watched.check(tool, {"q": "x"}, {"a": -1}) == ()
        assert watched.advise(tool, {"q": "x"}, {"a": -1}) == {"a": -1}
        outcome = watched.judge(tool, {"q": "x"}, {"a": -1})
        assert outcome.why == "no contract"
        assert isinstance(outcome.tool, str)
    assert not monitor.covers(tool)


@pytest.mark.parametrize("key", [True, 1, None, 1.5])
def test_a_key_that_is_no_text_is_read_as_one_by_the_compiled_check_too(key):
    """Python's own results have such keys; JSON's have not."""
    equal = Clause("fields_equal", "[].*", {"first": ".id", "second": "$"}, 9, 9, "hand")
    monitor = Monitor(Registry({"t": Contract("t", (equal,))}))
    assert monitor.check("t", {}, [{"a": {"id": "a"}}]) == ()
    [violation] = monitor.check("t", {}, [{key: {"id": "paid"}}])
    assert violation.code == "fields_disagree"


@pytest.mark.parametrize("profile", ["paper", "full"])
@pytest.mark.parametrize("number", [HUGE, -HUGE], ids=["huge", "negative"])
def test_a_number_that_has_no_text_is_no_evidence_and_no_trouble(profile, number):
    odd = [
        Call("t", {"q": number}, {"a": number}, task="o1"),
        Call("t", {"q": "x"}, {"a": 1, "rows": [{"b": [number]}]}, task="o2"),
    ]
    assert mine([*calls(), *odd], profile) == mine(calls(), profile)
    Monitor(mine(calls(), profile)).judge("t", {"q": number}, {"a": number, "c": "W1"})


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_what_load_accepts_can_be_written_explained_and_checked(seed):
    rng = random.Random(seed)
    registry = Registry({"t": Contract("t", (written(rng), written(rng)))})
    document = json.loads(registry.dumps())
    for _ in range(rng.randint(0, 2)):
        clause = rng.choice(document["tools"]["t"]["clauses"])
        if clause["params"]:
            clause["params"][rng.choice(list(clause["params"]))] = rng.choice(ODD[:21])
    try:
        found = Registry.loads(json.dumps(document))
    except OutcomeMonitorsError:
        return
    assert Registry.loads(found.dumps()) == found
    assert all(explain(clause) for clause in found.contracts["t"].clauses)
    outcome = Monitor(found).judge("t", small_value(rng, objects=True), small_value(rng))
    assert outcome.failures == ()


def steps(work: Callable[[], Any]) -> int:
    """Return how many calls work makes, of Python and of C."""
    count = 0

    def tick(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(tick)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.fixture(scope="module")
def of_texts() -> Monitor:
    seen = [
        Call(
            "t",
            {"q": f"x{n}", "who": f"Ann {n}"},
            {"id": f"W{n}", "a": f"c{n}", "b": f"d{n}", "s": f"W{n}, x{n}, Ann {n}, c{n}, d{n}, order"},
            task=f"t{n}",
        )
        for n in range(20)
    ]
    return Monitor(mine(seen, "full"))


def grows_as_it_should(judge: Callable[[int], Any], size: int) -> bool:
    """Say whether twice the input takes no more than thrice the steps: what grows with the square takes four times as many."""
    # The first time things are prepared that stay, and the second time for what is wrong again.
    judge(size)
    judge(size)
    return steps(lambda: judge(2 * size)) <= 3 * steps(lambda: judge(size))


@pytest.mark.parametrize(
    "text", [",", "a", "0", " ", "\n", "[", "{", '"', "|", "-", "é", "a,", "<p>", "1970-01-01 "]
)
def test_what_a_text_takes_grows_with_its_length(of_texts, text):
    def judge(size: int) -> Any:
        result = {"id": text, "a": text, "b": text, "s": text * size}
        return of_texts.judge("t", {"q": ",", "who": text}, result)

    assert grows_as_it_should(judge, 300)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in BUILT_IN_KINDS])
def test_what_a_kind_takes_grows_with_the_result(kind):
    """Clauses of each kind as people could write them, on rows that have all the names that clauses speak of."""
    rng = random.Random(kind)
    clauses = tuple(written(rng, kind) for _ in range(4))

    def judge(size: int) -> Any:
        row = {"id": "W1", "a": {"b": "x", "id": 1}, "a.b": [1, 2], "total": -1, "status": "paid", "n": 2}
        many = [{**row, "id": f"W{n}"} for n in range(size)]
        monitor = Monitor(Registry({"t": Contract("t", clauses)}))
        return monitor.judge("t", row, {**row, "items": many, "a": many, "*": dict(enumerate(many))})

    assert grows_as_it_should(judge, 150)
