"""What agents read beside a wrong result: each form of receipt, key for key."""

import json
from typing import Any

import pytest

from outcome_monitors import Monitor, Registry, Relations, Session
from tests.net.support import DATA, lines, run, same_json

ENCODERS = ("v1", "v2", "generic", "stripped", "text", "note")
TOOLS = [
    "find_customer",
    "get_order",
    "fetch_order",
    "get_product",
    "quote",
    "search_products",
    "track_parcel",
]


def wrong() -> list[dict[str, Any]]:
    return lines((DATA / "wrong.jsonl").read_bytes())


def printed_in_the_paper(encoder) -> Any:
    """The three results of the paper's section on receipts, advised in a form."""
    monitor = Monitor(Registry.load(DATA / "printed.json"), encoder=encoder)
    given = [
        ("get_stock_yahoo_finance", {"price_usd": -1, "currency": "ZZZ"}, "get_stock_alpha_vantage"),
        (
            "get_weatherapi_alert_card_native",
            {"celsius_now": "mild"},
            "get_visualcrossing_forecast_chip_native",
        ),
        ("get_order_details", {"status": "lost"}, "get_user_details"),
    ]
    substitutes = {tool: [other] for tool, _, other in given[:2]}
    monitor.relations = Relations.declared(substitutes)
    return [monitor.advise(tool, {}, result, tools=[tool, other]) for tool, result, other in given]


@pytest.mark.parametrize("encoder", ENCODERS)
def test_what_the_paper_prints(encoder):
    same_json(f"wire/receipts/printed.{encoder}.json", printed_in_the_paper(encoder))


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("profile", ["paper", "full"])
def test_receipts_of_the_shop(shop, profile, encoder, tmp_path):
    """Whole envelopes, a wrong result a line, in the order of the calls, each in the session that its line names."""
    run(
        *("relations", "build", "--tools", shop / "tools.json", "--traces", shop / "shop.jsonl"),
        *("--contracts", shop / "full.json", "-o", "relations.json"),
        cwd=tmp_path,
    )
    relations = Relations.load(tmp_path / "relations.json")
    monitor = Monitor(Registry.load(shop / f"{profile}.json"), relations, encoder=encoder)
    sessions: dict[str, Session] = {}
    found = {}
    for number, line in enumerate(wrong()):
        if line.get("error"):
            continue
        asked: Monitor | Session = monitor
        if name := line.get("session"):
            asked = sessions.setdefault(name, monitor.session())
        advised = asked.advise(line["tool"], line["arguments"], line["result"], tools=TOOLS)
        if advised is not line["result"]:
            assert list(advised) == ["tool_result", "outcome_contract"]
            assert advised["tool_result"] is line["result"]
            found[f"{number} {line.get('task', '')}"] = advised["outcome_contract"]
    same_json(f"wire/receipts/{profile}.{encoder}.json", found)


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_a_list_of_tools_is_kept_to(shop, profile):
    """No receipt names a tool that the agent cannot call."""
    relations = Relations.declared({"get_order": ["fetch_order", "quote"]})
    monitor = Monitor(Registry.load(shop / f"{profile}.json"), relations, encoder="v2")
    line = wrong()[1]
    for tools in (["get_order"], ["get_order", "quote"], []):
        receipt = monitor.advise(line["tool"], line["arguments"], line["result"], tools=tools)
        offered = set(receipt["outcome_contract"]["admissible_recovery_tools"])
        assert offered <= {*tools, "get_order"}


def test_the_command_and_the_library_say_the_same(shop):
    told = lines(
        run(
            "check", "wrong.jsonl", "--contracts", "full.json", "--format", "jsonl", cwd=shop, status=1
        ).stdout
    )
    monitor = Monitor(Registry.load(shop / "full.json"))
    five = ("code", "path", "expected", "observed", "detail")
    for line, row in zip(wrong(), told, strict=True):
        if "session" in line or line.get("error"):
            continue
        found = monitor.check(line["tool"], line["arguments"], line["result"])
        assert row["covered"] == monitor.covers(line["tool"], line["result"])
        said = [{name: violation[name] for name in five} for violation in row["violations"]]
        assert said == json.loads(json.dumps([violation.to_json() for violation in found]))
