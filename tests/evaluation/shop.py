"""Clean calls of a small shop, and faults made for the tests of the audit."""

from collections.abc import Callable
from dataclasses import replace

from outcome_monitors import Call
from outcome_monitors.evaluation.faults import Fault, Subject
from outcome_monitors.model import Json

STATUSES = ("delivered", "pending", "sent")


def order(number: int, status: str | None = None, *, session: str | None = "") -> Call:
    """Return the look at one order, in a task and a session of its own."""
    return Call(
        "get_order",
        {"id": f"W{number}"},
        {
            "id": f"W{number}",
            "status": status or STATUSES[number % 3],
            "total": 10.5 + number * number,
            "rows": number % 4,
        },
        task=f"shop/{number}",
        session=f"run-{number}" if session == "" else session,
    )


def stock(number: int) -> Call:
    """Return a second call of the same run."""
    result = {"item": f"I{number}", "count": number + 1, "note": "as counted on the shelf"}
    return Call("get_stock", {"item": f"I{number}"}, result, task=f"shop/{number}", session=f"run-{number}")


def shop(tasks: int = 24) -> list[Call]:
    """Return the calls of so many tasks, two in each."""
    return [call for number in range(tasks) for call in (order(number), stock(number))]


def fault(
    name: str,
    apply: Callable[[Subject], Json],
    *,
    suite: str = "toolmaze",
    pattern: str = "T1",
    needs: str = "field",
) -> Fault:
    """Return a fault of the test's own."""
    return Fault(name, suite, pattern, needs, apply)


def later_shop(tasks: int = 40) -> list[Call]:
    """Return other orders of the same shop, each with a field that was never there before."""
    return [_with_gift(1000 + number) for number in range(tasks)]


def _with_gift(number: int) -> Call:
    # The same range of totals as before: only the field is new.
    call = order(number, session=None)
    result = {**call.result, "total": 10.5 + (number % 40) ** 2, "gift": None}
    return replace(call, result=result, extra={"time": f"2026-08-{1 + number % 28:02}T08:00:00Z"})
