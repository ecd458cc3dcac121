"""Counting distinct tasks."""

from hypothesis import given, settings, strategies as st

from outcome_monitors import Call
from outcome_monitors.features.walk import task_name
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.rules.evidence.tasks import EXACT, count_tasks, join_tasks, kept


def _counted(names):
    tasks: set[int] = set()
    for name in names:
        join_tasks(tasks, [stable_hash(str(name))])
    return tasks


def test_a_task_is_its_name_else_its_session_else_the_call_itself():
    assert task_name(Call("t", {}, 1, task="a", session="s")) == "a"
    assert task_name(Call("t", {}, 1, session="s")) == "session:s"
    assert task_name(Call("t", {}, 1)) == task_name(Call("t", {}, 1)) != task_name(Call("t", {}, 2))


@given(st.integers(0, EXACT))
@settings(max_examples=20)
def test_counts_are_exact_up_to_a_bound(number):
    assert count_tasks(_counted(range(number))) == number


@given(st.lists(st.integers(0, 3000), max_size=1500), st.lists(st.integers(0, 3000), max_size=1500))
@settings(max_examples=30)
def test_joining_is_the_same_in_any_order(first, second):
    together = _counted(first + second)
    joined = _counted(second)
    join_tasks(joined, _counted(first))
    assert kept(joined) == kept(together)
    assert count_tasks(joined) == count_tasks(together)
