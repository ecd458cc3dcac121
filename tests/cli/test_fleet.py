"""The address of a fleet's state in the place of a folder: what is refused, what is told while the database is away, and what is never shown."""

import os
import re
import socket
from pathlib import Path

import pytest

from outcome_monitors.storage.address import StateAddress
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.storage.replica import LOCK
from tests.commandline import Run, Sentence
from tests.events.shop import order
from tests.forwarding import through
from tests.homes import moved
from tests.mcp.folders import learned, with_alarms

CLAUSE = "get_order.total/positive#f3e21b"
USER, SECRET = "reader", "hunter2"


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learnt")
    learned(folder)
    with_alarms(folder, order(1, total=-1.0), order(2), name="one")
    return folder


@pytest.fixture
def shop(learnt: Path, fleet: str) -> str:
    return moved(learnt, fleet)


def named(fleet: str, user: str, secret: str = SECRET) -> str:
    """Return an address with another user in it, and a password, which this server does not ask for."""
    return re.sub(r"//[^@/]*@", f"//{user}:{secret}@", fleet)


READING = (
    ["status", "{}"],
    ["show", "{}"],
    ["events", "{}"],
    ["report", "{}"],
    ["review", "{}"],
    ["check", "{}", "--contracts", "{}"],
    ["drift", "{}", "--contracts", "{}"],
    ["diff", "{}", "{}"],
    ["lint", "{}"],
    ["replay", "{}", "--contracts", "{}"],
    ["relations", "build", "--traces", "{}", "-o", "relations.json"],
    ["audit", "{}", "--limit", "1"],
    ["mine", "{}", "-o", "mined.json"],
)
DECIDING = (
    ["mute", CLAUSE, "--in", "{}"],
    ["unmute", CLAUSE, "--in", "{}"],
    ["accept", CLAUSE, "--in", "{}"],
    ["wrong", "1", "--in", "{}"],
    ["missed", "1", "--in", "{}"],
    ["review", "{}", "--mute", CLAUSE],
)


def at(command: list[str], place: str) -> list[str]:
    return [word.format(place) for word in command]


MISTYPED = (
    ["{}"],
    ["status", "shop", "{}"],
    ["mute", CLAUSE, "--in", "shop", "--until", "{}"],
    ["mine", "{}", "-o", "{}"],
    ["relations", "{}"],
)


@pytest.mark.parametrize("command", [*READING, *DECIDING, *MISTYPED], ids=lambda words: " ".join(words[:3]))
def test_user_and_password_stand_in_nothing_that_is_said(
    run: Run, shop: str, command: list[str], caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    address = named(shop, "postgres")
    done = run(*at(command, address))
    assert "a fault of outcome-monitors itself" not in done.stderr
    pages = [page.read_text(encoding="utf-8") for page in tmp_path.glob("report.html")]
    for text in (done.stdout, done.stderr, caplog.text, *pages):
        assert SECRET not in text
        assert "postgres:" not in text
        assert "postgres@" not in text


def test_a_wrong_address_is_one_sentence(run: Run, fleet: str, one_sentence: Sentence) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    nobody = f"postgresql://{USER}:{SECRET}@127.0.0.1:{port}/shop"
    for place in (nobody, fleet.replace("/postgres?", "/nothing_of_that_name?"), "postgresql://[x/y"):
        for command in (
            ["status", "{}"],
            ["events", "{}"],
            ["mute", CLAUSE, "--in", "{}"],
            ["console", "{}"],
        ):
            assert SECRET not in one_sentence(run(*at(command, place)))


def test_while_the_database_is_away_what_is_small_is_told_from_the_copy_with_its_age(
    run: Run, shop: str, one_sentence: Sentence, caplog: pytest.LogCaptureFixture
) -> None:
    with through(shop) as (address, way):
        assert run("status", address).exit_code == 0
        lock = StateAddress.read(address).cache / LOCK
        os.utime(lock, (0, lock.stat().st_mtime - 7200))
        way.cut()
        told = run("status", address)
        assert told.exit_code == 0
        assert "this host's copy of 2 hours ago" in told.stderr
        assert "get_order: advising" in told.stdout
        assert "total is not below zero" in run("show", address).stdout
        assert "this host's copy of 2 hours ago" in caplog.text
        decision = ["mute", CLAUSE, "--in", address]
        for command in (
            ["events", address],
            ["report", address],
            ["mine", address, "-o", "c.json"],
            decision,
        ):
            assert "cannot be used" in one_sentence(run(*command))


def test_decisions_bear_the_name_of_who_made_them(
    run: Run, shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTCOME_MONITORS_USER", "ada")
    assert run("review", shop, "--mute", CLAUSE).exit_code == 0
    with Postgres(StateAddress.read(shop)).reading() as shared:
        rows = shared.execute("SELECT by, version FROM documents WHERE name = 'overrides.json'").fetchall()
    assert rows == [("ada", 1)]
    assert "mute" in run("review", shop).stdout
