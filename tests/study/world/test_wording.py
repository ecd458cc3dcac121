"""Values in words: the same value is the same however it is written, and no other one is."""

import pytest

from outcome_monitors_study.world.facts import DueFact, check_facts
from outcome_monitors_study.world.wording import WrittenText


def says(text, value, *near):
    return not check_facts(WrittenText(text), [DueFact("it", value, near)]).missing


@pytest.mark.parametrize(
    ("value", "same", "other"),
    [
        (1200.5, ["$1,200.50", "1\u202f200.50 dollars", "**1,200.5**."], ["-1200.5", "1200.55", "1200"]),
        (-64.11, ["\u2212$64.11", "64.11 less than before"], ["64.11", "the price is 64.11"]),
        (0.903922, ["0.90392", "0.9039"], ["0.904", "0.9038"]),
        ("2031-03-14", ["March 14th, 2031", "on the 14th of March"], ["2031-03-15", "14 March 2032", "14"]),
        ("14:30", ["2:30 PM.", "14:30:00"], ["2:30", "2:30 am"]),
        ("ORD-54696", ["`ord-54696`"], ["ORD-546961", "54696"]),
        ("Copperline Teapot", ["the copperline  teapot"], ["Copperline", "a teapot"]),
        ("rain", ["a rainy day"], ["training"]),
        ([12.5, -3.0], ["12.50 and 3.00"], ["12.5"]),
    ],
)
def test_a_value_is_known_in_other_words_and_no_other_is_taken_for_it(value, same, other):
    assert [text for text in same if not says(text, value)] == []
    assert [text for text in other if says(text, value)] == []


@pytest.mark.parametrize(
    ("value", "text", "said"),
    [
        (3, "three are open", True),
        (0, "no open to-dos", True),
        (3, "3. Open to-dos: 5", False),
        (3, "2031-03-03, open", False),
        (3, "3 to-dos", False),
    ],
)
def test_a_small_number_counts_where_it_belongs(value, text, said):
    assert says(text, value, "open") == said


def test_an_answer_that_holds_everything_tells_nothing():
    facts = [DueFact("total", 59.95)]
    assert check_facts(WrittenText("59.95, and 12.50 for shipping"), facts).fine
    listed = " ".join(f"{number}.25" for number in range(100))
    assert check_facts(WrittenText(f"59.95 {listed}"), facts).crowded
    assert check_facts(WrittenText(f"59.95 {listed}"), facts, request=listed).fine


@pytest.mark.parametrize(
    "text", ["9" * 100_000, "1," * 50_000, "a@" * 50_000, "\U0001d7d8.5", "- " * 50_000, "٣"]
)
def test_odd_texts_say_nothing(text):
    assert not says(text, 59.95)
