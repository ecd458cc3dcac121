"""What a proxy offers without a relation file: from the tools that the server lists."""

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


def relations_of(context):
    """List the tools, and wait for what is made of them."""
    session = JsonRpcSession(context, "s")
    session.from_client(line(lists(1)))
    session.from_server(line(answer(1, {"tools": LISTED})))
    if context.watch.relation_learner.thread is not None:
        context.watch.relation_learner.thread.join()
    return context.watch.monitor.relations


def test_a_learning_proxy_knows_what_its_servers_tools_do_and_show(tmp_path):
    with ProxySettings(learn=str(tmp_path / "state")).context() as context:
        relations = relations_of(context)
        assert not relations.may_write("tally")
        assert relations.may_write("place_order")
        assert relations.checks["place_order"][0].tool == "list_orders"
