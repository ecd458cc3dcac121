"""Tools without a contract: their objects are held against what objects of the same shape are in other tools."""

import copy
import random

import pytest
from hypothesis import given, strategies as st

from outcome_monitors import Call, Clause, Contract, Monitor, Registry, mine
from outcome_monitors.checking.shapes import UncoveredTools
from outcome_monitors.contracts.shapes import ALIKE, Shape
from outcome_monitors.evaluation import Settings, audit
from outcome_monitors.exceptions import ContractError, NewerContract
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.shapes import pool_shapes
from outcome_monitors.rules.base.traits import LEAST_TOOLS
from tests.rest import THINGS, thing, traffic, user
from tests.strategies import json_values

CALLS = traffic()
LEARNED = mine(CALLS, "full")
MONITOR = Monitor(LEARNED)
STRANGER = "GET /stars/{id}"


def clause(kind, path, **params):
    return Clause(kind, path, params, 60, 40, "traces")


def codes(result, monitor=MONITOR, tool=STRANGER):
    return [(violation.code, violation.path) for violation in monitor.check(tool, {}, result)]


def star(number=4321, **owner):
    """Return a result of a tool that was never seen, with a user in it."""
    return {"star": "Vega", "magnitude": 0.03, "seen_by": [{**user(number), **owner}]}


def test_a_user_is_a_shape():
    shapes = [shape for shape in LEARNED.shapes if "login" in shape.fields]
    assert [shape.fields for shape in shapes] == [("created_at", "id", "login", "site_admin", "url")]
    assert shapes[0].tools == 2 * len(THINGS)
    kinds = {found.kind for found in shapes[0].clauses}
    assert {"type", "required", "form"} <= kinds


def test_a_clean_result_of_a_stranger_passes_and_is_covered():
    assert MONITOR.covers(STRANGER, star())
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
def test_a_user_in_a_strangers_result_must_be_one(owner, found):
    assert found in codes(star(**owner))


def test_a_field_that_every_user_has_is_missed():
    result = star()
    del result["seen_by"][0]["url"]
    assert ("missing_learned_field", "seen_by[0].url") in codes(result)


def test_the_detail_names_the_place_in_the_result():
    (violation,) = MONITOR.check(STRANGER, {}, star(site_admin="yes"))
    assert violation.detail == "field seen_by[0].site_admin has unexpected type"


def test_an_error_page_in_place_of_an_answer_is_foreign_in_any_tool():
    page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
    assert codes("") == []
    assert MONITOR.covers("DELETE /stars/{id}", "")
    assert ("foreign_text", "") in codes(page)


def test_null_is_for_each_tool_to_say():
    assert codes(star(created_at=None)) == []


def test_an_object_like_none_and_an_empty_list_are_not_covered_by_a_users_shape():
    only_users = Registry({}, "full", [shape for shape in LEARNED.shapes if shape.fields])
    monitor = Monitor(only_users)
    assert not monitor.covers(STRANGER, {"star": "Vega"})
    assert not monitor.covers(STRANGER, [])
    assert not MONITOR.covers(STRANGER, [])
    assert monitor.check(STRANGER, {}, {"star": "Vega"}) == ()
    assert (monitor.counts.checked, monitor.counts.not_covered) == (1, 1)


def test_without_a_result_only_a_contract_covers():
    assert not MONITOR.covers(STRANGER)
    assert MONITOR.covers("GET /albums/{id}")


def test_advice_and_sessions_know_strangers_too():
    broken = star(site_admin="yes")
    assert MONITOR.session().check(STRANGER, {}, broken)
    advised = MONITOR.advise(STRANGER, {}, broken)
    assert advised["tool_result"] is broken
    clean = star()
    assert MONITOR.advise(STRANGER, {}, clean) is clean


