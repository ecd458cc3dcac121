"""The compiled check, the plain one and the monitor mean the same: what generated code calls clean, no clause flags.

`make test` draws a few hundred contracts; `make fuzz` goes on for `OUTCOME_MONITORS_FUZZ` seconds with others each time.
"""

import os
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from outcome_monitors import Clause, Contract, Monitor, Registry, mine
from outcome_monitors.checking.compiled.clauses import doubts
from outcome_monitors.checking.compiled.contract import compile_contract
from outcome_monitors.rules import evaluate
from tests.fuzz.contracts import small_value, varied, written
from tests.fuzz.results import changed, tool_of

LONG = float(os.environ.get("OUTCOME_MONITORS_FUZZ", "0"))
FOUND: list[tuple[str, str, dict[str, Any], dict[str, Any], Any]] = [
    ("echo", "a", {"argument": "a"}, {"a": "x"}, {"a": None}),
    ("echo", "*", {"argument": "a"}, {"a": "x"}, {"b": None}),
    ("echo", "[].a", {"argument": "a"}, {"a": "x"}, [{"a": "x"}, {"a": None}]),
    ("echo", '["a.b"]', {"argument": "a.b"}, {"a.b": "x"}, {"a.b": None}),
    ("known", "[0]", {"fields": ["a"]}, {}, [{"b": 1}]),
    ("type", "a[0]", {"kinds": ["string"]}, {}, {"a": [1]}),
    ("required", "[0].a", {}, {}, [{}]),
    ("type", "[][1]", {"kinds": ["string"]}, {}, [["a", 1]]),
    ("same", "items", {"first": "$", "second": "@n"}, {"n": "other"}, {"items": {"b": 1}}),
    ("template", "id", {"field": "$", "templates": [["string"]]}, {}, {"id": [[""]]}),
]
"""What the compiled check once passed, and the plain one flags."""


def says_yes(contract: Contract, arguments: Any, result: Any) -> bool:
    try:
        return compile_contract(contract)(arguments, result)
    except Exception:  # noqa: BLE001 - as the monitor has it
        return False


def flagged(contract: Contract, arguments: Any, result: Any) -> list[tuple[str, str]]:
    """Return what the plain check flags; a clause that cannot be checked is a fault of its own."""
    failures: list[str] = []
    broken = evaluate(contract.clauses, arguments, result, lambda _, error: failures.append(repr(error)))
    found = [(clause.kind, clause.path) for clause, _ in broken]
    assert not failures
    return found


@pytest.mark.parametrize(("kind", "path", "params", "arguments", "result"), FOUND)
def test_what_was_found_stays_found(kind, path, params, arguments, result):
    contract = Contract("t", (Clause(kind, path, params, 9, 9, "hand"),))
    assert flagged(contract, arguments, result)
    assert not says_yes(contract, arguments, result)
    assert Monitor(Registry({"t": contract})).check("t", arguments, result)


@pytest.mark.parametrize("path", ["", "[]", "*", "a[json]", "a[0]"])
def test_that_what_is_no_field_is_required_says_nothing(path):
    contract = Contract("t", (Clause("required", path, {}, 9, 9, "hand"),))
    results: list[Any] = [{}, [], [{}], {"a": "{}"}, None]
    for result in results:
        assert flagged(contract, {}, result) == []


def agrees_on_written(seed: int) -> None:
    """Try clauses as people could write them on small results."""
    rng = random.Random(seed)
    contract = Contract("t", tuple(written(rng) for _ in range(rng.randint(1, 4))))
    for _ in range(10):
        arguments, result = small_value(rng, objects=True), small_value(rng)
        if says_yes(contract, arguments, result):
            assert flagged(contract, arguments, result) == [], (contract.clauses, arguments, result)


def agrees_on_mined(seed: int) -> None:
    """Try what was mined of a tool, changed, on what it answers, changed."""
    rng, tool = random.Random(seed), tool_of(seed)
    found = mine(tool.calls(12), rng.choice(("paper", "full"))).contracts.get("t")
    if found is None:
        return
    contract = varied(rng, found)
    tell = doubts(contract)
    for _ in range(20):
        call = tool.call(rng.randint(0, 60))
        arguments = changed(rng, dict(call.arguments)) if rng.random() < 0.3 else call.arguments
        result = changed(rng, call.result)
        if isinstance(arguments, dict) and says_yes(contract, arguments, result):
            assert flagged(contract, arguments, result) == [], (contract.clauses, arguments, result)
        elif isinstance(arguments, dict):
            doubted = evaluate(contract.clauses, arguments, result, None, tell(arguments, result))
            assert [(clause.kind, clause.path) for clause, _ in doubted] == flagged(
                contract, arguments, result
            )


@settings(max_examples=60)
@given(st.integers(0, 10**9))
@example(0)
def test_clauses_that_people_write_mean_one_thing(seed):
    agrees_on_written(seed)


@settings(max_examples=8)
@given(st.integers(0, 10**9))
def test_clauses_that_were_mined_mean_one_thing(seed):
    agrees_on_mined(seed)


@pytest.mark.skipif(not LONG, reason="`make fuzz` runs this")
@pytest.mark.parametrize("agrees", [agrees_on_written, agrees_on_mined])
def test_for_long(agrees):
    for seed in _seeds(LONG / 2):
        agrees(seed)


def _seeds(seconds: float) -> Iterator[int]:
    """Yield other seeds each time, which a failure names in its traceback."""
    until, first = time.monotonic() + seconds, random.SystemRandom().randrange(10**12)
    while time.monotonic() < until:
        yield first
        first += 1
