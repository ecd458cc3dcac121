"""Objects of one shape, wherever they stand, are evidence for each other."""

from outcome_monitors import Call
from outcome_monitors.features.walk import look
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.shapes import families
from outcome_monitors.rules.evidence.evidence import Evidence

FIELDS = [f"field_{i}" for i in range(10)]


def order(number, names=FIELDS):
    return {name: f"{name} {number}" for name in names}


def evidence(calls):
    found: dict[str, Evidence] = {}
    for call in calls:
        found.setdefault(call.tool, Evidence()).observe(look(call))
    return found


def get(number, tool="get", **more):
    return Call(tool, {"id": number}, {**order(number), **more}, task=f"{tool} {number}")


def listed(number):
    return Call(
        "list", {"page": number}, {"orders": [order(number), order(number + 1)]}, task=f"list {number}"
    )


def members(found):
    return [sorted((member.tool, member.path) for member in family.members) for family in found]


def test_a_result_and_the_rows_of_a_list_are_one_family():
    found = families(evidence([*map(get, range(5)), *map(listed, range(5))]))
    assert members(found) == [[("get", ""), ("list", "orders[]")]]


def test_a_tool_that_is_called_rarely_has_the_clauses_of_one_that_is_called_often():
    states = ["open", "held", "shut", "lost"]
    observations = Observations("full")
    for number in range(120):
        state = states[number % 4]
        sent = f"T{number}" if state == "shut" else None
        observations.add(get(number, state=state, sent=sent))
        if number < 24:
            observations.add(get(number, "cancel", state=state, sent=sent))
    taken = [
        (tool, c) for tool, c in observations.candidates() if not c.refused and c.clause.kind == "conditional"
    ]
    pooled = [candidate.clause.params for tool, candidate in taken if tool == "cancel"]
    assert any(found["given"] == ".state" and found["field"] == ".sent" for found in pooled)