def test_few_tools_make_no_shapes():
    few = [call for call in CALLS if call.tool.split("/")[1].rstrip("s") in THINGS[: (LEAST_TOOLS - 1) // 2]]
    assert len({call.tool for call in few if call.tool.startswith("GET")}) < LEAST_TOOLS
    assert mine(few, "full").shapes == ()


def test_what_one_tool_contradicts_is_not_taken():
    odd = [
        Call("GET /odd", {}, {"who": {**user(n), "site_admin": "no"}, "n": n}, task=f"odd {n}")
        for n in range(4)
    ]
    shapes = mine([*CALLS, *odd], "full").shapes
    about = [found for shape in shapes if "login" in shape.fields for found in shape.clauses]
    assert not [found for found in about if (found.kind, found.path) == ("type", "site_admin")]
    assert [found for found in about if (found.kind, found.path) == ("type", "login")]


def test_shapes_do_not_depend_on_the_order_of_the_traces_or_on_how_they_are_split():
    shuffled = random.Random(3).sample(CALLS, len(CALLS))
    left, right = Observations("full"), Observations("full")
    for index, call in enumerate(shuffled):
        (left if index % 3 else right).add(call)
    left.merge(right)
    assert left.contracts().registry.dumps() == LEARNED.dumps()


def test_the_papers_profile_has_none():
    assert mine(CALLS, "paper").shapes == ()
    assert '"version": 1' in mine(CALLS, "paper").dumps()


def test_no_evidence_has_no_shapes():
    assert pool_shapes([{}, {}, {}, {}]) == ()


def test_a_file_with_shapes_is_read_back_as_it_was_written():
    text = LEARNED.dumps()
    assert '"version": 2' in text
    again = Registry.loads(text)
    assert again.dumps() == text
    assert again.shapes == LEARNED.shapes


def test_both_registries_shapes_are_in_the_merged_one_once():
    other = Registry({}, "", [Shape(("a", "b", "c"), 5, (clause("type", "a", kinds=["string"]),))])
    merged = LEARNED.merge(other).merge(LEARNED)
    assert merged.shapes == (*LEARNED.shapes, *other.shapes)


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


def test_a_later_version_is_refused():
    with pytest.raises(NewerContract):
        Registry.loads(HEAD % (3, "[]"))


def test_the_most_alike_shape_is_chosen_and_none_that_is_too_far():
    near = Shape(("a", "b", "c", "d"), 5, (clause("type", "a", kinds=["string"]),))
    far = Shape(("a", "b", "c", "x"), 5, (clause("type", "a", kinds=["integer"]),))
    strangers = UncoveredTools([far, near])

    def fields_of_shapes(*names: str) -> list[tuple[str, ...]]:
        return [shape.fields for shape in strangers.shapes_of(dict.fromkeys(names, 1))]

    assert fields_of_shapes("a", "b", "c", "d") == [near.fields]
    assert fields_of_shapes("a", "b", "c", "x") == [far.fields]
    assert fields_of_shapes("a", "b") == []
    assert ALIKE > 0.5


def test_a_tool_whose_form_of_answer_is_not_known_is_held_against_shapes_too():
    hardly = Registry({STRANGER: Contract(STRANGER, ())}, "full", LEARNED.shapes)
    assert ("learned_type_mismatch", "seen_by[0].id") in codes(star(id="u-1"), Monitor(hardly))
    assert codes(star(), Monitor(hardly)) == []


@given(json_values)
def test_any_result_of_a_stranger_is_checked_without_failing_or_being_changed(result):
    before = copy.deepcopy(result)
    monitor = Monitor(LEARNED)
    monitor.check(STRANGER, {}, result)
    assert monitor.counts.failed == 0
    assert repr(result) == repr(before)


@given(st.integers(1000, 9000), st.sampled_from(THINGS))
def test_clean_results_of_known_things_pass_under_a_strangers_name(number, name):
    assert codes(thing(name, number)) == []


def test_the_audit_counts_what_shapes_cover():
    # Every endpoint is called in one task: in the audit, all of its calls are a stranger's.
    once = [
        Call(c.tool, c.arguments, c.result, task=c.tool.split("/")[1].rstrip("s")) for c in traffic(calls=1)
    ]
    figures = audit(once, Settings(suites=("toolmaze",), limit=5))
    assert figures.covered.part >= 0.95 * figures.covered.whole
    assert figures.clean.part <= 0.02 * figures.clean.whole
