"""OTLP in protobuf: recognised by its bytes, however it is framed; what is cut short or broken is counted."""

import gzip
import sys

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.traces.importers import _protobuf
from tests.traces.importers.test_bad_input import reasons
from tests.traces.importers.test_sources import RECORDED, check_story, imported

SPANS = (RECORDED / "otel_openai_spans.pb").read_bytes()
LOGS = (RECORDED / "otel_openai_logs.pb").read_bytes()


def needs_proto():
    pytest.importorskip("opentelemetry.proto", reason="opentelemetry-proto (extra otlp) is not installed")


def messages(framed):
    """Return the messages of a file in which each follows its length in four bytes."""
    found = []
    while framed:
        length = int.from_bytes(framed[:4], "big")
        found.append(framed[4 : 4 + length])
        framed = framed[4 + length :]
    return found


def varint(number):
    data = b""
    while number > 0x7F:
        data += bytes([number & 0x7F | 0x80])
        number >>= 7
    return data + bytes([number])


FRAMED = {
    "spans": SPANS,
    "logs": LOGS,
    "logs_as_sent": b"".join(messages(LOGS)),
    "logs_delimited": b"".join(varint(len(message)) + message for message in messages(LOGS)),
    "packed": gzip.compress(LOGS),
}


@pytest.mark.parametrize("name", FRAMED)
def test_protobuf_gives_the_same_calls_as_json(name, tmp_path):
    needs_proto()
    path = tmp_path / "export.pb"
    path.write_bytes(FRAMED[name])
    calls, tally = imported(path)
    check_story(calls, errors=False)
    assert tally.records == {(str(path), "otel"): 6}
    assert not [reason for reason in tally.reasons if reason.lost]


@pytest.mark.parametrize("name", [name for name in FRAMED if name != "packed"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_what_is_cut_short_is_read_up_to_the_cut(name, share, tmp_path):
    needs_proto()
    path = tmp_path / "export.pb"
    path.write_bytes(FRAMED[name][: int(len(FRAMED[name]) * share)])
    calls, tally = imported(path)
    assert len(calls) < 6
    assert reasons(tally)["documents are cut short or broken"] == 1


def test_without_the_extra_the_next_step_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.proto.trace.v1.trace_pb2", None)
    calls, tally = imported(RECORDED / "otel_openai_spans.pb")
    assert not calls
    [said] = tally.explain()
    assert "it needs opentelemetry-proto: pip install 'outcome-monitors[otlp]'" in said


@given(st.text(alphabet=' \n\r\t{}[]",:ab01', max_size=40))
def test_json_is_never_taken_for_protobuf(text):
    assert not _protobuf.begins(text.encode())
