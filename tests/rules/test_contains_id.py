"""`contains_id`: a link has the id of its record in it."""

import pytest

from tests.rules.relations import Row, clause, flags, params

IDS = [986138, 986151, 991207]
COMMENTS: list[Row] = [({"body": "x"}, {"id": one, "url": f"https://api.test/comments/{one}"}) for one in IDS]
CITES = {"field": ".url", "id": ".id"}


def test_two_links_with_their_ids_are_enough():
    assert params("contains_id", COMMENTS[:2]) == [CITES]


@pytest.mark.parametrize(
    "rows",
    [
        COMMENTS[:1],
        COMMENTS[:1] * 5,
        [*COMMENTS, ({}, {"id": 123456, "url": "https://api.test/comments/99"})],
        [({}, {"id": n, "url": f"/comments/{n}"}) for n in range(9)],
        [({}, {"count": one, "url": f"/comments/{one}"}) for one in IDS],
        [({}, {"id": one, "note": f"see {one}"}) for one in IDS],
        [({}, {"id": one, "user": {"url": f"/users/{one}"}}) for one in IDS],
        [({}, {"id": one, "url": f"/comments/{one}0"}) for one in IDS],
    ],
)
def test_what_may_be_chance_or_is_of_another_thing_is_not_suggested(rows):
    assert params("contains_id", rows) == []


def test_an_inner_object_has_its_own_id():
    rows: list[Row] = [
        ({}, {"user": {"login": f"user{one}", "html_url": f"https://x.test/user{one}"}}) for one in IDS
    ]
    assert params("contains_id", rows) == [{"field": ".user.html_url", "id": ".user.login"}]


@pytest.mark.parametrize(
    ("record", "flagged"),
    [
        ({"id": 986138, "url": "https://api.test/comments/986138/edit"}, False),
        ({"id": 986139, "url": "https://api.test/comments/986138"}, True),
        ({"id": 98613, "url": "https://api.test/comments/986138"}, True),
        ({"id": 3, "url": "https://api.test/comments/986138"}, False),
        ({"id": None, "url": "https://api.test/comments/986138"}, False),
        ({"id": 986138, "url": None}, False),
        ({"id": 986138}, False),
    ],
)
def test_an_id_that_tells_must_stand_in_the_link_as_a_whole(record, flagged):
    assert bool(flags(clause("contains_id", **CITES), record)) is flagged
