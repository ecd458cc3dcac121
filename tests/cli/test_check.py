"""`check`: its three forms, its exit status, and what was not checked."""

import json
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors import Contract, Registry, Relations
from outcome_monitors.model import Clause
from outcome_monitors.recovery.effects import Effect
from outcome_monitors.rules import KINDS
from tests.commandline import Line, Run, Write


@pytest.mark.parametrize(("writes", "flagged"), [(True, 0), (False, 1)])
def test_what_is_known_of_a_tool_says_whether_a_session_holds_across_it(
    run: Run, write: Write, tmp_path: Path, writes: bool, flagged: int
) -> None:
    clause = Clause("memory", "", {"key": ".id", "field": ".status"}, 9, 9, "traces")
    Registry({"get_order": Contract("get_order", (clause,))}).save(tmp_path / "memory.json")
    Relations(effects={"frob": Effect(writes=writes, idempotent=None, source="annotation")}).save("r.json")
    told = [{"tool": "get_order", "result": {"id": "W1", "status": status}} for status in ("open", "shut")]
    lines = [told[0], {"tool": "frob", "result": {}}, told[1]]
    name = write("t.jsonl", [line | {"session": "s"} for line in lines])
    result = run("check", name, "--contracts", "memory.json", "--relations", "r.json", "--format", "jsonl")
    assert result.exit_code == flagged, result.output
    assert result.stdout.count("remembered_fact_contradicted") == flagged


def test_a_trace_of_unknown_tools_is_not_passed_over_in_silence(
    run: Run, write: Write, contracts: str
) -> None:
    name = write("t.jsonl", [{"tool": "other", "result": 1}])
    result = run("check", name, "--contracts", contracts, "--format", "jsonl")
    assert json.loads(result.stdout)["covered"] is False
    assert result.stderr == "warning: no result was checked: 1 call without a contract, 0 failed openly\n"
    assert "without a contract: other (1)\n" in run("check", name, "--contracts", contracts).stdout


def test_a_check_that_fails_inside_is_never_a_pass(
    run: Run, write: Write, contracts: str, orders: list[Line], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(clause: Clause, arguments: Any, result: Any) -> Any:
        raise MemoryError("no room")

    monkeypatch.setattr(KINDS["positive"], "check", broken, raising=True)
    orders[1]["result"]["total"] = -1
    name = write("t.jsonl", orders)
    found = run("check", name, "--contracts", contracts, "--format", "jsonl")
    assert found.exit_code == 2
    assert found.stderr == "error: 1 result could not be checked\n"
    assert [json.loads(line).get("checked", True) for line in found.stdout.splitlines()].count(False) == 1
    text = run("check", name, "--contracts", contracts).stdout
    assert "t.jsonl:2: get_order (task retail/1)\n  could not be checked: a clause of kind 'positive'" in text
    assert "5 checked, 0 flagged" in text
    log = json.loads(run("check", name, "--contracts", contracts, "--format", "sarif").stdout)
    [invocation] = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "could not be checked" in invocation["toolExecutionNotifications"][0]["message"]["text"]
