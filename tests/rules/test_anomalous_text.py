"""`anomalous_text`: what each mark finds and what it leaves alone, how marks are learned, and that hostile text costs no time."""

import time

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors.rules.anomalous_text import HINTS, MARKS, TRIED, _pattern
from outcome_monitors.rules.evidence.evidence import stored_text
from tests.rules.marks import BENIGN, FOUND
from tests.rules.values import MANY, candidates, clause, evidence, of, passes

CLAUSE = clause("anomalous_text", {"marks": ["markup", "cut"]})


def has(mark, text):
    """Say whether a text has a mark."""
    return not passes(clause("anomalous_text", {"marks": [mark]}), text)


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_finds_its_texts_and_leaves_others_alone(mark):
    assert [text for text in FOUND[mark] if not has(mark, text)] == []
    assert [text for text in BENIGN[mark] if has(mark, text)] == []


pieces = st.sampled_from(
    [hint for hints in HINTS.values() for hint in hints]
    + [text for texts in FOUND.values() for text in texts]
    + [
        *" -:.,(\nax7é\u2019Ã",
        "found",
        "such",
        "ed",
        "ures",
        "n't",
        "NULL",
        "…",
        "\u017f",
        "\u0130",
        "\u0131",
        "\u212a",
    ]
)


@given(
    text=st.lists(pieces, max_size=8).map("".join) | st.lists(pieces).map(lambda found: "".join(found) * 40)
)
@settings(deadline=None, max_examples=150)
def test_a_search_near_hints_finds_what_a_search_of_the_whole_text_does(text):
    text = stored_text(text)
    likely = [mark for mark in MARKS if any(hint in text.lower() for hint in HINTS.get(mark, ("",)))]
    assert [mark for mark in likely if has(mark, text)] == [
        mark for mark in likely if _pattern(mark).search(text)
    ]


def test_the_marks_that_no_clean_text_has_are_learned():
    found = candidates("anomalous_text", of(*(f"Item {number}" for number in range(MANY))))
    sure, *tried = [each.clause.params["marks"] for each in found]
    assert sure == [mark for mark in MARKS if mark not in TRIED]
    assert tried == [[mark] for mark in MARKS if mark in TRIED]
    assert all((each.fired, each.entities) == ({}, MANY) for each in found)


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_that_a_clean_text_has_is_data(mark):
    """Even one of many: what is foreign is a guess, and the tool shows that it is wrong here."""
    found = candidates("anomalous_text", of(*["Item"] * MANY, FOUND[mark][0]))
    assert found
    own = [text for text in FOUND[mark] if marks_of(text) == {mark}]
    for each in found:
        assert mark not in each.clause.params["marks"]
        assert passes(each.clause, *own)


def marks_of(text):
    """Return all marks of a text."""
    return {mark for mark in MARKS if has(mark, text)}


def test_marks_are_learned_for_each_path_by_itself():
    found = evidence(*({"body": "<p>Hello</p>", "title": f"Hello {number}"} for number in range(MANY)))
    body, title = (
        candidates("anomalous_text", found, path)[0].clause.params["marks"] for path in ("body", "title")
    )
    assert "markup" not in body
    assert "markup" in title


HOSTILE = [
    *(
        "a",
        "<p ",
        "<p",
        "<|",
        "1 ",
        "9",
        "-",
        "?",
        "- ? ",
        "\n",
        " ",
        "\t\n",
        "x",
        "_",
        "at ",
        "\nat a",
        "at a(",
    ),
    *("errorerror", 'file "', "secret ", "secret", "...", "... ", "…\n", "{", "[ ", "update a ", "waiting 1"),
    *("lorem ipsum\n", "lorem ipsum-", "http ", "__a ", "é", "\u00c3", "/usr", "select from"),
    *("a:", "a: ", ": ", "-1", " -", "not ", "no ", "could n", "nothing ", "fail", "a:\n"),
]


HANGS = 30.0
"""Seconds that no machine needs, however busy, unless a pattern goes over the text again and again."""


@pytest.mark.parametrize(
    ("piece", "size", "limit"),
    [
        *((piece, 200_000, HANGS) for piece in ("a ", "<", "select ", "1")),
        *((p, 40_000, HANGS) for p in HOSTILE),
    ],
)
def test_hostile_text_is_searched_in_linear_time(piece, size, limit):
    """What a quadratic pattern would need is many times the limit; what is at the end keeps it from an early match."""
    text = (piece * size)[: size - 1] + "a"
    assert MARKS
    for pattern in map(_pattern, MARKS):
        started = time.process_time()
        pattern.search(text)
        assert time.process_time() - started < limit
