"""What the tests of the page are made of: observations of a small shop, and hostile ones."""

from datetime import UTC, datetime, timedelta

from outcome_monitors import Registry, Relations
from outcome_monitors.events import CLEAN, FLAGGED, NOT_CHECKED, NOT_COVERED
from outcome_monitors.model import Clause, Contract, Violation
from outcome_monitors_server.report import Observation, TeamReport, TeamTally

BEGIN = datetime(2026, 3, 1, 9, tzinfo=UTC)


def alarm(tool="get_order", code="nonpositive_value", path="total", **more) -> Observation:
    detail = f"nominally positive field {path} is not positive"
    return Observation(
        tool,
        FLAGGED,
        violations=[Violation(code, path, "> 0", -62.5, detail, tasks=6, closest=12.5)],
        **{
            "receipt": {"status": "inconsistent", "admissible_recovery_tools": [tool, "find_order"]},
            "listed": (tool, "find_order"),
            "payload": {"arguments": {"order_id": "W1"}, "result": {"total": -62.5}},
            **more,
        },
    )


def tallied(*observations: Observation) -> TeamTally:
    tally = TeamTally()
    for seen in observations:
        tally.add(seen)
    return tally


def shop() -> TeamReport:
    """A report with every part but the audit."""
    clauses = (
        Clause("required", "total", {}, 12, 6, "traces"),
        Clause("positive", "total", {}, 12, 6, "traces"),
    )
    seen = [
        alarm(session="a", time=BEGIN, where="today.jsonl:1"),
        Observation("get_order", CLEAN, BEGIN, "a"),
        alarm(session="b", time=BEGIN + timedelta(days=2)),
        Observation("find_order", NOT_COVERED, BEGIN + timedelta(days=2), "b"),
        Observation("cancel_order", NOT_CHECKED, None, "b"),
    ]
    return TeamReport(
        Registry({"get_order": Contract("get_order", clauses)}, "paper"),
        tallied(*seen),
        Relations.declared({"get_order": ["find_order"]}),
        tallied(alarm(told=True, session="c", time=BEGIN), Observation("find_order", CLEAN, BEGIN, "c")),
        traces=["today.jsonl"],
        contracts="contracts.json",
        skipped=1,
        made_from={"relations": "relations.json"},
    )
