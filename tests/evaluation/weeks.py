"""Two weeks of a small shop: in the second, orders have one more field, and nothing else is new."""

from dataclasses import replace

from outcome_monitors import Call
from tests.evaluation.shop import order, shop

TASKS = 40


def first_week() -> list[Call]:
    """Return what is learned from."""
    return shop(TASKS)


def second_week(tasks: int = TASKS) -> list[Call]:
    """Return other orders of the same shop, each with a field that was never there."""
    return [_with_gift(1000 + number) for number in range(tasks)]


def _with_gift(number: int) -> Call:
    # The same range of totals as before: only the field is new.
    call = order(number, session=None)
    result = {**call.result, "total": 10.5 + (number % TASKS) ** 2, "gift": None}
    return replace(call, result=result, extra={"time": f"2026-08-{1 + number % 28:02}T08:00:00Z"})
