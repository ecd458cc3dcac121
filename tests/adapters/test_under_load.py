"""Adapters where much goes on: large results, event loops, worker processes."""

import asyncio
import json
import multiprocessing
import pickle
import time
from concurrent.futures import ProcessPoolExecutor

import pytest

from outcome_monitors import Monitor, Watch
from outcome_monitors.adapters import _limits
from outcome_monitors.adapters.functions import InconsistentResult, watched
from outcome_monitors.exceptions import MissingExtra
from tests.adapters.shop import watching
from tests.events.shop import contracts, monitor, order

LONG = [{"id": f"W{number}", "total": 1.5, "note": "x" * 60, "status": "sent"} for number in range(20_000)]
"""Two megabytes as JSON."""


def test_the_event_loop_goes_on_while_two_megabytes_are_checked():
    @watched(Watch(Monitor()))
    async def rows_of(wide):
        return LONG if wide else LONG[:1]

    async def turns_during(wide):
        """Return how often the event loop came to others while a result was checked."""
        turns, others = 0, True

        async def turn():
            nonlocal turns
            while others:
                await asyncio.sleep(0)
                turns += 1

        task = asyncio.create_task(turn())
        await asyncio.sleep(0)
        assert await rows_of(wide) == (LONG if wide else LONG[:1])
        others = False
        await task
        return turns

    assert asyncio.run(turns_during(wide=True)) > 10
    # What is small is not worth a thread.
    assert asyncio.run(turns_during(wide=False)) <= 3


@pytest.mark.parametrize("later", [False, True])
def test_what_takes_too_long_is_handed_on_unchecked_and_told_to_nobody(later, monkeypatch):
    monkeypatch.setattr(_limits, "SECONDS", 0.05)
    watch, kept = watching()
    slow = watch.monitor.session

    def sluggish(name):
        until = time.thread_time() + 0.5
        while time.thread_time() < until:
            pass
        return slow(name)

    monkeypatch.setattr(watch.monitor, "session", sluggish)
    wrong = {"id": "W1", "total": -1.0, "status": "sent", "note": "x" * _limits.HEAVY}

    async def get_order():
        return wrong

    began = time.perf_counter()
    if later:
        assert asyncio.run(watched(watch)(get_order)()) is wrong
    else:
        assert watched(watch, name="get_order")(lambda: wrong)() is wrong
    assert time.perf_counter() - began < 0.45
    while not kept.events:
        time.sleep(0.01)
    assert [(event.outcome, event.why) for event in kept.events] == [
        ("not_checked", "the check took too long")
    ]


def test_what_is_too_large_is_not_checked():
    watch, kept = watching()
    text = "x" * _limits.LARGEST
    assert watched(watch, name="get_order")(lambda: text)() is text
    assert [event.why for event in kept.events] == ["the result is too large"]


def test_what_holds_itself_is_handed_on():
    watch, kept = watching()
    own: list[object] = []
    own.append(own)
    assert watched(watch, name="get_order")(lambda: own)() is own
    assert len(kept.events) == 1


def work(job):
    path, number = job
    return watched(record=path, name="get_order")(lambda: order(number))()


def run(path, number):
    work((path, number))


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_records_of_worker_processes_survive_their_end(how, tmp_path):
    path, context = tmp_path / "traces.jsonl", multiprocessing.get_context(how)
    workers = [context.Process(target=run, args=(path, number)) for number in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        list(pool.map(work, [(path, number) for number in range(2, 6)]))
    ids = [json.loads(line)["result"]["id"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert sorted(ids) == sorted(order(number)["id"] for number in range(6))


def test_a_monitor_contracts_or_a_watch_can_be_handed_over_and_sent_to_another_process(tmp_path):
    known = monitor()
    told = []
    for given in (contracts(), known, pickle.loads(pickle.dumps(Watch(known)))):
        watched(given, name="get_order", tell=lambda *seen: told.append(seen))(lambda: order(1, total=-1.0))()
    assert len(told) == 3
    with Watch.open(events=str(tmp_path / "events.jsonl")) as watch:
        watch.conversation().look("get_order", {}, {"error": "upstream returned 503"})
    assert '"outcome": "flagged"' in (tmp_path / "events.jsonl").read_text(encoding="utf-8")
    assert "Watch of" in repr(pickle.loads(pickle.dumps(watch)))


def test_errors_are_what_others_expect():
    assert issubclass(MissingExtra, ImportError)
    error = InconsistentResult("get_order", {"total": -1}, {"status": "inconsistent"})
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
