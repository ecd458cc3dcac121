"""Reads that show something of the same thing, where nothing but names, arguments and runs is known."""

from typing import Any

import pytest

from bench._lists import ListMeasure, of_servers
from outcome_monitors import Call
from outcome_monitors.recovery.mining import Sources, build
from outcome_monitors.recovery.relations import safe
from tests.recovery.mining.examples import tool, tools
from tests.shared import shared


def shows(name: str, *entries: Any, calls: list[Call] | None = None) -> list[str]:
    given = tools(*entries)
    built = build(Sources(tools=given, calls=[] if calls is None else calls))
    return [action.tool for action in safe(name, built, [entry.name for entry in given])]


def taking(name: str, *needed: str) -> Any:
    return tool(name, **dict.fromkeys(needed, "string"))


def test_after_a_write_the_reads_come_that_take_the_same_argument():
    listed = shows(
        "write_file",
        taking("write_file", "path", "content"),
        taking("get_time", "zone"),
        taking("read_file", "path"),
        taking("get_file_info", "path"),
    )
    assert set(listed) == {"read_file", "get_file_info"}


def test_the_list_that_holds_the_record_is_matched_by_its_noun():
    listed = shows(
        "create_invoice",
        taking("create_invoice", "customer"),
        tool("list_invoices"),
        taking("get_weather", "city"),
    )
    assert listed[0] == "list_invoices"


def test_the_read_that_changed_across_a_write_comes_first():
    calls = [
        call
        for n in range(3)
        for call in (
            Call("get_purse", {}, {"coins": 9}, session=f"s{n}"),
            Call("toss", {"side": "left"}, {"ok": True}, session=f"s{n}"),
            Call("get_purse", {}, {"coins": 7}, session=f"s{n}"),
            Call("get_weather", {}, {"sky": "blue"}, session=f"s{n}"),
        )
    ]
    listed = shows("toss", tool("toss"), tool("get_weather"), tool("get_purse"), calls=calls)
    assert listed[0] == "get_purse"


def test_lists_of_real_servers_offer_a_choice():
    shared("data/mcp/tools.json")
    total = ListMeasure()
    for _, _, measure in of_servers():
        total.plus(measure)
    assert total.receipts == 109
    assert total.two >= 0.95 * total.receipts
    assert total.right >= 0.75 * total.others


@pytest.mark.parametrize(
    ("name", "other", "argument", "shown"),
    [
        # What anything may be picked by is no sign of one thing.
        ("get_story", "get_user", "id", False),
        ("football_leaderboard", "chess_ranking", "region", False),
        # A noun in common, or an argument that names a thing, is one.
        ("get_story", "get_story_comments", "id", True),
        ("get_order", "find_parcel", "order_id", True),
        ("read_file", "stat_entry", "path", True),
    ],
)
def test_a_read_shows_something_of_another_where_both_are_about_one_thing(name, other, argument, shown):
    assert (other in shows(name, taking(name, argument), taking(other, argument))) is shown
