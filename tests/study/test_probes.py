"""Probes: cut where the first wrong result comes, shown as each arm shows it, scored by what a model did next."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study.batches import ModelAnswer, ToolRequest
from outcome_monitors_study.cli import command
from outcome_monitors_study.design import Design
from outcome_monitors_study.manifest import freeze as freeze_study
from outcome_monitors_study.probes.plan import BASE, FALSE, RIGHT, WRONG, freeze, load_plan, requests
from outcome_monitors_study.probes.score import step
from outcome_monitors_study.probes.words import arms_of

ARMS = ("baseline", "advisory-v2", "advisory-note", "stripped")
FORMS = [
    {"name": "before", "words": "{field} is doubtful. Ask {tools}.", "place": "before", "first": "others"},
    {"name": "called", "words": "{tool}: {expected}, {observed}. {calls} {signatures}", "most": 2},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("probes") / "trial"
    freeze_study(
        made,
        Design(
            environment={"environment": "world", "workflows": 60, "seed": 3, "suites": ["toolmaze"]},
            arms=ARMS,
            strata=("C2/P3", "C3/P4"),
            per_stratum=4,
        ),
    )
    freeze(made, FORMS, file="forms.json")
    return made


@pytest.fixture(scope="module")
def plan(folder):
    return load_plan(folder)


def test_only_the_last_message_differs_between_arms(plan):
    by_cell: dict[str, list[Any]] = {}
    for request in requests(plan, "m"):
        cell, shown, arm = request["custom_id"].split("|")
        by_cell.setdefault(cell, []).append((shown, arm, request["body"]))
    assert len(by_cell) == len(plan.points) > 3
    for bodies in by_cell.values():
        begun = [body["messages"][:-1] for _, _, body in bodies]
        assert all(messages == begun[0] for messages in begun)
        assert begun[0][-1]["tool_calls"]
        wrong = {body["messages"][-1]["content"] for shown, _, body in bodies if shown == WRONG}
        assert len(wrong) == len(ARMS) + len(FORMS)
        assert {tool["function"]["name"] for tool in bodies[0][2]["tools"]} >= {
            begun[0][-1]["tool_calls"][0]["function"]["name"]
        }


def test_what_is_shown_is_the_wrong_result_the_right_one_with_an_alarm_and_the_right_one(plan):
    for row in plan.points:
        shown = row["shown"]
        raw = shown[RIGHT][BASE]
        assert json.loads(raw) == row["raw"]
        assert shown[WRONG][BASE] != raw
        assert row["injection"]
        assert BASE not in shown[FALSE], "without an arm there is no alarm"
        if shown[FALSE]:
            assert shown[FALSE]["advisory-note"].startswith(raw + "\n\nThis result is inconsistent (")
            assert json.loads(shown[FALSE]["advisory-v2"])["tool_result"] == row["raw"]
    assert any(row["shown"][FALSE] for row in plan.points)


def test_a_step_is_named_by_what_is_called(plan):
    row = next(row for row in plan.points if row["substitutes"])
    for tool, arguments, action in (
        (row["tool"], row["arguments"], "again"),
        (row["tool"], {"another": 1}, "other"),
        (row["tool"], None, "other"),
        (row["substitutes"][0], {}, "substitute"),
        ("no_such_tool", {}, "other"),
    ):
        assert step(row, ModelAnswer([ToolRequest(tool, arguments)])).action == action
    assert step(row, ModelAnswer()).action == "none"


def test_edited_probes_are_refused(folder, tmp_path):
    for file in ("manifest.json", "probes.json", "probes.jsonl"):
        (tmp_path / file).write_bytes((folder / file).read_bytes())
    assert load_plan(tmp_path).points
    with (tmp_path / "probes.jsonl").open("a") as points:
        points.write("{}\n")
    with pytest.raises(OutcomeMonitorsError, match="not as it was frozen"):
        load_plan(tmp_path)


@pytest.mark.parametrize(
    ("forms", "said"),
    [
        ({}, "no list"),
        ([1], "form 1: there is no `name`"),
        ([{"name": "a", "words": "{tool.__class__}"}], "names something else"),
        ([{"name": "a", "words": "{"}], "`words` is no text"),
        ([{"name": "a", "words": "x", "place": "above"}], "`place` is one of after, before"),
        ([{"name": "a", "words": "x", "most": 0}], "`most`"),
        ([{"name": "a", "words": "x", "colour": 1}], "there is no `colour`"),
    ],
)
def test_odd_forms_are_refused_by_place_and_field(forms, said):
    with pytest.raises(OutcomeMonitorsError, match=said.replace("(", r"\(")):
        arms_of(forms, "f.json")


def test_the_command_scores_by_group_and_refuses_files_without_an_answer(folder, tmp_path):
    answers = tmp_path / "answers.jsonl"
    body = {"model": "m", "choices": [{"message": {"content": "done"}}]}
    answer = {"response": {"status_code": 200, "body": body}, "error": None}
    names = [request["custom_id"] for request in requests(load_plan(folder), "m")]
    answers.write_text("".join(json.dumps({"custom_id": name, **answer}) + "\n" for name in names))
    given = ["probe", "score", str(folder), str(answers), "--by", "list", "--json", str(tmp_path / "s.json")]
    assert CliRunner().invoke(command, given, catch_exceptions=False).exit_code == 0
    rows = json.loads((tmp_path / "s.json").read_text())["rows"]
    assert sum(row["none"] for row in rows if not row["group"]) == len(names)
    assert len({row["group"] for row in rows}) > 1
    answers.write_text("")
    with pytest.raises(OutcomeMonitorsError, match="is answered"):
        CliRunner().invoke(command, given, catch_exceptions=False)
