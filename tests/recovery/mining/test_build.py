"""What relations are mined, from which source, and how a substitute is called."""

from outcome_monitors import Call, Relations
from outcome_monitors.recovery.arguments import arguments_for
from outcome_monitors.recovery.mining import Sources, build
from tests.recovery.mining.examples import quotes, tool, tools, towns


def names(relations: Relations, of: str) -> list[str]:
    return [found.tool for found in relations.get(of, ())]


def test_two_tools_that_say_the_same_of_the_same_thing_stand_in_for_each_other():
    built = build(Sources(calls=list(quotes())))
    assert {of: names(built, of) for of in built} == {"get_stock": ["quote"], "quote": ["get_stock"]}
    [found] = built["get_stock"]
    assert (found.source, dict(found.arguments)) == ("behaviour", {"symbol": "ticker"})
    assert "price_usd" in found.why


def test_one_text_is_taken_apart_and_several_are_put_together():
    built = build(Sources(calls=list(towns())))
    [parts], [whole] = built["town_facts"], built["city_facts"]
    assert dict(parts.arguments) == {"place": "{city}, {country}"}
    assert dict(whole.arguments) == {"{city}, {country}": "place"}
    assert arguments_for(parts.arguments, {"place": "Bonn, DE"}, None) == {"city": "Bonn", "country": "DE"}
    assert arguments_for(whole.arguments, {"city": "Bonn", "country": "DE"}, None) == {"place": "Bonn, DE"}


def test_agreement_by_chance_is_none():
    calls = [
        call
        for n in range(12)
        for call in (
            Call("get_order", {"id": f"O-{n}"}, {"status": "sent" if n % 3 else "new"}),
            Call("get_parcel", {"order": f"O-{n}"}, {"state": "sent" if n % 2 else "new"}),
        )
    ]
    assert not build(Sources(calls=calls))


def test_what_traces_contradict_is_not_believed_of_interfaces():
    alike = [
        tool("get_balance", "Get the amount of an account.", account_id="string"),
        tool("fetch_balance", "Get the amount of an account.", account_id="string"),
    ]
    assert names(build(Sources(tools=tools(*alike))), "get_balance") == ["fetch_balance"]
    calls = [
        Call(each["name"], {"account_id": f"A-{n}"}, {"amount": n * 7.5 + offset})
        for n in range(6)
        for each, offset in zip(alike, (100, 3000), strict=True)
    ]
    assert not build(Sources(tools=tools(*alike), calls=calls))


def _series(n: int) -> list[float]:
    return [n + 0.5, n * 3 + 1.25, n * 7 + 2.75]


def test_a_chain_leads_to_the_first_tool_of_the_other_path():
    calls = []
    for n in range(1, 6):
        values = _series(n)
        summary = {"low": min(values), "high": max(values), "mean": sum(values) / 3}
        calls += [
            Call("get_series", {"probe": f"S-{n}"}, {"values": values}, session=f"a{n}"),
            Call("summarise", {"numbers": values}, {"mean": sum(values) / 3}, session=f"a{n}"),
            Call("read_summary", {"sensor": f"S-{n}"}, {"average": summary["mean"]}, session=f"b{n}"),
        ]
    built = build(Sources(calls=calls))
    assert names(built, "read_summary") == ["get_series"]
    assert names(built, "get_series") == ["read_summary"]
    assert names(built, "summarise") == ["read_summary"]
    assert built["summarise"][0].source == "chain"
