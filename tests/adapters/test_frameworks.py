"""What holds for the adapter of every framework: whole conversations with a scripted model, what is recorded of them, and what its own export holds.

Each runs where its framework is installed; `make compat` has an environment for each.
"""

import json
import re
import time
from typing import Any

import pytest

from outcome_monitors import Call
from outcome_monitors.adapters._observer import opened
from outcome_monitors.events import Watch, read_events
from outcome_monitors.receipts.carriers import KEY
from outcome_monitors.traces.importers import import_traces
from outcome_monitors.traces.reader import read_traces
from tests.adapters.frameworks import FRAMEWORKS, framework
from tests.adapters.shop import BAD, CLEAN, RAISES, get_order, watching
from tests.events.shop import Kept, remembering

ADAPTER = pytest.mark.parametrize("adapter", FRAMEWORKS)
SECONDS = 60
EXPORTED = (
    "agent_framework",
    "anthropic",
    "google_adk",
    "langchain",
    "langgraph",
    "openai_agents",
    "pydantic_ai",
)
"""Those whose frameworks say what was called in a form that `import` reads."""
RECEIPT = re.compile(r'"path": ?"total"')


def asks(*ids):
    return [("get_order", {"id": id}) for id in ids]


def payload_and_receipt(read):
    """Tell apart what a tool gave and what is said of it: items, members of an object, or paragraphs."""
    if isinstance(read, list):
        raw, told = [block["text"] for block in read]
        return raw, told
    raw, begun, told = read.partition('{"outcome_contract"')
    if begun:
        return raw.strip(), begun + told
    whole = json.loads(read)
    told = json.dumps(whole.pop(KEY))
    return json.dumps(whole), told


@ADAPTER
def test_the_model_reads_results_as_without_the_adapter_and_a_receipt_behind_a_wrong_one(adapter):
    talk = framework(adapter).talk
    watch, kept = watching()
    clean, wrong = talk([get_order], asks(CLEAN, BAD)).read
    same, flagged = talk([get_order], asks(CLEAN, BAD), watch=watch).read
    assert same == clean
    raw, told = payload_and_receipt(flagged)
    assert raw == wrong
    assert RECEIPT.search(told)
    assert kept.outcomes == ["clean", "flagged"]
    assert len({event.session for event in kept.events}) == 1


@pytest.mark.parametrize("adapter", ["google_adk", "langchain", "langgraph", "openai_agents", "pydantic_ai"])
def test_events_have_the_id_that_the_model_gave_the_call(adapter):
    talk = framework(adapter).talk
    watch, kept = watching()
    talk([get_order], asks(CLEAN, BAD), watch=watch)
    first, second = [event.call for event in kept.events]
    assert first
    assert second
    assert first != second


@ADAPTER
def test_what_a_tool_raises_is_handled_as_without_the_adapter_and_not_checked(adapter):
    talk = framework(adapter).talk
    watch, kept = watching()

    def came(**how):
        try:
            return talk([get_order], asks(RAISES), **how).read
        except Exception as error:  # noqa: BLE001 - frameworks raise what they like
            return type(error)

    assert came(watch=watch) == came()
    assert set(kept.outcomes) == {"not_checked"}


@ADAPTER
def test_each_conversation_has_a_memory_of_its_own(adapter):
    talk = framework(adapter).talk
    kept = Kept()
    watch = Watch(remembering(), kept)
    statuses = iter(["paid", "sent", "paid"])

    def get_order(id: str) -> dict:
        """Get an order.

        Args:
            id: Which.
        """
        return {"order_id": "W1", "status": next(statuses)}

    talk([get_order], asks("W1", "W2"), "a", watch=watch)
    talk([get_order], asks("W1"), "b", watch=watch)
    assert kept.outcomes == ["clean", "flagged", "clean"]


def calls_of(number):
    """Return the calls of one conversation: of one the result is an object, of the other a list."""
    name, order_id = f"task-{number}", f"W{number:05}"
    rows = [{"sku": f"A{number}", "count": 2, "price": 1.25}]
    order = {"order_id": order_id, "status": "paid", "placed": "2026-03-11", "rows": rows, "total": 2.5}
    stock = [{"sku": row["sku"], "left": number, "unit": "piece"} for row in rows]
    return [
        Call("get_order", {"order_id": order_id}, order, task=name, session=name),
        Call("list_stock", {"order_id": order_id, "limit": 3}, stock, task=name, session=name),
    ]


CONVERSATIONS = [calls_of(number) for number in range(15)]
CALLS = [call for some in CONVERSATIONS for call in some]


def answering(calls):
    """Return the tools of the shop as functions that answer one call after the other."""
    results = iter([call.result for call in calls])

    def get_order(order_id: str) -> Any:
        """Get an order.

        Args:
            order_id: Which.
        """
        return next(results)

    def list_stock(order_id: str, limit: int) -> Any:
        """List what is left of the things in an order.

        Args:
            order_id: Which.
            limit: How many.
        """
        return next(results)

    return [get_order, list_stock]


def converse(adapter, **how):
    """Have one conversation after the other, and return what the framework recorded of them."""
    talk = framework(adapter).talk
    return [
        record
        for some in CONVERSATIONS
        for record in talk(
            answering(some), [(call.tool, dict(call.arguments)) for call in some], some[0].session, **how
        ).records
    ]


def recorded(adapter, path, **how):
    """Return the calls that the adapter records under a path, which is written in the background."""
    converse(adapter, **how)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        found = list(read_traces(files)) if all(file.exists() for file in files) else []
        if len(found) >= len(CALLS):
            return found
        time.sleep(0.1)
    raise AssertionError(f"{len(found)} of {len(CALLS)} calls were recorded")


def said(calls):
    return [(call.tool, call.arguments, call.result, call.error) for call in calls]


@ADAPTER
def test_what_is_recorded_is_what_was_called(adapter, tmp_path):
    path = tmp_path / "traces.jsonl"
    calls = recorded(adapter, path, record=path)
    assert said(calls) == said(CALLS)
    assert len({call.session for call in calls}) == len({call.session for call in CALLS})


@ADAPTER
def test_a_folder_that_is_learned_in_has_the_calls_and_their_events(adapter, tmp_path):
    folder = tmp_path / "state"
    assert said(recorded(adapter, folder / "traces", learn=folder)) == said(CALLS)
    assert (folder / "stages.sqlite").exists()
    opened(None, None, folder).watch.close()
    events = list(read_events(folder / "events.sqlite"))
    assert [event["tool"] for event in events] == [call.tool for call in CALLS]


@pytest.mark.parametrize("adapter", EXPORTED)
def test_what_the_framework_exports_is_what_was_called(adapter, tmp_path):
    path = tmp_path / "export.jsonl"
    records = converse(adapter, record=tmp_path / "traces.jsonl")
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    assert said(import_traces([path])) == said(CALLS)
