"""What a model is asked about tools, what of its answers is used, and what a person makes of them."""

import json

import pytest

from outcome_monitors.exceptions import RelationError
from outcome_monitors.recovery.mining import Sources, build
from outcome_monitors.recovery.mining.candidates import (
    ModelAnswers,
    load_reviewed,
    questions,
    save_candidates,
)
from tests.recovery.mining.examples import tool, tools

TOOLS = tools(
    tool("a__get_quote", "Get the quote of a share.", symbol="string"),
    tool("b__share_value", "Get what a share is worth.", ticker="string"),
    tool("b__delete_share", "Delete a share.", ticker="string"),
)


@pytest.fixture
def question():
    [found] = [one for one in questions(TOOLS) if one.tool.name == "a__get_quote"]
    return found


def test_what_can_be_used_of_an_answer_is(question):
    found = ModelAnswers()
    arguments = {"symbol": "ticker", "made": "up"}
    said = {"tool": "b__share_value", "why": "It says the same.", "arguments": arguments}
    found.add(question, f"Sure!\n```json\n{json.dumps({'substitutes': [said]})}\n```")
    [candidate] = found.candidates
    assert (candidate.tool, candidate.substitute) == ("a__get_quote", "b__share_value")
    assert candidate.arguments == {"symbol": "ticker"}
    assert (found.asked, found.refused, found.useless) == (1, [], 0)


@pytest.mark.parametrize(
    ("answer", "reason", "useless"),
    [
        ("{" * 5000, "the answer is no JSON object", 1),
        ('{"tools": []}', "the answer has no list of `substitutes`", 1),
        ('{"substitutes": [{"tool": "no_such", "why": "x"}]}', "it names 'no_such', which is none", 0),
    ],
)
def test_nonsense_is_counted_and_refused_with_a_reason(question, answer, reason, useless):
    found = ModelAnswers()
    found.add(question, answer)
    assert not found.candidates
    [refused] = found.refused
    assert refused.startswith(f"a__get_quote: {reason}")
    assert found.useless == useless


def test_only_what_a_person_accepted_becomes_a_relation(question, tmp_path):
    found = ModelAnswers()
    found.add(question, '{"substitutes": [{"tool": "b__share_value", "why": "It says the same."}]}')
    path = tmp_path / "candidates.json"
    save_candidates(path, "some/model", found)
    assert load_reviewed(path) == []
    document = json.loads(path.read_text())
    for verdict, listed in (("accept", ["b__share_value"]), ("reject", [])):
        document["candidates"][0]["verdict"] = verdict
        path.write_text(json.dumps(document))
        built = build(Sources(tools=TOOLS, edits=load_reviewed(path)))
        assert [relation.tool for relation in built.get("a__get_quote", ())] == listed


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ([], "holds no `candidates`"),
        ({"candidates": [3]}, r"candidates\[0\] has no `tool` and `substitute`"),
        ({"candidates": [{"tool": "a", "substitute": "b", "verdict": "maybe"}]}, "neither accept nor reject"),
        ({"candidates": [{"tool": "a", "substitute": "b", "arguments": {"x": 1}}]}, "not an object of texts"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(document, reason, tmp_path):
    (tmp_path / "c.json").write_text(json.dumps(document))
    with pytest.raises(RelationError, match=reason):
        load_reviewed(tmp_path / "c.json")
