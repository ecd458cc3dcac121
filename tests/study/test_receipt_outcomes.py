"""What is counted of receipts, on a few calls written by hand."""

from outcome_monitors_study._receipt_outcomes import look, took_what_was_listed


def call(tool, **more):
    given = {"tool": tool, "by": "agent", "arguments": {}, "raw": {}, "delivered": "{}"}
    return {**given, **more}


def receipt(*listed, intact=True):
    return {
        "receipt": {"status": "inconsistent"},
        "receipt_schema_version": "generic",
        "listed": list(listed),
        "intact": intact,
    }


def episode(*calls, stratum="C3/P4", completed=True, **score):
    return {"calls": list(calls), "stratum": stratum, "completed": completed, "score": score, "usage": {}}


def counted(*records):
    return look(records, lambda stratum: stratum.endswith("P0"))


FAULT = {"injection": [{"path": "$.n", "true": 1, "seen": 2}], "fault": "physics_violation"}
BROKEN = {"violations": [{"code": "nonpositive_value", "path": "n"}]}


def test_clean_episodes_with_a_receipt_are_counted_apart():
    found = counted(
        episode(call("a", **receipt("b")), call("a", **receipt("b")), stratum="C3/P0"),
        episode(call("a"), stratum="C4/P0", completed=False),
        episode(call("a", **receipt("b"))),
    )
    names = ("clean", "clean and completed", "clean receipts", "clean and flagged")
    assert [found[name] for name in names] == [2, 1, 2, 1]


def test_why_nothing_was_injected_and_what_contracts_covered():
    found = counted(
        episode(call("a", covered=True, **FAULT, **BROKEN), call("a", covered=False, **FAULT)),
        episode(call("b"), not_injected="its target was never called"),
        episode(call("a"), not_injected=None),
    )
    assert found.missed == {"its target was never called": 1}
    assert found.by_fault == {"physics_violation": {"injected": 2, "flagged": 1, "covered": 1}}


def test_warnings_that_were_held_back_and_never_delivered():
    found = counted(episode(call("a", **BROKEN), call("a", **BROKEN), call("b", **receipt("a"))))
    assert (found["suppressed"], found["receipts"]) == (2, 1)


def test_envelopes_without_a_list_or_with_another_result_show():
    found = counted(
        episode(call("a", **receipt("b")), call("a", **receipt()), call("a", **receipt("b", intact=False)))
    )
    assert found.by_version == {"generic": {"receipts": 3, "listing": 2, "intact": 2}}


def test_a_call_that_was_sent_back_is_no_call():
    sent_back = {"tool": "b", "by": "agent", "arguments": {}, "executed": False, "delivered": "{}"}
    found = counted(episode(call("a", **receipt("b")), sent_back, call("c")))
    assert (found["calls"], found["rejected"]) == (2, 1)
    assert found.first_actions == {"other": 1}


def test_a_listed_tool_counts_where_it_is_called_for_the_first_time_after_the_list():
    told = call("a", **receipt("a", "b"))
    assert took_what_was_listed(episode(told, call("c"), call("b")))
    assert not took_what_was_listed(episode(call("b"), told, call("b")))
    assert not took_what_was_listed(episode(told, call("a")))
