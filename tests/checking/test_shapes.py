"""Tools without a contract: their objects are held against what objects of the same shape are in other tools."""

import random

import pytest
from hypothesis import given, strategies as st

from outcome_monitors import Clause, Contract, Monitor, Registry, mine
from outcome_monitors.checking.shapes import UncoveredTools
from outcome_monitors.contracts.shapes import ALIKE, Shape
from outcome_monitors.exceptions import ContractError
from outcome_monitors.mining.observations import Observations
from tests.rest import THINGS, thing, traffic, user
from tests.strategies import json_values

CALLS = traffic()
LEARNED = mine(CALLS, "full")
MONITOR = Monitor(LEARNED)
UNCOVERED = "GET /stars/{id}"


def clause(kind, path, **params):
    return Clause(kind, path, params, 60, 40, "traces")


def codes(result, monitor=MONITOR, tool=UNCOVERED):
    return [(violation.code, violation.path) for violation in monitor.check(tool, {}, result)]


def star(number=4321, **owner):
    """Return a result of a tool that was never seen, with a user in it."""
    return {"star": "Vega", "magnitude": 0.03, "seen_by": [{**user(number), **owner}]}


def test_a_user_is_a_shape():
    shapes = [shape for shape in LEARNED.shapes if "login" in shape.fields]
    assert [shape.fields for shape in shapes] == [("created_at", "id", "login", "site_admin", "url")]
    assert shapes[0].tools == 2 * len(THINGS)
    kinds = {found.kind for found in shapes[0].clauses}
    assert {"type", "form"} <= kinds
    # Another tool may give less of the same thing.
    assert "required" not in kinds


def test_a_clean_result_of_an_uncovered_tool_passes_and_is_covered():
    assert MONITOR.covers(UNCOVERED, star())
    assert codes(star()) == []


@pytest.mark.parametrize(
    ("owner", "found"),
    [
        ({"site_admin": "yes"}, ("learned_type_mismatch", "seen_by[0].site_admin")),
        ({"id": "u-1"}, ("learned_type_mismatch", "seen_by[0].id")),
        ({"created_at": "3 March"}, ("unseen_form", "seen_by[0].created_at")),
        ({"error": "not found"}, ("explicit_error", "seen_by[0].error")),
        ({"id": -4}, ("nonpositive_value", "seen_by[0].id")),
    ],
)
def test_a_user_in_the_result_of_an_uncovered_tool_must_be_one(owner, found):
    assert found in codes(star(**owner))


def test_an_error_page_in_place_of_an_answer_is_foreign_in_any_tool():
    page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
    assert codes("") == []
    assert MONITOR.covers("DELETE /stars/{id}", "")
    assert ("foreign_text", "") in codes(page)


def test_an_object_like_none_and_an_empty_list_are_not_covered_by_a_users_shape():
    only_users = Registry({}, "full", [shape for shape in LEARNED.shapes if shape.fields])
    monitor = Monitor(only_users)
    assert not monitor.covers(UNCOVERED, {"star": "Vega"})
    assert not monitor.covers(UNCOVERED, [])
    assert not MONITOR.covers(UNCOVERED, [])
    assert monitor.check(UNCOVERED, {}, {"star": "Vega"}) == ()
    assert (monitor.counts.checked, monitor.counts.not_covered) == (1, 1)


def test_advise_and_sessions_check_uncovered_tools_too():
    broken = star(site_admin="yes")
    assert MONITOR.session().check(UNCOVERED, {}, broken)
    advised = MONITOR.advise(UNCOVERED, {}, broken)
    assert advised["tool_result"] is broken
    clean = star()
    assert MONITOR.advise(UNCOVERED, {}, clean) is clean


def test_shapes_do_not_depend_on_the_order_of_the_traces_or_on_how_they_are_split():
    shuffled = random.Random(3).sample(CALLS, len(CALLS))
    left, right = Observations("full"), Observations("full")
    for index, call in enumerate(shuffled):
        (left if index % 3 else right).add(call)
    left.merge(right)
    assert left.contracts().registry.dumps() == LEARNED.dumps()


HEAD = '{"format": "outcome-monitors/contracts", "version": %s, "tools": {}, "shapes": %s}'


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ("{}", "shapes cannot be"),
        ("[3]", "shape 0 must be an object"),
        ('[{"fields": "id"}]', "shape 0: fields cannot be"),
        ('[{"fields": ["id"], "tools": true}]', "shape 0: tools cannot be True"),
        ('[{"fields": ["id"], "tools": 5}]', "shape 0: clauses is missing"),
        (
            '[{"fields": ["id"], "tools": 5, "clauses": [{"kind": "type"}]}]',
            "shape 0, clause 0: params is missing",
        ),
    ],
)
def test_a_shape_that_cannot_be_used_is_refused_by_name(shapes, words):
    with pytest.raises(ContractError, match=words):
        Registry.loads(HEAD % (2, shapes))


def test_the_most_alike_shape_is_chosen_and_none_that_is_too_far():
    near = Shape(("a", "b", "c", "d"), 5, (clause("type", "a", kinds=["string"]),))
    far = Shape(("a", "b", "c", "x"), 5, (clause("type", "a", kinds=["integer"]),))
    shapes = UncoveredTools([far, near])

    def fields_of_shapes(*names: str) -> list[tuple[str, ...]]:
        return [shape.fields for shape in shapes.shapes_of(dict.fromkeys(names, 1))]

    assert fields_of_shapes("a", "b", "c", "d") == [near.fields]
    assert fields_of_shapes("a", "b", "c", "x") == [far.fields]
    assert fields_of_shapes("a", "b") == []
    assert ALIKE > 0.5


def test_a_thin_contract_is_completed_by_shapes():
    hardly = Registry({UNCOVERED: Contract(UNCOVERED, ())}, "full", LEARNED.shapes)
    assert ("learned_type_mismatch", "seen_by[0].id") in codes(star(id="u-1"), Monitor(hardly))
    assert codes(star(), Monitor(hardly)) == []


@given(st.integers(1000, 9000), st.sampled_from(THINGS))
def test_clean_results_of_known_things_pass_under_another_name(number, name):
    assert codes(thing(name, number)) == []


@given(json_values)
def test_any_result_of_an_uncovered_tool_is_checked_without_failing_or_being_changed(result):
    before, monitor = repr(result), Monitor(LEARNED)
    monitor.check(UNCOVERED, {}, result)
    assert monitor.counts.failed == 0
    assert repr(result) == before
