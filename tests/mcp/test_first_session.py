"""In the first session before a real server, agents are told of wrong results once eight right ones are known."""

import pytest

pytest.importorskip("mcp_types", reason="needs the official SDK, of major version 2")

from bench.first_session import KINDS, TOOL, own_trials, right_sessions, told


def test_a_wrong_result_has_a_receipt_after_eight_right_ones():
    trials, kind = dict(own_trials(list(right_sessions()), 8)), "a list in place of an object"
    assert tuple(trials) == KINDS
    assert {call.tool for call in trials[kind]} == {TOOL}
    assert told(trials[kind]) == [False] * 8 + [True]


def test_right_results_of_a_whole_session_have_none():
    assert not any(told(next(right_sessions())))
