"""Any function: clean results are the very same object, wrong ones carry a receipt, failures pass."""

import asyncio
import json
import logging

import pytest

from outcome_monitors.adapters.functions import InconsistentResult, calling, run, watched
from outcome_monitors.events import Payloads, Watch
from outcome_monitors.receipts.carriers import beside
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, Broken, found, is_receipt, watching
from tests.events.shop import Kept, contracts, monitor, order, remembering


def test_a_clean_result_is_the_very_same_object():
    watch, kept = watching()
    result = order(1)

    @watched(watch, name="get_order")
    def get(id):
        """Get an order."""
        return result

    assert get("W1") is result
    assert get(id="W1") is result
    assert get.__doc__ == "Get an order."
    assert kept.outcomes == ["clean", "clean"]


def test_a_wrong_object_gets_an_envelope_with_the_same_object_inside():
    watch, kept = watching()
    seen = watched(watch, name="get_order", carry=beside)(found)(BAD)
    assert seen["tool_result"] is WRONG
    assert is_receipt(seen["outcome_contract"])
    assert kept.outcomes == ["flagged"]


def test_shadow_changes_nothing():
    watch, kept = watching("shadow")
    assert watched(watch, name="get_order")(found)(BAD) is WRONG
    assert kept.outcomes == ["flagged"]


def test_an_exception_passes_as_it_is_and_is_not_checked():
    watch, kept = watching()
    with pytest.raises(Broken, match="the shop is closed"):
        watched(watch, name="get_order")(found)(RAISES)
    assert [(event.outcome, event.why) for event in kept.events] == [
        ("not_checked", "the call raised Broken")
    ]


def test_async_functions_and_methods():
    watch, kept = watching()

    class Shop:
        @watched(watch, carry=beside)
        async def get_order(self, number):
            await asyncio.sleep(0)
            return found(number)

    async def talk():
        shop = Shop()
        with pytest.raises(Broken):
            await shop.get_order(RAISES)
        return await asyncio.gather(shop.get_order(CLEAN), shop.get_order(number=BAD))

    clean, wrong = asyncio.run(talk())
    assert clean == order(1)
    assert wrong["tool_result"] is WRONG
    assert kept.outcomes == ["not_checked", "clean", "flagged"]


def test_the_arguments_have_their_names_and_an_instance_is_none_of_them():
    kept = Kept()
    watch = Watch(monitor(), kept, payloads=Payloads())

    class Shop:
        @watched(watch)
        def get_order(self, id, currency="EUR", *, lang="en"):
            return order(1)

    Shop().get_order("W1", lang="de")
    assert json.loads(kept.events[0].payload.arguments) == {"id": "W1", "lang": "de"}


def test_any_code_by_a_context_manager():
    watch, kept = watching()
    with calling(watch, "get_order", {"id": "W2"}) as call:
        seen = call.observe(found(BAD))
    assert seen["tool_result"] is WRONG
    with pytest.raises(Broken), calling(watch, "get_order", {"id": "W3"}) as call:
        call.observe(found(RAISES))
    assert kept.outcomes == ["flagged", "not_checked"]


def test_the_functions_of_a_run_share_a_memory_and_runs_do_not():
    kept = Kept()
    watch = Watch(remembering(), kept)
    results = iter(["paid", "sent", "sent"])

    def get():
        return {"order_id": "W1", "status": next(results)}

    one, other = watched(watch, name="get_order")(get), watched(watch, name="get_order")(get)
    with run("a"):
        one()
        other()
    with run("b"):
        one()
    assert [(event.session, event.outcome) for event in kept.events] == [
        ("a", "clean"),
        ("a", "flagged"),
        ("b", "clean"),
    ]


def test_runs_of_tasks_at_once_do_not_mix():
    kept = Kept()
    get = watched(Watch(remembering(), kept), name="get_order")(
        lambda status: {"order_id": "1", "status": status}
    )

    async def talk(name):
        with run(name):
            for _ in range(3):
                await asyncio.sleep(0)
                get(name)

    async def all_at_once():
        await asyncio.gather(*(talk(f"run {number}") for number in range(20)))

    asyncio.run(all_at_once())
    assert set(kept.outcomes) == {"clean"}


def test_calls_outside_a_run_remember_nothing():
    kept = Kept()
    get = watched(Watch(remembering(), kept), name="get_order")(
        lambda status: {"order_id": "1", "status": status}
    )
    get("paid")
    get("sent")
    assert kept.outcomes == ["clean", "clean"]


def test_what_is_not_json_is_handed_on_and_not_checked():
    watch, kept = watching()
    rows = (number for number in range(3))
    assert watched(watch, name="get_order")(lambda: rows)() is rows
    assert kept.events[0].why == "the result is not JSON"


def test_a_model_that_cannot_be_read_is_handed_on_and_not_checked(caplog):
    watch, kept = watching()

    class Odd:
        def model_dump(self):
            return {}

    odd = Odd()
    with caplog.at_level(logging.CRITICAL, "outcome_monitors"):
        assert watched(watch, name="get_order")(lambda: odd)() is odd
    assert kept.outcomes == ["not_checked"]


def test_a_contract_file_will_do(tmp_path):
    contracts().save(tmp_path / "contracts.json")
    seen = watched(tmp_path / "contracts.json", name="get_order", carry=beside)(found)(BAD)
    assert is_receipt(seen["outcome_contract"])


def test_a_carrier_that_raises_leaves_the_result(caplog):
    watch, _ = watching()

    def broken(_result, _receipt):
        raise ValueError("no")

    with caplog.at_level(logging.CRITICAL, "outcome_monitors"):
        assert watched(watch, name="get_order", carry=broken)(found)(BAD) is WRONG


def test_a_watch_that_breaks_leaves_the_result(monkeypatch, caplog):
    watch, _ = watching()
    monkeypatch.setattr(watch, "run", None)
    with caplog.at_level(logging.CRITICAL, "outcome_monitors"):
        assert watched(watch, name="get_order")(found)(BAD) is WRONG
        with pytest.raises(Broken):
            watched(watch, name="get_order")(found)(RAISES)


def test_a_wrong_result_keeps_its_type_and_the_log_tells_of_it(caplog):
    watch, _ = watching()
    assert watched(watch, name="get_order")(found)(BAD) is WRONG
    [said] = [record.message for record in caplog.records]
    assert "a result of 'get_order' is inconsistent" in said
    text = json.dumps(WRONG)
    assert json.loads(watched(watch, name="get_order")(lambda: text)())["tool_result"] == WRONG


def test_a_callback_hears_of_it_and_one_that_raises_changes_nothing(caplog):
    watch, _ = watching()
    heard = []
    tell = lambda *told: heard.append(told)  # noqa: E731 - a function of one line
    assert watched(watch, name="get_order", tell=tell)(found)(BAD) is WRONG
    assert [(tool, result is WRONG, is_receipt(receipt)) for tool, result, receipt in heard] == [
        ("get_order", True, True)
    ]
    with caplog.at_level(logging.CRITICAL, "outcome_monitors"):
        assert watched(watch, name="get_order", tell=lambda *_: 1 // 0)(found)(BAD) is WRONG


def test_an_exception_group_of_ones_own():
    class Alarm(ExceptionGroup[Exception]):
        pass

    watch, _ = watching()
    with pytest.raises(Alarm) as raised:
        watched(watch, name="get_order", tell=Alarm)(found)(BAD)
    [inner] = raised.value.exceptions
    assert isinstance(inner, InconsistentResult)
    assert inner.result is WRONG
    assert is_receipt(inner.receipt)
