"""LlamaIndex: tools that are called directly."""

from tests.adapters.frameworks import framework
from tests.adapters.shop import BAD, CLEAN, WRONG, get_order, is_receipt, receipt_in, watching
from tests.events.shop import order

llama = framework("llama_index")
from llama_index.core.tools import FunctionTool


def test_a_tool_that_is_called_directly_is_observed_and_its_payload_stays():
    watch, kept = watching()
    [tool] = llama.watched([FunctionTool.from_defaults(get_order)], watch)
    assert tool.call(id=CLEAN).raw_output == order(1)
    wrong = tool(id=BAD)
    assert wrong.raw_output == WRONG
    assert is_receipt(receipt_in(wrong.blocks[-1].text))
    assert kept.outcomes == ["clean", "flagged"]
