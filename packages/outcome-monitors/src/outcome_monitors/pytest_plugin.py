"""A pytest plugin: `outcome_contract(result, tool="get_order")` fails a test whose result violates its contract.

def test_an_order(outcome_contract):
    outcome_contract(get_order("W1"), tool="get_order", arguments={"order_id": "W1"})

pytest --outcome-record traces.jsonl       each result is recorded, to mine contracts from
pytest --outcome-contracts contracts.json  each result is checked; without it, by the built-in rules alone

A test is one session: its results are also held against each other.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from outcome_monitors import Monitor, Violation

__all__ = ["OutcomeContract", "outcome_contract"]

OutcomeContract = Callable[..., Any]
"""Takes a result, its tool and what that was called with, and returns the result."""
_MONITOR = pytest.StashKey["Monitor"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, of which the first can stand in the configuration."""
    group = parser.getgroup("outcome-monitors", "contracts of tool results")
    says = "The contracts that `outcome_contract` holds results against."
    group.addoption("--outcome-contracts", metavar="FILE", help=says)
    parser.addini("outcome_contracts", says)
    group.addoption(
        "--outcome-record", metavar="FILE", help="Record what `outcome_contract` is given, to mine from."
    )


@pytest.fixture
def outcome_contract(request: pytest.FixtureRequest) -> Iterator[OutcomeContract]:
    """Check results: a violation fails the test, in the line that handed the result over."""
    # Imported only where it is asked for: pytest loads the plugin in every run.
    from outcome_monitors import Call, canonical  # noqa: PLC0415
    from outcome_monitors.files import append  # noqa: PLC0415
    from outcome_monitors.jsonvalue.canonical import NOT_JSON, arguments_of  # noqa: PLC0415
    from outcome_monitors.traces.reader import call_to_json  # noqa: PLC0415

    config, test = request.config, request.node.nodeid
    contracts = config.getoption("outcome_contracts") or config.getini("outcome_contracts")
    record: str | None = config.getoption("outcome_record")
    monitor = _monitor(config, str(contracts))
    session, lines = monitor.session(test), list[str]()

    def check(result: Any, *, tool: str, arguments: Mapping[str, Any] | None = None) -> Any:
        __tracebackhide__ = True
        value, given = canonical(result), arguments_of(arguments or {})
        if value is NOT_JSON:
            raise AssertionError(f"the result of {tool} is not JSON: {type(result).__name__}")
        if contracts and not record and not monitor.covers(tool, value):
            known = ", ".join(sorted(monitor.contracts.by_tool)) or "none"
            raise AssertionError(f"{contracts} has no contract for {tool}; it has: {known}")
        violations = session.check(tool, given, value)
        if violations:
            raise AssertionError(_message(tool, violations))
        lines.append(json.dumps(call_to_json(Call(tool, given, value, test, test))) + "\n")
        return result

    yield check
    if record:
        append(Path(record), "".join(lines).encode())


def _monitor(config: pytest.Config, contracts: str) -> "Monitor":
    """Return the monitor of this run, which is made once."""
    from outcome_monitors import Monitor, Registry  # noqa: PLC0415
    from outcome_monitors.exceptions import OutcomeMonitorsError  # noqa: PLC0415

    if _MONITOR not in config.stash:
        try:
            registry = Registry.load(config.rootpath / contracts) if contracts else Registry()
        except OutcomeMonitorsError as error:
            raise pytest.UsageError(str(error)) from None
        config.stash[_MONITOR] = Monitor(registry)
    return config.stash[_MONITOR]


def _message(tool: str, violations: "tuple[Violation, ...]") -> str:
    """Say what is wrong, a violation a line."""
    lines = [
        f"  {found.path or 'the result'}: expected {json.dumps(found.expected)}, observed {json.dumps(found.observed)}"
        f"  ({found.code}: {found.detail})"
        for found in violations
    ]
    return "\n".join([f"the result of {tool} violates its contract", *lines])
