"""An alarm explains itself: the order of violations, their support, and the closest clean value."""

import json
import re

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Clause, Contract, Monitor, Registry, Violation
from outcome_monitors.alerting.policy import BrokenClause, Detection
from outcome_monitors.checking.forms import CODE
from outcome_monitors.checking.localization import localize, redacted
from outcome_monitors.rules import KINDS, evaluate
from tests.places import DOCS
from tests.strategies import json_values

CAUSES = (
    CODE,
    "error",
    "reported_failure",
    "failed_items",
    "lost_write",
    "false_empty",
    "unknown_id",
    "deleted_shown",
    "anomalous_text",
    "missing_content",
    "garbled_text",
    "argument",
    "request_honored",
    "write_applied",
    "other_id",
    "distinct_per_query",
    "repeated_answer",
    "changes_after_write",
    "stale_version",
    "memory",
    "functional_dependency",
    "required_members",
    "fields_equal",
    "contains_id",
    "linear",
    "own_claims",
    "impossible_value",
    "other_count",
    "before",
    "template",
    "time",
)
"""The kinds that name a cause, the most telling first."""


def clause(kind, path="x", tasks=7, **params):
    KINDS[kind].validate(params, "here")
    return Clause(kind, path, params, 9, tasks, "traces")


def explained(pairs):
    broken = tuple(BrokenClause(*pair) for pair in pairs)
    return [*redacted(localize(Detection("t", broken)).broken)]


def closest(one, observed):
    return KINDS[one.kind].closest(one, observed)


STATUS = clause("domain", values=["delivered", "pending", "sent"])
FORM = clause("form", reading="classes", forms=["AA-0000", "a"])
RANGE = clause("range", low=0, high=50.5, room="narrow")
LENGTH = clause("length", of="text", least=2, most=12, room="narrow")


@pytest.mark.parametrize(
    ("one", "result", "expected"),
    [
        (STATUS, "delivred", "delivered"),
        (STATUS, " PENDNG", "pending"),
        (STATUS, "pending_review", "pending"),
        (STATUS, "lost", None),
        (STATUS, "", None),
        (FORM, "AB-12c4", "AA-0000"),
        (FORM, "????", None),
        (RANGE, 5000, 50.5),
        (RANGE, -1, 0),
        (RANGE, float("nan"), None),
        (RANGE, 10**50, None),
        (LENGTH, "", "2 characters"),
        (LENGTH, "a" * 40, "12 characters"),
        (clause("type", kinds=["integer"]), "12", None),
        (clause("positive"), -1, None),
    ],
)
def test_the_closest_clean_value_of_each_kind(one, result, expected):
    monitor = Monitor(Registry({"t": Contract("t", (one,))}))
    (violation,) = monitor.check("t", {}, {"x": result})
    assert (violation.tasks, violation.closest) == (7, expected)
    assert type(violation.closest) is type(expected)


@given(observed=json_values | st.text() | st.integers(10**30) | st.text(alphabet="0123456789 "))
@settings(max_examples=200, deadline=None)
def test_the_closest_value_passes_or_is_none_whatever_was_observed(observed):
    for one in (STATUS, RANGE):
        found = closest(one, observed)
        json.dumps(found, allow_nan=False)
        assert found is None or list(evaluate([one], {}, {"x": found})) == []
    assert closest(FORM, observed) in (None, "AA-0000", "a")
    assert closest(LENGTH, observed) in (None, *(f"{n} characters" for n in range(2, 13)))


def test_what_names_the_cause_comes_first_and_the_rest_stays_in_order():
    kinds = [*(kind for kind in KINDS if kind != "memory"), "memory", CODE]
    broken = [(Clause(kind, "x", {}, 1, 1, "traces"), Violation(kind, "x", 0, 0, "")) for kind in kinds]
    told = [one.kind for one, _ in explained(broken)]
    assert told == [*CAUSES, *(kind for kind in KINDS if kind not in CAUSES)]


def test_a_contradiction_of_the_session_comes_first_with_its_support():
    clauses = (
        clause("domain", "status", values=["open", "shut"]),
        clause("memory", "", key=".order_id", field=".status", tasks=11),
    )
    session = Monitor(Registry({"get_order": Contract("get_order", clauses)})).session()
    order = {"order_id": "W1", "status": "open"}
    assert session.check("get_order", {"order_id": "W1"}, order) == ()
    found = session.check("get_order", {"order_id": "W1"}, {**order, "status": "opened"})
    assert [(v.code, v.tasks, v.closest) for v in found] == [
        ("remembered_fact_contradicted", 11, None),
        ("unseen_category", 7, "open"),
    ]


def test_the_example_on_the_page_runs():
    page = (DOCS / "reference" / "receipts.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(example, {})


def test_the_page_names_the_causes_in_their_order():
    page = (DOCS / "reference" / "receipts.md").read_text(encoding="utf-8")
    table = page.partition("## Which violation comes first")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"\[`(\w+)`\]\(", table)) == CAUSES
