"""Which tools stand in for which by their interfaces, and which never do."""

import pytest

from outcome_monitors.recovery.effects import Effect
from outcome_monitors.recovery.mining import Sources, build
from outcome_monitors.recovery.mining.reading import interfaces
from outcome_monitors.recovery.mining.signatures import signatures
from tests.recovery.mining.examples import tool, tools


def listed(*entries, of: str) -> list[str]:
    return [found.tool for found in signatures(interfaces(tools(*entries))).get(of, ())]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            tool("bing__bing_search", "使用必应搜索指定的关键词", query="string"),
            tool("ddg__duckduckgo_web_search", "Performs a web search using DuckDuckGo.", query="string"),
        ),
        (
            tool("yahoo__get_stock_price", "Get the price of a stock.", symbol="string"),
            tool("finance__get_ticker_info", "Retrieve stock data.", ticker="string"),
        ),
    ],
)
def test_what_gives_the_same_stands_in_both_ways(one, other):
    assert listed(one, other, of=one["name"]) == [other["name"]]
    assert listed(one, other, of=other["name"]) == [one["name"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # The reverse.
        (
            tool("geocode", "Convert an address.", address="string"),
            tool("reverse_geocode", "Convert coordinates."),
        ),
        # Another state.
        (tool("git_diff_staged", "Shows changes."), tool("git_diff_unstaged", "Shows changes.")),
        # Somebody else's.
        (
            tool("linear__get_issue", "Get an issue from Linear.", issue_id="string"),
            tool("github__get_issue", "Get an issue from GitHub.", issue_id="string"),
        ),
        # A part of it, a write.
        (
            tool("get_issue", "Get an issue.", issue_id="string"),
            tool("get_issue_comments", "Get the comments of an issue.", issue_id="string"),
        ),
        (
            tool("get_file", "Get a file.", path="string"),
            tool("write_file", "Write a file.", path="string"),
        ),
        # One of them, and all of them.
        (tool("get_order", "Get an order.", order_id="string"), tool("list_orders", "List all orders.")),
    ],
)
def test_near_misses_are_not_listed(one, other):
    assert not build(Sources(tools=tools(one, other)))


def test_a_write_never_stands_in_for_a_read_whatever_the_words_say():
    read = tool("a__get_page", "Get a page.", url="string")
    writes = tool("b__get_page", "Get a page.", hints={"readOnlyHint": False}, url="string")
    assert not signatures(interfaces(tools(read, writes)))
    same = tool("b__get_page", "Get a page.", url="string")
    assert listed(read, same, of="a__get_page") == ["b__get_page"]
    by_hand = {"b__get_page": Effect(writes=True, idempotent=None, source="declared")}
    reads = {"a__get_page": Effect(writes=False, idempotent=True, source="name")}
    assert not signatures(interfaces(tools(read, same), {**by_hand, **reads}))


@pytest.mark.parametrize(
    ("one", "other", "mapping"),
    [
        (
            tool("a__get_stock", "Get the price of a stock.", ticker="string"),
            tool("b__fetch_stock", "Get a stock's price.", symbol="string"),
            {"ticker": "symbol"},
        ),
        (
            tool("get_user", "Get a user.", user_id="string"),
            tool("lookup_user", "Look a user up.", userId="string"),
            {"user_id": "userId"},
        ),
        # Both are of one sort, and not the same.
        (
            tool("a__get_stock_prices", "Get past prices of a stock.", symbol="string", period="string"),
            tool("b__get_stock_prices", "Get past prices of a stock.", ticker="string", end_date="string"),
            {"symbol": "ticker"},
        ),
    ],
)
def test_arguments_are_paired_by_what_they_are_for(one, other, mapping):
    [relation] = build(Sources(tools=tools(one, other)))[one["name"]]
    assert (relation.tool, relation.source) == (other["name"], "signature")
    assert relation.arguments == mapping
