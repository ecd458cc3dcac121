"""`study fetch livemcp`: the recording as calls, with labels that `audit --labels` takes."""

import json
import shutil
import subprocess

import pytest

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors_study.fetch import SOURCES, fetch
from outcome_monitors_study.livemcp import RECORDING, read_recording
from tests.commandline import Run, Sentence

SESSION = "0e3287cb-c0ff-4d2a-8c3d-d8833014a7b0"
"""A conversation of the recording: labels name it."""
FILE = RECORDING


def printed(text, error=False):
    """Return a result as the recording has it: as Python prints what the MCP library gives."""
    return f"meta=None content=[TextContent(type='text', text={text!r}, annotations=None)] isError={error}"


def inner(*blocks, error=False):
    return printed(json.dumps({"_meta": None, "content": list(blocks), "isError": error}, indent=2))


def text(words):
    return {"type": "text", "text": words, "annotations": None}


def conversation(*executed, session=SESSION):
    """Return a task's conversation: what was called of which server, and what came back."""
    messages: list[Json] = [
        {"role": "system", "content": "..."},
        {"role": "user", "content": "Write a report."},
    ]
    for number, (server, tool, answer) in enumerate([("", "route", "meta=None ..."), *executed]):
        name = "execute-tool" if server else tool
        arguments = {"server_name": server, "tool_name": tool, "params": {"number": number}}
        made = {
            "id": f"toolu_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        messages += [
            {"role": "assistant", "content": "", "tool_calls": [made]},
            {"role": "tool", "tool_call_id": made["id"], "content": answer},
        ]
    return {"task_id": session, "question": "Write a report.", "judge": "failure", "messages": messages}


EXECUTED = (
    (
        "mcp-server-chart",
        "generate_word_cloud_chart",
        inner(text('https://charts.example/it\'s "one".png')),
    ),
    ("playwright", "playwright_navigate", inner(text("Failed to initialize browser"), error=True)),
    ("puppeteer", "puppeteer_navigate", printed("Error executing tool execute-tool: no browser", error=True)),
    ("puppeteer", "puppeteer_navigate", "Tool call timed out."),
    ("desktop-commander", "write_file", inner(text("Successfully wrote to /root/pdf/report.html"))),
    ("desktop-commander", "write_file", inner(text("x" * 20_000))[:10_000]),
    ("desktop-commander", "write_file", inner(text('{"rows": 2}'))),
)


@pytest.fixture
def recording(tmp_path):
    file = tmp_path / "checkout" / FILE
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps([conversation(*EXECUTED)], ensure_ascii=False, indent=4))
    return file


def test_results_are_read_as_they_were_printed(recording):
    calls = list(read_recording(recording))
    assert [(call.extra["step"], call.tool, call.result, call.error) for call in calls] == [
        (1, "mcp-server-chart.generate_word_cloud_chart", 'https://charts.example/it\'s "one".png', False),
        (2, "playwright.playwright_navigate", "Failed to initialize browser", True),
        (3, "puppeteer.puppeteer_navigate", "Error executing tool execute-tool: no browser", True),
        (4, "puppeteer.puppeteer_navigate", "Tool call timed out.", False),
        (5, "desktop-commander.write_file", "Successfully wrote to /root/pdf/report.html", False),
        # What was cut is left out, and is a step all the same.
        (7, "desktop-commander.write_file", {"rows": 2}, False),
    ]
    assert {(call.session, call.task) for call in calls} == {(SESSION, "livemcp/0e3287cb")}
    assert calls[0].arguments == {"number": 1}


@pytest.mark.parametrize(
    ("answer", "result", "error"),
    [
        (inner(text('{"a": 1}'), text('{"a": 2}')), [{"a": 1}, {"a": 2}], False),
        (inner({"type": "image", "data": "aGk="}), [{"type": "image", "data": "aGk="}], False),
        (inner(text("171.38")), 171.38, False),
        (inner(text("")), "", False),
        ("Error: Connection closed", "Error: Connection closed", True),
    ],
)
def test_other_contents(tmp_path, answer, result, error):
    file = tmp_path / "recording.json"
    file.write_text(json.dumps([conversation(("finance", "price", answer))]))
    [call] = read_recording(file)
    assert (call.result, call.error) == (result, error)


def test_a_copy_becomes_calls_and_labels_that_can_be_scored(
    run: Run, one_sentence: Sentence, recording, tmp_path
):
    done = run("study", "fetch", "livemcp", "--from", "checkout", "--to", "livemcp")
    assert done.exit_code == 0
    assert "calls.jsonl: 6 calls; labels.jsonl: 4 of 370 labels" in done.stdout
    labels = [json.loads(line) for line in (tmp_path / "livemcp" / "labels.jsonl").read_text().splitlines()]
    assert [(label["line"], label["step"], label["label"]) for label in labels] == [
        (0, 1, "ok"),
        (3, 4, "open-failure-in-text"),
        (4, 5, "ok"),
        (5, 7, "ok"),
    ]
    scored = run("audit", "--labels", "livemcp/labels.jsonl", "livemcp/calls.jsonl")
    assert scored.exit_code == 0
    assert "false alarms: 0 of 3 right results" in scored.stdout
    again = run("study", "fetch", "livemcp", "--from", "checkout", "--to", "livemcp")
    assert "livemcp is not empty" in one_sentence(again)


def test_the_pinned_commit_is_converted(recording, tmp_path):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    root = tmp_path / "checkout"

    def git(*arguments):
        identity = ("-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)
        return done.stdout.decode().strip()

    git("init", "-q", "-b", "main")
    git("config", "uploadpack.allowAnySHA1InWant", "true")
    git("config", "uploadpack.allowFilter", "true")
    git("add", ".")
    git("commit", "-q", "-m", "a recording")
    [part] = SOURCES["livemcp"].parts
    here = part._replace(url=f"file://{root}", commit=git("rev-parse", "HEAD"))
    made = fetch(SOURCES["livemcp"]._replace(parts=(here,)), tmp_path / "to")
    assert made == "calls.jsonl: 6 calls; labels.jsonl: 4 of 370 labels; recoveries.jsonl: 0 of 73 labels"
    assert {path.name for path in (tmp_path / "to").iterdir()} == {
        "calls.jsonl",
        "evaluator",
        "labels.jsonl",
        "recoveries.jsonl",
    }
    gone = here._replace(commit="0" * 40)
    with pytest.raises(OutcomeMonitorsError, match="cannot fetch file:.*at commit 000000000000"):
        fetch(SOURCES["livemcp"]._replace(parts=(gone,)), tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "is no recording of LiveMCPBench"),
        ("[1]", "is no recording of LiveMCPBench"),
        ('[{"task_id": "a"}]', "is no recording of LiveMCPBench"),
        ("[]", "has no calls"),
        ('[{"task_id": "a", "messages": [{"content": "..."}]}]', "task a is not of the known form"),
    ],
)
def test_another_file_is_one_sentence(run: Run, one_sentence: Sentence, recording, tmp_path, content, why):
    recording.write_text(content)
    assert why in one_sentence(run("study", "fetch", "livemcp", "--from", "checkout"))
    assert not (tmp_path / "livemcp").exists()
