"""Plain questions to a model, here inspect_ai's mock: no endpoint is asked."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from outcome_monitors.cli import commands
from outcome_monitors_study import models
from tests.places import DOCS

MODEL = "mockllm/model"
# Its streams and its dependencies warn of themselves.
pytestmark = pytest.mark.filterwarnings("ignore")


def mock(say):
    """Return inspect_ai's mock, which says something to each question."""
    inspect = pytest.importorskip("inspect_ai.model")

    def answer(input, *_):  # noqa: A002 - inspect_ai's name
        output = inspect.ModelOutput.from_content(MODEL, say(input[-1].text))
        output.usage = inspect.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return inspect.get_model(MODEL, custom_outputs=answer, memoize=False)


def test_answers_come_in_the_order_of_the_questions():
    texts = [f"question {number}" for number in range(20)]
    assert list(models.answers(mock(str.upper), texts)) == [text.upper() for text in texts]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run `relations build --model` with a model that says something."""

    def run(say):
        asked = mock(say)
        monkeypatch.setattr("inspect_ai.model.get_model", lambda _: asked)
        files = ("--candidates", str(tmp_path / "c.json"), "-o", str(tmp_path / "r.json"))
        tools = str(DOCS / "examples" / "tools.json")
        result = CliRunner().invoke(
            commands, ["relations", "build", "--tools", tools, "--model", MODEL, *files]
        )
        return result, json.loads((tmp_path / "c.json").read_text())

    return run


def test_what_a_model_suggests_is_written_down_for_a_person(build, tmp_path: Path):
    def suggest(text: str) -> str:
        name = "fetch_order" if "The tool:\n- get_order" in text else "get_order"
        return json.dumps({"substitutes": [{"tool": name, "why": "The same order."}]})

    result, document = build(suggest)
    assert result.exit_code == 0, result.output
    found = {(one["tool"], one["substitute"], one["verdict"]) for one in document["candidates"]}
    assert found >= {("get_order", "fetch_order", ""), ("fetch_order", "get_order", "")}
    assert all(
        entry["source"] != "edited"
        for entry in json.loads((tmp_path / "r.json").read_text())["relations"]["get_order"]
    )


def test_a_model_that_answers_nonsense_leaves_a_file_and_a_sentence(build):
    result, document = build(lambda _: "As a language model I like orders.")
    assert result.exit_code == 2
    assert f"{MODEL} gave no answer that could be used" in result.output
    assert document["candidates"] == []
    assert all("the answer is no JSON object: As a language" in reason for reason in document["refused"])
