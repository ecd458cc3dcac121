"""Each run has a conversation of its own, by name or by object; memory is bounded and freed."""

import gc
import threading
from itertools import count

from outcome_monitors.events import Watch
from outcome_monitors.events.runs import Runs
from tests.events.shop import monitor


class Run:
    """Equal to every other, and without a hash."""

    def __eq__(self, other):
        return True

    __hash__ = None  # type: ignore[assignment]  # which is how Python spells it


def test_by_name():
    watch = Watch(monitor())
    assert watch.run("a") is watch.run("a")
    assert watch.run("a") is not watch.run("b")
    assert watch.run("a").name == "a"


def test_without_a_name_each_is_new():
    watch = Watch(monitor())
    assert watch.run(None) is not watch.run(None)
    assert watch.run("") is not watch.run("")


def test_by_object_as_long_as_it_lives():
    numbers = count()
    runs = Runs(lambda _name: next(numbers))
    one, other = Run(), Run()
    assert [runs.of(one), runs.of(other), runs.of(one)] == [0, 1, 0]
    del one
    gc.collect()
    assert len(runs) == 1
    assert runs.of(other) == 1


def test_an_object_that_is_equal_to_a_name_is_not_that_run():
    watch = Watch(monitor())
    named, one = watch.run("a"), Run()
    assert watch.run(one) is not named
    assert watch.run("a") is named


def test_no_two_objects_have_one_name():
    watch = Watch(monitor())
    # One after the other, so that they are likely to have the same address.
    names = [watch.run(Run()).name for _ in range(20)]
    assert len(set(names)) == 20


def test_the_one_heard_of_longest_ago_is_forgotten():
    numbers = count()
    runs = Runs(lambda _name: next(numbers), most=2)
    assert [runs.of(name) for name in ("a", "b", "a", "c", "a", "b")] == [0, 1, 0, 2, 0, 3]
    assert len(runs) == 2


def test_many_threads_start_one():
    numbers = count()
    runs = Runs(lambda _name: next(numbers))
    found = []
    threads = [threading.Thread(target=lambda: found.append(runs.of("a"))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {0}
