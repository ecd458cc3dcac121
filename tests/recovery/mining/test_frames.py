"""What is read of a tool: the verb, the thing, its facet, the time, the source, and the roles of its arguments."""

import pytest

from outcome_monitors.recovery.mining.frames import Frame, read_frames
from outcome_monitors.recovery.mining.phrases import lead, read_sentence
from outcome_monitors.recovery.mining.vocabulary import stems, tokens
from tests.recovery.mining.examples import tool, tools


def frame(name: str, about: str = "", **parameters: str) -> Frame:
    [found] = read_frames(tools(tool(name, about, **parameters)))
    return found


@pytest.mark.parametrize(
    ("name", "about", "verb", "entity", "facet"),
    [
        ("get_weather_by_city", "Get the weather of a city.", "get", "weather", ""),
        ("shop.get_stock_price", "", "get", "stock", "price"),
        ("wiki__get_summary", "Get a summary of a Wikipedia article.", "get", "paper", "view"),
        ("web__fetch", "Fetches a URL from the internet.", "get", "page", ""),
        ("lab__variant_getter", "", "get", "variant", ""),
        ("duckduckgo_web_search", "Performs a web search using DuckDuckGo.", "search", "page", ""),
        ("bing__bing_search", "使用必应搜索指定的关键词", "search", "page", ""),
        ("get_card_image", "", "get", "card", "image"),
        ("directory_tree", "Get a recursive tree view of files.", "list", "directory", "view"),
        ("take_screenshot", "Take a screenshot of the page.", "screenshot", "screenshot", ""),
        ("jma_forecast", "Get weather forecast from the Japan Meteorological Agency.", "get", "weather", ""),
        ("place_order", "", "submit", "order", ""),
        ("place_details", "", "", "place", "view"),
        ("maps_weather", "根据城市名称查询指定城市的天气", "get", "weather", ""),
        ("search_movies", "", "search", "movie", ""),
    ],
)
def test_a_name_and_a_sentence_say_what_is_done_to_what(name, about, verb, entity, facet):
    found = frame(name, about)
    assert (found.verb, found.entity, found.facet) == (verb, entity, facet)


def test_a_result_is_of_now_of_the_past_or_of_days_to_come():
    assert frame("get_current_stock_price").times == {"now"}
    assert frame("get_price_history", "Fetch historical price data.").times == {"past"}
    assert frame("get_forecast", "Get the weather to come.").times == {"future"}
    assert not frame("get_weather", "Get the weather.").times
    assert not frame("get_weather", "Get current weather and forecast for a place.").times


def test_a_tool_picks_one_thing_or_all_or_what_answers_a_question():
    assert frame("get_order", order_id="string").mode == "one"
    assert frame("list_orders").mode == "all"
    assert frame("search_orders", query="string").mode == "ask"
    # A list of what belongs to one thing is a list all the same.
    assert frame("list_comments", story_id="string").mode == "all"


def test_a_nameless_tool_knows_the_things_that_its_description_lists():
    found = frame(
        "lab__fetch", "Fetch one record. It knows articles, clinical trials and variants.", id="string"
    )
    assert found.nameless
    assert {"paper", "study", "variant"} <= found.covers


def test_words_that_tools_of_a_server_share_are_not_what_they_are_about():
    names = ("browser_click", "browser_hover", "browser_drag")
    assert [found.entity for found in read_frames(tools(*(tool(f"pw__{name}") for name in names)))] == [
        ""
    ] * 3


def test_a_sentence_goes_on_until_it_has_named_a_thing():
    assert read_sentence("Get detailed information about a specific paper").things == (
        ("detailed", "information"),
        ("specific", "paper"),
    )
    assert read_sentence("Fetch and parse content from a webpage").verb == "get"
    assert lead("A powerful tool that retrieves pages. More words.") == "retrieves pages"
    assert lead("Get historical prices: daily for a year, monthly beyond.") == "Get historical prices"


def test_words_are_taken_apart_in_any_script():
    assert tokens("getURLs_forHTTPServer") == ("get", "urls", "for", "http", "server")
    assert tokens("获取天气预报") == ("get", "weather", "forecast")
    assert tokens("получить_погоду") == ("получить", "погоду")
    assert tokens("\uff37\uff49\uff44\uff45 letters") == ("wide", "letters")
    assert stems("ids") == ("identifier",)
    assert stems("movies") == ("movie",)
