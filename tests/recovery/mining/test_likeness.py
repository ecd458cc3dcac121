"""Which tools stand in for which by their interfaces, and which never do."""

import pytest

from outcome_monitors.recovery.effects import Effect
from outcome_monitors.recovery.mining.signatures import signatures
from tests.recovery.mining.examples import tool, tools


def listed(*entries, of: str) -> list[str]:
    return [found.tool for found in signatures(tools(*entries)).get(of, ())]


SEARCH = tool("bing__bing_search", "使用必应搜索指定的关键词", query="string")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            SEARCH,
            tool("ddg__duckduckgo_web_search", "Performs a web search using DuckDuckGo.", query="string"),
        ),
        (
            tool(
                "weather__get_weather", "Get the weather of a place.", latitude="number", longitude="number"
            ),
            tool("weather__get_weather_by_city", "Get the weather of a city.", city="string"),
        ),
        (
            tool("arxiv__read_paper", "Read a paper from arXiv.", paper_id="string"),
            tool(
                "simple-arxiv__get_paper_data", "Get detailed information about a paper.", paper_id="string"
            ),
        ),
        (
            tool("yahoo__get_stock_price", "Get the price of a stock.", symbol="string"),
            tool("finance__get_ticker_info", "Retrieve stock data.", ticker="string"),
        ),
        (
            tool("pw__browser_click", "Click an element.", target="string"),
            tool("devtools__click", "Clicks on the element.", pageId="string", uid="string"),
        ),
        (
            tool("amap__maps_regeocode", "将一个经纬度坐标转换为地址信息", location="string"),
            tool("gmap__maps_reverse_geocode", "Convert coordinates into an address.", latitude="number"),
        ),
        (
            tool("lab__fetch", "Fetch a record. It knows articles and clinical trials.", id="string"),
            tool("lab__trial_getter", "Fetch details for a clinical trial.", nct_id="string"),
        ),
    ],
)
def test_what_gives_the_same_stands_in_both_ways(one, other):
    assert listed(one, other, of=one["name"]) == [other["name"]]
    assert listed(one, other, of=other["name"]) == [one["name"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Another thing of the same server.
        (tool("hn__getStory", "Get a story.", id="number"), tool("hn__getUser", "Get a user.", id="string")),
        # The reverse.
        (tool("create_entities", "Create entities."), tool("delete_entities", "Delete entities.")),
        (
            tool("geocode", "Convert an address.", address="string"),
            tool("reverse_geocode", "Convert coordinates."),
        ),
        (
            tool("chart__generate_pie_chart", "Generate a pie chart.", data="array"),
            tool("chart__generate_line_chart", "Generate a line chart.", data="array"),
        ),
        # Another act.
        (
            tool("get_time", "Get the time.", zone="string"),
            tool("convert_time", "Convert the time.", zone="string"),
        ),
        # Another facet, another kind, another time.
        (tool("get_card", "Get a card.", id="string"), tool("get_card_image", "Get its image.", id="string")),
        (tool("git_diff_staged", "Shows changes."), tool("git_diff_unstaged", "Shows changes.")),
        (
            tool("get_current_stock_price", "Get the current price.", symbol="string"),
            tool("get_historical_stock_prices", "Get historical prices.", symbol="string"),
        ),
        # Somebody else's.
        (
            tool("linear__get_issue", "Get an issue from Linear.", issue_id="string"),
            tool("github__get_issue", "Get an issue from GitHub.", issue_id="string"),
        ),
        # One of them, and all of them.
        (tool("get_order", "Get an order.", order_id="string"), tool("list_orders", "List all orders.")),
    ],
)
def test_near_misses_are_not_listed(one, other):
    found = signatures(tools(one, other))
    assert not found


def test_a_write_never_stands_in_for_a_read_whatever_the_words_say():
    read = tool("a__get_page", "Get a page.", url="string")
    writes = tool("b__get_page", "Get a page.", hints={"readOnlyHint": False}, url="string")
    assert not signatures(tools(read, writes))
    same = tool("b__get_page", "Get a page.", url="string")
    assert listed(read, same, of="a__get_page") == ["b__get_page"]
    by_hand = {"b__get_page": Effect(writes=True, idempotent=None, source="declared")}
    reads = {"a__get_page": Effect(writes=False, idempotent=True, source="name")}
    assert not signatures(tools(read, same), {**by_hand, **reads})


def test_fields_of_results_speak_too():
    def priced(name: str, field: str):
        fields = {"properties": {field: {"type": "number"}, "at": {"type": "string"}}}
        return {**tool(name, "Get a figure of a share.", ticker="string"), "outputSchema": fields}

    [alike] = signatures(tools(priced("a__get_figure", "price"), priced("b__get_number", "price")))[
        "a__get_figure"
    ]
    found = signatures(tools(priced("a__get_figure", "price"), priced("b__get_number", "volume")))
    assert [other.confidence < alike.confidence for other in found.get("a__get_figure", [])] in ([], [True])


def test_arguments_are_paired_by_what_they_are_for():
    one = tool("a__get_stock_price", "Get the price of a stock.", symbol="string")
    other = tool("b__get_stock_price", "Get the price of a stock.", ticker="string")
    [found] = signatures(tools(one, other))["a__get_stock_price"]
    assert found.arguments == {"symbol": "ticker"}


def test_arguments_that_are_only_of_one_sort_are_not_paired():
    one = tool("a__get_stock_prices", "Get past prices of a stock.", symbol="string", period="string")
    other = tool("b__get_stock_prices", "Get past prices of a stock.", ticker="string", end_date="string")
    [found] = signatures(tools(one, other))["a__get_stock_prices"]
    assert found.arguments == {"symbol": "ticker"}


def test_an_argument_whose_name_says_nothing_is_known_by_its_description():
    one = tool("a__search_movies", "Search for movies.", q="string", gl="string")
    one["inputSchema"]["properties"]["q"]["description"] = "Words to look for"
    other = tool("b__search_movies", "Search for movies.", input="string")
    other["inputSchema"]["properties"]["input"]["description"] = "The search query"
    [found] = signatures(tools(one, other))["a__search_movies"]
    assert found.arguments == {"q": "input"}


def test_the_best_stands_first():
    one = tool("a__get_weather", "Get the weather of a city.", city="string")
    near = tool("b__get_weather", "Get the weather of a city.", city="string")
    less = tool("c__get_weather_summary", "Get an overview of the weather in a region.", region="string")
    assert listed(one, less, near, of="a__get_weather") == ["b__get_weather", "c__get_weather_summary"]
