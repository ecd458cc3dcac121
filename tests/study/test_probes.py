"""Probes: cut where the first wrong result comes, shown as each arm shows it, scored by what a model did next."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study.batches import ModelAnswer, ToolRequest, read_answers
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


SAVED = {"success": True, "presentation_id": "deck_1"}
GONE = {"error": "No presentation is currently loaded or the specified ID is invalid: 'deck_1' not found"}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Probes of one session, in which a presentation that was created is unknown to the next call."""
    made = tmp_path_factory.mktemp("recorded")
    calls = [
        ("create_presentation", {"name": "deck_1"}, SAVED),
        ("add_slide", {"presentation_id": "deck_1"}, GONE),
    ]
    lines = [
        {"tool": f"ppt.{tool}", "arguments": asked, "result": answer, "session": "s", "step": step}
        for step, (tool, asked, answer) in enumerate(calls, 1)
    ]
    (made / "calls.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    worked = [
        {"tool": "ppt.create_presentation", "changed": ["name"], "from": "session"},
        {"tool": "ppt.list_presentations", "from": "definitions"},
    ]
    label = {"session": "s", "step": 1, "tool": "ppt.create_presentation", "worked": worked}
    (made / "recoveries.jsonl").write_text(json.dumps(label) + "\n")
    names = ("create_presentation", "add_slide", "list_presentations")
    tools = [{"name": f"ppt__{name}", "description": name, "inputSchema": {}} for name in names]
    (made / "tools.json").write_text(json.dumps({"tools": tools}))
    files = [str(made / name) for name in ("probes", "calls.jsonl", "recoveries.jsonl")]
    given = ["probe", "recorded", *files, "--tools", str(made / "tools.json")]
    printed = CliRunner().invoke(command, given, catch_exceptions=False).output
    assert "2 points, 3 requests; 1 without a receipt" in printed
    return made / "probes"


def test_a_recorded_failure_is_a_point_and_so_is_the_receipt_that_names_it_later(recorded):
    at_once, later = load_plan(recorded).points
    assert [row["stratum"] for row in (at_once, later)] == ["at once", "an earlier call"]
    assert list(at_once["shown"][WRONG]) == [BASE]
    assert later["before"][0]["tool"] == "ppt__create_presentation"
    said = later["shown"][WRONG]["advisory-note"]
    assert "An earlier result is contradicted (ppt__create_presentation (1 call ago)" in said
    assert "ppt__list_presentations" in said


@pytest.mark.parametrize(
    ("call", "action"),
    [
        (("ppt__list_presentations", {}), "substitute"),
        (("ppt__create_presentation", {"name": "deck_2"}), "substitute"),
        (("ppt__create_presentation", {"name": "deck_1"}), "again"),
        (("ppt__add_slide", {"presentation_id": "deck_1"}), "other"),
        (None, "none"),
    ],
)
def test_what_a_model_does_at_a_recorded_failure_is_scored_by_what_got_the_right_thing(
    recorded, tmp_path, call, action
):
    made = [] if call is None else [{"function": {"name": call[0], "arguments": json.dumps(call[1])}}]
    message = {"content": "", "tool_calls": made}
    answer = {"response": {"status_code": 200, "body": {"model": "m", "choices": [{"message": message}]}}}
    names = [request["custom_id"] for request in requests(load_plan(recorded), "m")]
    lines = [json.dumps({"custom_id": name, "error": None, **answer}) + "\n" for name in names]
    (tmp_path / "answers.jsonl").write_text("".join(lines))
    given = [
        "probe",
        "score",
        str(recorded),
        str(tmp_path / "answers.jsonl"),
        "--json",
        str(tmp_path / "s.json"),
    ]
    CliRunner().invoke(command, given, catch_exceptions=False)
    rows = json.loads((tmp_path / "s.json").read_text())["rows"]
    assert [row[action] for row in rows] == [2, 1]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"custom_id": "a", "resp', "no response of chat completions"),
        ("[]", "no response of chat completions"),
        ('{"custom_id": "b", "response": {"body": {"choices": []}}}', "no response of chat completions"),
        ('{"custom_id": "z"}', "answers no request"),
        ('{"custom_id": "b", "response": {"status_code": 500}}', "failed at the endpoint"),
        ("ANSWER", "was answered before"),
    ],
)
def test_lines_that_answer_nothing_are_passed_over_with_their_reason(tmp_path, line, why):
    calls = [{"function": {"name": "look", "arguments": '{"torn": '}}]
    content = [{"type": "text", "text": "done"}]
    body = {"model": "m", "choices": [{"message": {"content": content, "tool_calls": calls}}]}
    answer = json.dumps({"custom_id": "a", "response": {"body": body}})
    file = tmp_path / "answers.jsonl"
    file.write_text(f"{answer}\n\n{answer if line == 'ANSWER' else line}\n")
    found = read_answers([file], "abc".__contains__)
    assert found.by_request.keys() == {"a"}
    assert (found.by_request["a"].said, found.by_request["a"].first) == ("done", ToolRequest("look", None))
    [passed] = found.passed_over
    assert passed.startswith(f"{file}, line 3: {why}")
