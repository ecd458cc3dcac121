"""`mine --workers`: whatever is read and whatever is wrong with it, as one process says it."""

import gzip
import json
from pathlib import Path

import pytest

from outcome_monitors.traces.reader import call_to_json
from outcome_monitors_study.world import nominal_traces
from tests.commandline import Run, Write

WORLD = tuple(nominal_traces(16))


def with_bad_lines(number):
    """Return the lines of the world, so many times, with bad ones and blank ones among them."""
    good = [json.dumps(call_to_json(call)).encode() for call in WORLD] * number
    for at in range(5, len(good), 37):
        good[at] = (b"no call", b'{"tool": 1, "result": 2}', b"\xff", b" ", b"[]")[at % 5]
    return b"\xef\xbb\xbf" + b"\n".join(good)


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz", "-"])
def test_bad_lines_are_reported_as_by_one_process(run: Run, write: Write, name: str) -> None:
    content = with_bad_lines(3)
    if name != "-":
        write(name, gzip.compress(content) if name.endswith(".gz") else content)
    write("other.jsonl", b'{"tool": "get", "result": {"n": 1}}\n\nno call\n')
    given = content if name == "-" else None
    told = ("mine", name, "other.jsonl", "-o", "c.json", "--profile", "paper")
    one = run(*told, stdin=given)
    alone = Path("c.json").read_bytes()
    three = run(*told, "--workers", "3", stdin=given)
    assert one.exit_code == three.exit_code == 0
    assert one.stderr == three.stderr
    assert "other.jsonl:3: not JSON" in three.stderr
    assert (one.stdout, alone) == (three.stdout, Path("c.json").read_bytes())


def test_strict_names_the_first_bad_line(run: Run, write: Write) -> None:
    traces = write("t.jsonl", with_bad_lines(20))
    one, two = (run("mine", traces, "-o", "c.json", "--strict", "--workers", str(n)) for n in (1, 2))
    assert one.exit_code == two.exit_code == 2
    assert one.stderr == two.stderr
    assert "t.jsonl:6:" in two.stderr
    assert not Path("c.json").exists()
