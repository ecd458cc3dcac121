"""`distinct_per_query`: another question has another answer."""

import pytest

from outcome_monitors import Monitor, mine
from outcome_monitors.rules.config import CONFIG
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


def test_few_calls_or_one_task_show_nothing():
    assert fields(pages(1)) == []
    assert fields(pages(1, CONFIG.distinct_whole_answers), pages(2, 1)) == []
    two = [pages(n, CONFIG.session_calls) for n in range(2)]
    assert fields(*two) == [".cursor_id"]
    assert fields(*(pages(n) for n in range(CONFIG.distinct_whole_answers))) == [".cursor_id", "="]


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
