"""Several processes observe what one does, byte for byte."""

import os
from itertools import zip_longest

import pytest

from outcome_monitors import Call
from outcome_monitors.mining.observations import PROFILES, Observations
from outcome_monitors.mining.parallel import each_part, observe_in_processes
from outcome_monitors_study.world import nominal_traces
from tests.mining.described import described

WORLD = tuple(nominal_traces(16))


def observed(some, profile):
    observations = Observations(profile)
    for call in some:
        observations.add(call)
    return observations


def interleaved():
    """Return the calls of all sessions in turns."""
    sessions: dict[str, list[Call]] = {}
    for call in WORLD:
        sessions.setdefault(str(call.session), []).append(call)
    return [call for turn in zip_longest(*sessions.values()) for call in turn if call is not None]


@pytest.mark.parametrize("profile", PROFILES)
def test_processes_change_nothing_also_where_sessions_are_interleaved(profile):
    together = Observations(profile)
    observe_in_processes(interleaved(), together, 3)
    assert together.calls == len(WORLD)
    assert (
        described(together)
        == described(observed(interleaved(), profile))
        == described(observed(WORLD, profile))
    )


def test_clauses_are_tried_in_several_processes_with_the_same_outcome():
    observations = observed(WORLD, "full")
    assert observations.contracts(2) == observations.contracts()


def test_a_process_that_is_ended_from_outside_is_told():
    here = os.getpid()

    def ends(_part):
        if os.getpid() == here:
            pytest.skip("other threads are at work, and nothing is forked")
        os._exit(0)

    with pytest.raises(ValueError, match="ended without a word"), each_part(ends, 3, 2) as made:
        list(made)
