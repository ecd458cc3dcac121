"""What a proxy offers without a relation file: from the tools that the server lists, and from its traffic."""

import json

from outcome_monitors.mcp import JsonRpcSession
from outcome_monitors.mcp.settings import ProxySettings
from tests.mcp.wire import answer, line, lists
from tests.recovery.mining.examples import tool

LISTED = [
    tool("place_order", customer_id="string"),
    tool("get_order", order_id="string"),
    tool("list_orders", customer_id="string"),
    tool("tally", hints={"readOnlyHint": True}),
]


def asked(desk):
    """List the tools, and wait for what is made of them."""
    dialogue = JsonRpcSession(desk, "s")
    dialogue.asked(line(lists(1)))
    dialogue.answered(line(answer(1, {"tools": LISTED})))
    if desk.watch.relation_learner.thread is not None:
        desk.watch.relation_learner.thread.join()
    return desk.watch.monitor.relations


def test_a_learning_proxy_knows_what_its_servers_tools_do_and_show(tmp_path):
    with ProxySettings(learn=str(tmp_path / "state")).context() as desk:
        relations = asked(desk)
        assert not relations.may_write("tally")
        assert relations.may_write("place_order")
        assert relations.checks["place_order"][0].tool == "list_orders"


def test_it_knows_so_after_a_restart_before_tools_are_listed(tmp_path):
    setting = ProxySettings(learn=str(tmp_path / "state"))
    with setting.context() as desk:
        asked(desk)
    with setting.context() as desk:
        assert desk.watch is not None
        assert not desk.watch.monitor.relations.may_write("tally")


def test_traffic_from_before_is_looked_at_again(tmp_path):
    folder = tmp_path / "state" / "traces"
    folder.mkdir(parents=True)
    lines = [
        {"tool": tool, "arguments": arguments, "result": {"order_id": f"O-{n}"}, "session": f"s{n}"}
        for n in range(6)
        for tool, arguments in (("place_order", {"customer_id": "C"}), ("get_order", {"order_id": f"O-{n}"}))
    ]
    (folder / "2031-01-01-0000.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    with ProxySettings(learn=str(tmp_path / "state")).context() as desk:
        found = {check.tool: check.arguments for check in asked(desk).checks["place_order"]}
        assert found["get_order"] == {"$.order_id": "order_id"}
