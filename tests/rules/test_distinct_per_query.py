"""`distinct_per_query`: another question has another answer."""

import pytest

from outcome_monitors import Call, Clause, Monitor, mine
from outcome_monitors.exceptions import ContractError
from outcome_monitors.model import Violation
from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.base.session import LEAST_CALLS
from outcome_monitors.rules.distinct_per_query import LEAST_WHOLE, DistinctPerQuery
from tests.rules.sessions import run, suggested


def pages(session, most=3, tool="get_page"):
    """Return the calls of one session that turns pages."""
    answers = [
        (tool, {"page": page}, {"rows": [f"{session}-{page}"], "cursor_id": f"c{session}{page}"})
        for page in range(most)
    ]
    return run(session, *answers)


def fields(*sessions, tool="get_page"):
    return [candidate.clause.params["field"] for candidate in suggested("distinct_per_query", sessions, tool)]


def test_pages_and_ids_that_never_repeat_are_suggested():
    assert fields(*(pages(n) for n in range(20))) == [".cursor_id", "="]


def test_a_page_that_repeats_in_clean_sessions_is_not():
    again = [
        run(n, *[("get_page", {"page": page}, {"rows": ["the same"]}) for page in range(3)])
        for n in range(20)
    ]
    assert fields(*again) == []


def test_an_id_that_lies_deep_names_something_else():
    def merged(number):
        return run(
            number,
            *(
                (
                    "merge_branch",
                    {"n": n},
                    {"merge_id": 10 * number + n, "base": {"repo": {"id": 100 * number + n}}},
                )
                for n in range(4)
            ),
        )

    found = suggested("distinct_per_query", [merged(n) for n in range(20)], "merge_branch")
    assert [candidate.clause.params["field"] for candidate in found] == [".merge_id"]


def test_few_calls_or_one_task_show_nothing():
    assert fields(pages(1)) == []
    assert fields(pages(1, LEAST_WHOLE), pages(2, 1)) == []
    two = [pages(n, LEAST_CALLS) for n in range(2)]
    assert fields(*two) == [".cursor_id"]
    assert fields(*(pages(n) for n in range(LEAST_WHOLE))) == [".cursor_id", "="]


def test_calls_without_a_session_show_nothing():
    alone = [[Call(c.tool, c.arguments, c.result, c.task) for c in pages(n)] for n in range(20)]
    assert fields(*alone) == []


def test_the_same_question_may_be_asked_again():
    twice = [
        run(n, *[("get_page", {"page": page}, {"rows": [page]}) for page in (1, 2, 1, 2)]) for n in range(20)
    ]
    assert "=" in fields(*twice)


def test_what_a_writer_answers_is_new_each_time():
    sent = [
        run(n, *[("send_message", {"text": "hello"}, {"message_id": f"m{n}-{i}"}) for i in range(3)])
        for n in range(20)
    ]
    assert ".message_id" in fields(*sent, tool="send_message")


@pytest.fixture(scope="module")
def registry():
    return mine([call for n in range(40) for call in pages(n)], "full")


def test_it_is_mined_end_to_end_and_flags_in_a_session(registry):
    first, second = ({"rows": [f"39-{n + 7}"], "cursor_id": f"c99{n}"} for n in range(2))
    session = Monitor(registry).session()
    assert session.check("get_page", {"page": 0}, first) == ()
    assert session.check("get_page", {"page": 0}, first) == ()
    [found] = session.check("get_page", {"page": 1}, first)
    assert (found.code, found.path, found.observed) == ("answer_repeated", "", "the same answer again")
    [found] = session.check("get_page", {"page": 1}, {**second, "cursor_id": "c990"})
    assert found.to_json() == {
        "code": "answer_repeated",
        "path": "cursor_id",
        "expected": "a value not given before",
        "observed": "c990",
        "detail": "cursor_id was given before in this session, for another call",
    }
    assert session.check("get_page", {"page": 1}, second) == ()
    assert Monitor(registry).session().check("get_page", {"page": 1}, first) == ()


def test_an_answer_as_a_whole_is_named_as_such():
    clause = Clause("distinct_per_query", "", {"field": "="}, 9, 9, "traces")
    assert DistinctPerQuery().violation(clause, None, 5) == Violation(
        "answer_repeated",
        "",
        "another answer",
        "the same answer again",
        "the answer is the one that the session was given for other arguments",
    )


def test_a_result_by_itself_is_never_held_against_it(registry):
    fresh = [
        clause for clause in registry.contracts["get_page"].clauses if clause.kind == "distinct_per_query"
    ]
    assert fresh
    for clause in fresh:
        assert list(KINDS["distinct_per_query"].check(clause, {}, {"cursor_id": "c00"})) == []


def test_it_has_words():
    def says(field):
        return explain(Clause("distinct_per_query", "", {"field": field}, 1, 1, "traces"))

    assert says("=") == "within a session, the answer is another one for each call"
    assert says(".id") == "within a session, id is another one for each call"


@pytest.mark.parametrize("value", [None, 5, [], {}, "", "id", "=items", ".a..b", ".a[", "@id", "#a"])
def test_parameters_that_make_no_sense_are_refused(value):
    with pytest.raises(ContractError, match="parameter 'field'"):
        KINDS["distinct_per_query"].validate({"field": value}, "here")
