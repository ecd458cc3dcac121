"""A state is all that mining keeps: exact, mergeable, the same whatever the order and the split."""

import gzip
import json

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors.exceptions import ContractError
from outcome_monitors.mining.observations import PROFILES, Observations
from outcome_monitors.mining.state import VERSION, from_state, load_state, save_state, state_beside, to_state
from outcome_monitors_study.world import nominal_traces
from tests import strategies

WORLD = tuple(nominal_traces(16))

calls = st.lists(strategies.calls, max_size=12)


def observed(some, profile):
    observations = Observations(profile)
    for call in some:
        observations.add(call)
    return observations


def stored(observations):
    """Return observations as they come back from a file."""
    return from_state(json.loads(json.dumps(to_state(observations))))


def text(observations):
    return json.dumps(to_state(observations))


@pytest.mark.parametrize("profile", PROFILES)
@settings(max_examples=25, deadline=None)
@given(calls)
def test_what_comes_back_is_what_was_kept(profile, some):
    before = observed(some, profile)
    back = stored(before)
    assert text(back) == text(before)
    assert back.contracts() == before.contracts()


@pytest.mark.parametrize("profile", PROFILES)
@settings(max_examples=25, deadline=None)
@given(calls, calls)
def test_merging_what_comes_back_is_merging(profile, some, more):
    here, there = observed(some, profile), observed(more, profile)
    back = stored(here)
    back.merge(stored(there))
    here.merge(there)
    assert text(back) == text(here)


def test_the_file_is_the_same_each_time_and_small(tmp_path):
    observations = observed(WORLD, "full")
    save_state(tmp_path / "a.gz", observations)
    save_state(tmp_path / "b.gz", load_state(tmp_path / "a.gz"))
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert state_beside(tmp_path / "contracts.json") == tmp_path / "contracts.state.json.gz"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{}", "no state of mining, or is cut short"),
        (gzip.compress(b'{"format"'), "no state of mining, or is cut short"),
        (gzip.compress(b"[]"), "is no state of mining; name the file"),
        (gzip.compress(b'{"format": "outcome-monitors/state", "version": 99}'), "version 99"),
        (
            gzip.compress(json.dumps({"format": "outcome-monitors/state", "version": VERSION}).encode()),
            "is damaged: its digest",
        ),
    ],
    ids=["not packed", "cut short", "no object", "newer", "damaged"],
)
def test_a_file_that_is_no_state_is_refused(tmp_path, content, said):
    path = tmp_path / "state.gz"
    path.write_bytes(content)
    with pytest.raises(ContractError, match=said):
        load_state(path)
