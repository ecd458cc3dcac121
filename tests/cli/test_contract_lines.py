"""Contracts for some labels alone, as the commands show them."""

import json

from outcome_monitors.storage.address import StateAddress
from outcome_monitors_server.storage.postgres import Postgres
from tests.commandline import Run, Sentence
from tests.contract_lines import at


def test_what_the_commands_say(services: str, run: Run) -> None:
    orders = at(services, service="orders")
    listed = json.loads(run("contracts", "list", services, "--format", "json").output)["versions"]
    assert [one["labels"] for one in listed] == [{"service": "orders"}, {"service": "catalogue"}, {}]
    listed = json.loads(run("contracts", "list", orders, "--format", "json").output)["versions"]
    assert [one["number"] for one in listed] == [3]
    assert "everyone" in run("contracts", "list", services).output
    assert run("contracts", "promote", services, "3").output == "version 3 for service orders is for all\n"
    assert (
        "nothing with service none was recorded"
        in run("learn", "--state", at(services, service="none")).output
    )
    assert "since version 3 for service orders, which" in run("learn", "--state", orders).output
    assert run("contracts", "diff", orders).exit_code == 1
    said = run("status", orders).output
    assert "version 3 of the contracts, for service orders; there are others for the whole fleet" in said
    assert "for the whole fleet; there are others" in run("status", services).output
    assert run("contracts", "rollback", orders).output == "version 1 is for all\n"
    assert "others for service catalogue\n" in run("status", services).output


def test_no_command_shows_a_password(fleet: str, run: Run) -> None:
    secret = fleet.replace("postgres:@", "postgres:hunter2@")
    with Postgres(StateAddress.read(fleet)).writing():
        pass
    for arguments in (["list", secret], ["diff", secret], ["rollback", at(secret, service="a")]):
        assert "hunter2" not in run("contracts", *arguments).output


def test_an_address_with_labels_is_refused_in_the_words_of_one_without(
    fleet: str, run: Run, one_sentence: Sentence
) -> None:
    for place in (fleet, at(fleet, service="a")):
        said = one_sentence(run("status", place))
        assert "there is no state at" in said
        assert "(--learn)" in said
