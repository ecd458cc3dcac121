"""Google ADK: answers of MCP tools."""

import json

from tests.adapters.frameworks import framework
from tests.adapters.shop import BAD, RAISES, WRONG, is_receipt, watching

adk = framework("google_adk")


def test_what_is_no_object_keeps_the_key_that_the_framework_gives_it():
    def get_order(id: str) -> str:
        return json.dumps(WRONG)

    asks = [("get_order", {"id": BAD})]
    [wrong], [clean] = (adk.talk([get_order], asks, **how).read for how in ({"watch": watching()[0]}, {}))
    said = json.loads(wrong)
    assert is_receipt(said.pop("outcome_contract"))
    assert said == json.loads(clean)


def test_answers_of_mcp_tools_are_read_by_what_they_say():
    watch, kept = watching()
    answer = {"content": [{"type": "text", "text": "an order"}], "structuredContent": WRONG, "isError": False}

    def get_order(id: str) -> dict:
        return answer if id == BAD else {**answer, "isError": True}

    read = adk.talk([get_order], [("get_order", {"id": id}) for id in (BAD, RAISES)], watch=watch).read
    wrong, failed = map(json.loads, read)
    assert is_receipt(wrong.pop("outcome_contract"))
    assert wrong == answer
    assert failed == {**answer, "isError": True}
    assert kept.outcomes == ["flagged", "not_checked"]
