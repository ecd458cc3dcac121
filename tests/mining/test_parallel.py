"""Several processes observe what one does, byte for byte, and tell of bad lines in their order."""

import json
import os
from itertools import zip_longest

import pytest
from hypothesis import example, given, strategies as st

from outcome_monitors import Call
from outcome_monitors.exceptions import TraceError
from outcome_monitors.mining.buckets import shard_of
from outcome_monitors.mining.forks import each_part
from outcome_monitors.mining.observations import PROFILES, Observations
from outcome_monitors.mining.parallel import bucket_of_line, observe_in_processes
from outcome_monitors.mining.state import to_state
from outcome_monitors.traces.reader import call_to_json, parse_line, read_lines
from outcome_monitors_study.world import nominal_traces
from tests.strategies import json_values

WORLD = tuple(nominal_traces(16))


def text(observations):
    return json.dumps(to_state(observations))


def observed(some, profile):
    observations = Observations(profile)
    for call in some:
        observations.add(call)
    return observations


def as_lines(some):
    return [(0, number, json.dumps(call_to_json(call)).encode()) for number, call in enumerate(some, 1)]


def interleaved():
    """Return the calls of all sessions in turns."""
    sessions: dict[str, list[Call]] = {}
    for call in WORLD:
        sessions.setdefault(str(call.session), []).append(call)
    return [call for turn in zip_longest(*sessions.values()) for call in turn if call is not None]


@pytest.mark.parametrize("profile", PROFILES)
def test_processes_change_nothing_also_where_sessions_are_interleaved(profile):
    together = Observations(profile)
    share = observe_in_processes(as_lines(interleaved()), together, 3)
    assert share.calls == len(WORLD)
    assert text(together) == text(observed(interleaved(), profile)) == text(observed(WORLD, profile))


def test_of_more_sessions_than_are_held_the_same_are_forgotten_in_any_split():
    many = [
        Call("get_order", {"id": n % 3}, {"order_id": n % 3, "status": turn}, task=str(n), session=f"s{n}")
        for turn in range(2)
        for n in range(1500)
    ]
    together = Observations("full")
    observe_in_processes(as_lines(many), together, 2)
    assert text(together) == text(observed(many, "full"))


sessions = st.sampled_from(["a", "1", "é", "\ud800", 'q"', "s\\n", "session"]) | st.integers(0, 2) | st.none()
holders = st.sampled_from(["session", "sess", "text", 'a"session"', '"session": "b"'])


@given(sessions, st.dictionaries(holders, json_values | sessions, max_size=3), st.booleans(), st.booleans())
@example("a", {"session": "b"}, True, True)
def test_a_line_goes_where_its_session_goes_however_it_is_written(session, result, ascii_only, first):
    fields = {"tool": "get", "result": result}
    with_session = {"session": session, **fields} if first else {**fields, "session": session}
    line = json.dumps(with_session, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    try:
        call = parse_line(line)
    except TraceError:
        return
    if call.session is not None:
        assert bucket_of_line(line, 7) == shard_of(call)


@pytest.mark.parametrize(
    "line",
    [
        rb'{"tool": "get", "result": 1, "sess\u0069on": "a"}',
        rb'{"tool": "get", "result": 1, "\u0073ession": "a", "text": "\\"}',
        rb'{"tool": "get", "result": 1, "session": "\u0061"}',
        rb'{"tool": "get", "result": "session", "session"  :"a"}',
        rb'{"tool": "get", "result": {"session": "b"}, "session": "a"}',
        rb'{"session": "b", "tool": "get", "result": 1, "session": "a"}',
    ],
)
def test_the_session_is_found_in_odd_places(line):
    assert bucket_of_line(line, 5) == shard_of(Call("get", {}, 1, session="a"))


def test_lines_without_a_session_are_dealt_out():
    line = b'{"tool": "get", "result": 1}'
    assert len({bucket_of_line(line, number) for number in range(50)}) == 50


def test_clauses_are_tried_in_several_processes_with_the_same_outcome():
    observations = observed(WORLD, "full")
    assert observations.contracts(2) == observations.contracts()


def test_what_a_part_of_the_work_raises_is_raised_here():
    def fail(part):
        raise TraceError(f"part {part}")

    with pytest.raises(TraceError, match="part 0"), each_part(fail, 3, 2) as made:
        list(made)
    with each_part(str, 3, 2) as made:
        assert list(made) == ["0", "1", "2"]


def test_a_process_that_is_ended_from_outside_is_told():
    here = os.getpid()

    def ends(_part):
        if os.getpid() == here:
            pytest.skip("other threads are at work, and nothing is forked")
        os._exit(0)

    with pytest.raises(ValueError, match="ended without a word"), each_part(ends, 3, 2) as made:
        list(made)


class Broken:
    """Something that can be sent, and not received."""

    def __reduce__(self):
        return int, ("no number",)


def test_a_process_that_fails_says_why():
    with pytest.raises(ValueError, match="a process of --workers failed: ValueError.*no number"):
        observe_in_processes([(0, 1, {"tool": "get", "result": Broken()})] * 3, Observations("full"), 2)


def test_lines_are_found_and_not_parsed(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"\xef\xbb\xbf{}\n\n  \nno call")
    assert list(read_lines([path])) == [(0, 1, b"{}\n"), (0, 4, b"no call")]
