"""The contract file."""

import json

import pytest

from outcome_monitors import Call, Monitor, Registry, mine
from outcome_monitors.exceptions import ContractError

CALLS = [Call("get", {"id": i}, {"id": i, "status": "open", "n.x": i + 1.5}, task=str(i)) for i in range(6)]


def _with(**changes):
    document = json.loads(mine(CALLS, "paper").dumps())
    clause = document["tools"]["get"]["clauses"][0]
    for field, value in changes.items():
        if value is ...:
            del clause[field]
        else:
            clause[field] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kind": "exec"}, "no rule kind 'exec'"),
        ({"kind": ...}, "kind is missing"),
        ({"path": "a..b"}, "path 'a..b' is not a path"),
        ({"path": "a[0]"}, "has an index or too many steps"),
        ({"params": {"fields": [1]}}, "parameter 'fields' of kind 'error' cannot be"),
        ({"params": {}}, "parameter 'fields' of kind 'error' is missing"),
        ({"params": {"fields": ["error"], "x": 1}}, "has no parameter 'x'"),
    ],
)
def test_a_wrong_clause_is_refused_by_name(changes, says):
    with pytest.raises(ContractError, match="contracts: tool 'get', clause 0") as caught:
        Registry.loads(_with(**changes))
    assert says in str(caught.value)


def test_clauses_of_a_retired_kind_are_left_out_with_one_warning(caplog):
    document = json.loads(mine(CALLS, "paper").dumps())
    whole = json.dumps(document)
    gone = {"path": "id", "params": {"what": "it said"}, "samples": 6, "tasks": 6, "source": "traces"}
    document["tools"]["get"]["clauses"][1:1] = [
        {"kind": kind, **gone} for kind in ("edges", "alphabet", "edges")
    ]
    assert Registry.loads(json.dumps(document)) == Registry.loads(whole)
    (record,) = caplog.records
    assert "3 clauses are left out" in record.getMessage()
    assert "alphabet, edges;" in record.getMessage()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "{",
        "[" * 200_000,
        '{"format": "outcome-monitors/contracts", "version": "1"}',
    ],
)
def test_what_is_no_contract_file_is_refused(text):
    with pytest.raises(ContractError, match="^contracts"):
        Registry.loads(text)


def test_hostile_names_stay_data(tmp_path):
    names = ['"]; import os', "a\nb", "__class__", "{v}", "%s", "\u2028", "v1", "result"]
    calls = [Call(name, {}, dict.fromkeys(names, i + 1.5), task=str(i)) for i in range(5) for name in names]
    registry = Registry.loads(mine(calls, "paper").dumps())
    monitor = Monitor(registry)
    for name in names:
        assert monitor.check(name, {}, dict.fromkeys(names, 1.5)) == ()
        assert len(monitor.check(name, {}, dict.fromkeys(names, -1.5))) == len(names)
    assert monitor.counts.failed == 0
