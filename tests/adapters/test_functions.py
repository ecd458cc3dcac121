"""Any function: clean results are the very same object, wrong ones carry a receipt, failures pass."""

import asyncio
import json
import logging
from decimal import Decimal
from types import SimpleNamespace

import pytest

from outcome_monitors.adapters.functions import calling, run, watched
from outcome_monitors.events import Payloads, Watch
from outcome_monitors.receipts.carriers import beside
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, Broken, get_order, is_receipt, watching
from tests.events.shop import Kept, contracts, monitor, order, remembering


@pytest.fixture
def quiet(caplog):
    """Let tests whose own code raises log nothing."""
    with caplog.at_level(logging.CRITICAL, "outcome_monitors"):
        yield


def test_a_wrong_object_gets_an_envelope_with_the_same_object_inside(tmp_path):
    contracts().save(tmp_path / "contracts.json")
    for watch in (watching()[0], tmp_path / "contracts.json"):
        found = watched(watch, carry=beside)(get_order)(BAD)
        assert found["tool_result"] is WRONG
        assert is_receipt(found["outcome_contract"])


def test_a_wrong_result_keeps_its_type_and_the_log_tells_of_it(caplog):
    watch, _ = watching()
    assert watched(watch)(get_order)(BAD) is WRONG
    [said] = caplog.messages
    assert "a result of 'get_order' is inconsistent" in said
    text = json.dumps(WRONG)
    assert watched(watch, name="get_order")(lambda: text)().startswith(f"{text}\n\n")


def test_a_callback_is_given_the_receipt_and_one_that_raises_changes_nothing(quiet):
    watch, _ = watching()
    heard = []
    assert watched(watch, tell=lambda *told: heard.append(told))(get_order)(BAD) is WRONG
    [(tool, result, receipt)] = heard
    assert (tool, result is WRONG, is_receipt(receipt)) == ("get_order", True, True)
    assert watched(watch, tell=lambda *_: 1 // 0)(get_order)(BAD) is WRONG


def test_an_exception_passes_as_it_is_and_is_not_checked():
    watch, kept = watching()
    with pytest.raises(Broken, match="the shop is closed"):
        watched(watch)(get_order)(RAISES)
    [event] = kept.events
    assert (event.outcome, event.why) == ("not_checked", "the call raised Broken")


def test_methods_that_are_awaited():
    watch, kept = watching()

    class Shop:
        @watched(watch, carry=beside)
        async def get_order(self, number):
            await asyncio.sleep(0)
            return get_order(number)

    async def talk():
        shop = Shop()
        with pytest.raises(Broken):
            await shop.get_order(RAISES)
        return await asyncio.gather(shop.get_order(CLEAN), shop.get_order(number=BAD))

    clean, wrong = asyncio.run(talk())
    assert clean == order(1)
    assert wrong["tool_result"] is WRONG
    assert kept.outcomes == ["not_checked", "clean", "flagged"]


def test_arguments_have_their_names_and_an_instance_is_none_of_them():
    kept = Kept()
    watch = Watch(monitor(), kept, payloads=Payloads())

    class Shop:
        @watched(watch)
        def get_order(self, id, currency="EUR", *, lang="en", result=None, run=None):
            return order(1)

    Shop().get_order("W1", lang="de", result=1, run=2)
    assert json.loads(kept.events[0].payload.arguments) == {"id": "W1", "lang": "de", "result": 1, "run": 2}


def test_any_code_by_a_context_manager():
    watch, kept = watching()
    with calling(watch, "get_order", {"id": "W2"}) as call:
        found = call.observe(get_order(BAD))
    assert found["tool_result"] is WRONG
    with pytest.raises(Broken), calling(watch, "get_order", {"id": "W3"}) as call:
        call.observe(get_order(RAISES))
    assert kept.outcomes == ["flagged", "not_checked"]


def test_the_functions_of_a_run_share_a_memory_and_runs_do_not():
    watch = Watch(remembering(), kept := Kept())
    results = iter(["paid", "sent", "sent", "paid"])

    def get():
        return {"order_id": "W1", "status": next(results)}

    one, other = (watched(watch, name="get_order")(get) for _ in range(2))
    with run("a"):
        one()
        other()
    with run("b"):
        one()
    one()
    assert [(event.session, event.outcome) for event in kept.events] == [
        ("a", "clean"),
        ("a", "flagged"),
        ("b", "clean"),
        (None, "clean"),
    ]


FORMS = {
    "text": json.dumps,
    "python types": lambda result: {**result, "total": Decimal(str(result["total"]))},
    "blocks": lambda result: [{"type": "text", "text": json.dumps(result)}],
    "message": lambda result: ToolMessage(content=json.dumps(result), tool_call_id="c1", artifact=None),
    "mcp": lambda result: {"content": [{"type": "text", "text": json.dumps(result)}], "isError": False},
}


class ToolMessage(SimpleNamespace):
    """LangChain's message, known by its name and its fields."""


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_result_is_checked_in_whatever_form_it_comes(form):
    watch, kept = watching()
    get = watched(watch, name="get_order", tell=lambda *_: None)(lambda id: form(get_order(id)))
    get(CLEAN)
    get(BAD)
    assert kept.outcomes == ["clean", "flagged"]


class Odd:
    """A model that cannot be read."""

    def model_dump(self):
        return {}


@pytest.mark.parametrize("result", [(number for number in range(3)), Odd()], ids=["generator", "odd"])
def test_what_is_not_json_is_handed_on_and_not_checked(result, quiet):
    watch, kept = watching()
    assert watched(watch)(lambda: result)() is result
    assert kept.events[0].why == "the result is not JSON"


def test_runs_of_tasks_at_once_do_not_mix():
    watch = Watch(remembering(), kept := Kept())
    get = watched(watch, name="get_order")(lambda status: {"order_id": "1", "status": status})

    async def talk(name):
        with run(name):
            for _ in range(3):
                await asyncio.sleep(0)
                get(name)

    async def all_at_once():
        await asyncio.gather(*(talk(f"run {number}") for number in range(20)))

    asyncio.run(all_at_once())
    assert set(kept.outcomes) == {"clean"}


def test_a_watch_that_breaks_leaves_the_result(monkeypatch, quiet):
    watch, _ = watching()
    monkeypatch.setattr(watch, "run", None)
    assert watched(watch)(get_order)(BAD) is WRONG
    with pytest.raises(Broken):
        watched(watch)(get_order)(RAISES)
