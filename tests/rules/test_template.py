"""`template`: a text that is made of other things."""

from outcome_monitors.model import Violation
from outcome_monitors.rules import explain
from outcome_monitors.rules.config import CONFIG
from tests.rules.relations import clause, flags, params

WORDS = ["amber", "birch", "cedar", "dusk", "ember", "fjord"]


def confirmed(count, text="Order {id} for {who} is cancelled."):
    ids = [(f"W{100 + i}", WORDS[i % 5]) for i in range(count)]
    return [({"id": i}, {"who": who, "text": text.format(id=i, who=who)}) for i, who in ids]


def test_arguments_and_fields_are_found_in_a_text():
    (found,) = params("template", confirmed(12))
    assert found["field"] == ".text"
    assert found["templates"] == [["Order ", "@id", " for ", ".who", " is cancelled."]]


def test_a_text_may_follow_a_few_patterns():
    rows = [*confirmed(12), *confirmed(12, "Order {id} was not found.")]
    (found,) = params("template", rows)
    assert len(found["templates"]) == 2
    many = [
        row
        for i in range(CONFIG.template_patterns + 1)
        for row in confirmed(12, f"{WORDS[i % 6]} {i} {{id}}")
    ]
    assert params("template", many) == []


DONE = clause("template", field=".text", templates=[["Order ", "@id", " is ", ".status", "."]])


def test_another_order_in_the_sentence_is_flagged_with_the_sentence_that_was_due():
    good = {"text": "Order W1 is open.", "status": "open"}
    assert flags(DONE, good, {"id": "W1"}) == []
    assert flags(DONE, good, {"id": "W2"}) == [
        Violation(
            "template_broken",
            "text",
            "Order W2 is open.",
            "Order W1 is open.",
            "text text does not follow the pattern of clean results",
        )
    ]
    assert explain(DONE) == "text reads 'Order <id> is <status>.'"


def test_where_a_part_is_missing_the_pattern_is_due():
    (broken,) = flags(DONE, {"text": "Order W1 is open.", "status": "open"})
    assert (broken.path, broken.expected) == ("text", "Order <id> is <status>.")


def test_a_part_that_does_not_stand_in_the_sentence_is_named_beside_it():
    (broken,) = flags(DONE, {"text": "Order W1 is open.", "status": "shut"}, {"id": "W1"})
    assert (broken.path, broken.expected, broken.observed) == (
        "",
        "text reads 'Order <id> is <status>.'",
        "text 'Order W1 is open.', status 'shut'",
    )


def test_a_copy_is_no_template_and_neither_is_a_constant():
    assert params("template", [({"id": f"W{i}"}, {"id": f"W{i}"}) for i in range(30)]) == []
    assert params("template", [({"id": f"W{i}"}, {"text": "Done."}) for i in range(30)]) == []
    assert params("template", confirmed(CONFIG.min_values - 1)) == []
