"""The folder that a proxy learns in, given to the commands that people try on it."""

import json
import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import OUTCOMES
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.reports import percent
from tests.commandline import Run, Sentence
from tests.events.shop import order
from tests.homes import Home
from tests.mcp.folders import learned, with_alarms


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a shop has learned, and then gave a wrong total in two tasks and half a result in one."""
    folder = tmp_path_factory.mktemp("shop")
    learned(folder)
    with_alarms(folder, order(1, total=-1.0), order(2), name="one")
    with_alarms(folder, order(1, total=-2.0), name="two")
    with_alarms(folder, {"id": "W1", "total": 3.0}, name="three")
    return folder


@pytest.fixture
def shop(learnt: Path, home: Home) -> str:
    """The same, as it is named: by the folder, or by the address of a fleet that has all of it."""
    return home(learnt)


def figures(page: str) -> dict[str, str]:
    """Return the large figures of a page, by what they are."""
    tiles = page.partition('class="tiles"')[2].partition("</dl>")[0]
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", tiles))


def registry(shop: str) -> Registry:
    with closing(StateFolder.at(shop)) as state:
        return state.registry()


def test_the_reports_figures_are_those_of_the_events(run: Run, shop: str) -> None:
    summary = json.loads(run("events", shop, "--format", "json").stdout)
    assert (summary["flagged"], summary["told"]) == (3, 3)
    assert summary["events"] == sum(summary[outcome] for outcome in OUTCOMES)
    done = run("report", shop)
    assert (done.exit_code, done.stdout) == (1, f"report.html: {summary['events']} calls, 3 flagged\n")
    page = Path("report.html").read_text(encoding="utf-8")
    checked = summary["clean"] + summary["flagged"]
    assert figures(page) == {
        "calls of 1 tool": f"{summary['events']}",
        f"of results are held against a contract ({checked} of {summary['events']})": percent(
            checked / summary["events"]
        ),
        f"results flagged, {percent(3 / checked)} of those checked": "3",
        "clauses for 1 tool": str(len(registry(shop).contracts["get_order"].clauses)),
    }


def test_show_check_drift_and_mine_take_the_folder(run: Run, shop: str) -> None:
    address = "get_order.total/positive#f3e"
    shown = run("show", shop, address).stdout.splitlines()
    assert shown[2:5] == [
        "get_order",
        "  total is not below zero (18 samples, 18 tasks, traces)",
        "    get_order.total/positive#f3e21b",
    ]
    checked = run("check", shop, "--contracts", shop, "--format", "jsonl")
    assert checked.exit_code == 1
    assert len(checked.stdout.splitlines()) == 94
    assert run("drift", shop, "--contracts", shop).exit_code == 0
    assert run("mine", shop, "-o", "c.json").exit_code == 0
    again = run("show", "c.json", address)
    # Results that were flagged are nothing to learn from.
    assert (
        "total is above zero (91 samples" in again.stdout
        or "total is not below zero (91 samples" in again.stdout
    )


def test_a_folder_without_anything_yet(run: Run, tmp_path: Path, one_sentence: Sentence) -> None:
    (tmp_path / "new").mkdir()
    for command in (["show", "new"], ["check", "new", "--contracts", "c.json"], ["events", "new"]):
        assert "new" in one_sentence(run(*command))
    assert "nothing was learned in new yet" in one_sentence(run("show", "new"))
    assert "there is no store new/events.sqlite" in one_sentence(run("report", "new"))


def test_status_and_decisions_from_the_command_line(
    run: Run, learnt: Path, home: Home, tmp_path: Path, one_sentence: Sentence
) -> None:
    folder = home(shutil.copytree(learnt, tmp_path / "copy"))
    address = "get_order.total/positive#f3e21b"
    assert run("mute", address, "--in", folder, "--until", "7d", "--reason", "refunds").exit_code == 0
    document = json.loads(run("status", folder, "--format", "json").stdout)
    tool = document["tools"]["get_order"]
    assert (tool["stage"], tool["told"], tool["muted"], tool["checked"]) == ("advising", 3, [address], 1.0)
    said = run("status", folder).stdout
    assert "get_order: advising, 13 of 13 clauses are proven" in said
    assert f"muted: {address} until " in said
    assert "(refunds)" in said
    assert run("unmute", "#f3e2", "--in", folder).stdout == f"{address} is no longer muted\n"
    flagged = [
        json.loads(line)["event"]
        for line in run("events", folder, "--outcome", "flagged", "--format", "jsonl").stdout.splitlines()
    ]
    assert "in 1 task" in run("wrong", str(flagged[0]), "--in", folder).stdout
    assert run("missed", str(flagged[0] + 1), "--in", folder).exit_code == 0
    assert run("accept", address, "--in", folder, "--reason", "right").stdout == f"{address} is accepted\n"
    for command in (
        ["status", "nowhere"],
        ["mute", address, "--in", "nowhere"],
        ["mute", "zzz", "--in", folder],
    ):
        one_sentence(run(*command))
    twice = one_sentence(run("mute", "get_order.status/required#4", "--in", folder, "--until", "never"))
    assert "--until 'never' is not a date" in twice


def test_status_of_what_is_no_such_folder(run: Run, tmp_path: Path, one_sentence: Sentence) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("nothing of ours")
    assert "is not a folder that something was learned in" in one_sentence(run("status", "other"))
    (tmp_path / "empty").mkdir()
    assert "Nothing was seen here yet" in run("status", "empty").stdout
