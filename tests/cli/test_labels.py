"""`audit --labels`: calls labelled by hand, scored without contracts and with them."""

import json

import pytest

from tests.commandline import Run, Sentence

CALLS = [
    {
        "tool": "ppt.create_presentation",
        "arguments": {},
        "result": {"presentation_id": "p_17"},
        "session": "s",
    },
    {
        "tool": "ppt.add_slide",
        "arguments": {"presentation_id": "p_17"},
        "result": {"error": "Presentation 'p_17' not found"},
        "session": "s",
    },
    {
        "tool": "web.fetch",
        "arguments": {"url": "https://example.org"},
        "result": "# Rivers\n\nThey carry meltwater from April on.",
    },
    {"tool": "shop.search", "arguments": {"q": "lamp"}, "result": []},
    {"tool": "shop.get", "arguments": {"id": "A1"}, "result": {"id": "A1", "price": 3}},
]
LABELS = [
    {"line": 0, "label": "silent-failure", "kind": "lost write"},
    {"line": 1, "label": "open-failure-in-text", "kind": "top-level error key"},
    {"line": 2, "label": "ok", "kind": "content"},
    {"line": 3, "label": "honest-negative", "kind": "empty list"},
    {"line": 4, "label": "silent-failure", "kind": "stale", "tool": "shop.get"},
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, rows in (("calls.jsonl", CALLS), ("labels.jsonl", LABELS)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_failures_are_counted_at_their_line_or_where_a_later_one_proves_them(run: Run, files):
    done = run("audit", "--labels", "labels.jsonl", "calls.jsonl", "--json", "out.json")
    assert done.exit_code == 0
    assert "false alarms: 0 of 2 right results" in done.stdout
    found = json.loads((files / "out.json").read_text())
    assert {(one["kind"], one["flagged"]) for one in found["kinds"]} == {
        ("lost write", 1),
        ("top-level error key", 1),
        ("content", 0),
        ("empty list", 0),
        ("stale", 0),
    }
    assert found["labels"]["silent-failure"] | {"interval": None} == {
        "flagged": 1,
        "of": 2,
        "share": 0.5,
        "interval": None,
    }
    assert {"label": "silent-failure", "rule": "lost_write", "flagged": 1} in found["rules"]


def test_more_false_alarms_than_the_budget_are_something_found(run: Run, files):
    wrong = [{**LABELS[1], "label": "ok"}]
    (files / "labels.jsonl").write_text(json.dumps(wrong[0]) + "\n")
    assert run("audit", "--labels", "labels.jsonl", "calls.jsonl").exit_code == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "labels.jsonl:1 is not JSON"),
        ("[]", "labels.jsonl:1 must be an object"),
        ('{"line": -1, "label": "ok"}', "labels.jsonl:1: line cannot be -1"),
        ('{"line": 0, "label": "fine"}', "labels.jsonl:1: label cannot be 'fine'; one of ok, silent-failure"),
        ('{"line": 0, "label": "ok", "kind": 7}', "labels.jsonl:1: kind must be text"),
        ('{"line": 0, "label": "ok", "tool": 7}', "labels.jsonl:1: tool must be text"),
        (
            '{"line": 4, "label": "ok", "tool": "shop.search"}',
            "line 4, counted from 0, is labelled as a call of 'shop.search', and is one of 'shop.get'",
        ),
        (
            '{"line": 0, "label": "ok"}\n{"line": 0, "label": "ok"}',
            "labels.jsonl:2: line 0 is labelled twice",
        ),
        ('{"line": 99, "label": "ok"}', "line 99, counted from 0, is no call of the traces"),
        ("", "has no labels"),
    ],
)
def test_bad_labels_are_one_sentence(run: Run, one_sentence: Sentence, files, text, why):
    (files / "labels.jsonl").write_text(text)
    assert why in one_sentence(run("audit", "--labels", "labels.jsonl", "calls.jsonl"))


def test_check_and_replay_need_no_contracts_and_name_the_call_that_a_violation_is_about(run: Run, files):
    done = run("check", "calls.jsonl", "--format", "jsonl")
    assert done.exit_code == 1
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["covered"] for line in lines] == [False] * 5
    assert [(v["code"], v.get("about")) for v in lines[1]["violations"]] == [
        ("write_lost", 0),
        ("failure_reported", None),
    ]
    told = run("replay", "calls.jsonl", "--format", "jsonl")
    assert [json.loads(line)["told"] for line in told.stdout.splitlines()] == [
        False,
        True,
        False,
        False,
        False,
    ]
