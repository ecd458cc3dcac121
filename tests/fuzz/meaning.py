"""What generated code calls clean, no clause flags: on clauses as people could write them, and on such as were mined."""

import random
from collections.abc import Callable
from typing import Any

from outcome_monitors import Contract, mine
from outcome_monitors.checking.compiled import compile_contract
from outcome_monitors.rules import evaluate
from tests.fuzz.contracts import small_value, varied, written
from tests.fuzz.results import changed, tool_of

__all__ = ["agrees_on_mined", "agrees_on_written", "flagged", "says_yes"]


Says = Callable[[Any, Any], bool]
"""Says of arguments and a result whether they are clean."""


def compiled(contract: Contract) -> Says:
    """Return what generated code says; what it cannot say of a result, it does not call clean."""
    try:
        check = compile_contract(contract)
    except Exception:  # noqa: BLE001 - as the monitor has it
        return lambda _arguments, _result: False

    def says(arguments: Any, result: Any) -> bool:
        try:
            return check(arguments, result)
        except Exception:  # noqa: BLE001 - as the monitor has it
            return False

    return says


def says_yes(contract: Contract, arguments: Any, result: Any) -> bool:
    """Say whether generated code calls a result clean."""
    return compiled(contract)(arguments, result)


def flagged(contract: Contract, arguments: Any, result: Any) -> list[tuple[str, str]]:
    """Return what the plain check flags; a clause that cannot be checked is a fault of its own."""
    failures: list[str] = []
    broken = evaluate(contract.clauses, arguments, result, lambda _, error: failures.append(repr(error)))
    found = [(clause.kind, clause.path) for clause, _ in broken]
    assert not failures
    return found


def _demand(contract: Contract, says: Says, arguments: Any, result: Any) -> None:
    if isinstance(arguments, dict) and says(arguments, result):
        assert flagged(contract, arguments, result) == [], (contract.clauses, arguments, result)


def agrees_on_written(seed: int) -> int:
    """Try clauses as people could write them on small results; return how many."""
    rng, tries = random.Random(seed), 25
    contract = Contract("t", tuple(written(rng) for _ in range(rng.randint(1, 4))))
    says = compiled(contract)
    for _ in range(tries):
        _demand(contract, says, small_value(rng, objects=True), small_value(rng))
    return tries


def agrees_on_mined(seed: int) -> int:
    """Try what was mined of a tool, changed, on what it answers, changed."""
    rng, tool, contracts, tries = random.Random(seed), tool_of(seed), 4, 25
    found = mine(tool.calls(12), rng.choice(("paper", "full"))).contracts.get("t")
    if found is None:
        return 0
    for _ in range(contracts):
        contract = varied(rng, found)
        says = compiled(contract)
        for _ in range(tries):
            call = tool.call(rng.randint(0, 60))
            arguments = changed(rng, dict(call.arguments)) if rng.random() < 0.3 else call.arguments
            result = changed(rng, call.result)
            _demand(contract, says, arguments, result)
    return contracts * tries
