"""Bad input is normal: each is one sentence and status 2, or a skipped line, and never a traceback."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors.jsonvalue.paths import parse
from tests.commandline import Line, Run, Sentence, Write, violations

GOOD = b'{"tool": "get_order", "result": {"id": "W1"}}\n'


VALUES = ['"text"', "[1, 2]", "[]", "null", "0.5", "true", "{}", "NaN", "-Infinity", "1" + "0" * 400]
DEEP = "[" * 400 + "]" * 400


@pytest.mark.parametrize("profile", ["paper", None])
@pytest.mark.parametrize("value", [*VALUES, DEEP], ids=lambda value: str(value)[:9])
def test_a_result_of_any_kind_is_learned_and_checked(
    run: Run, write: Write, value: str, profile: str | None
) -> None:
    lines = (b'{"tool": "t", "task": "%d", "result": %s}\n' % (n, value.encode()) for n in range(6))
    write("t.jsonl", b"".join(lines))
    chosen = ("--profile", profile) if profile else ()
    assert run("mine", "t.jsonl", "-o", "c.json", *chosen).exit_code == 0
    assert run("show", "c.json").exit_code == 0
    clean = run("check", "t.jsonl", "--contracts", "c.json", "--format", "jsonl")
    assert violations(clean.stdout) == [[]] * 6
    for other in VALUES:
        write("other.jsonl", b'{"tool": "t", "result": %s}\n' % other.encode())
        for form in ("jsonl", "text", "sarif"):
            result = run("check", "other.jsonl", "--contracts", "c.json", "--format", form)
            assert result.exit_code in {0, 1}
            # Strict JSON: NaN in the output would break other readers.
            if form != "text":
                json.loads(result.stdout, parse_constant=pytest.fail)
    write("other.jsonl", b'{"tool": "t", "result": %s}\n' % (b'"text"' if value != '"text"' else b"7"))
    assert run("check", "other.jsonl", "--contracts", "c.json").exit_code == 1


KEYS = ["", "a.b", 'quo"te', "br[ack]et", "[0]", "*", "line\nbreak", "\x00", "ключ", "\ud800", "a" * 500]


def _odd(key: str) -> list[Line]:
    return [
        {
            "tool": key,
            "arguments": {key: f"W{number}"},
            "result": {key: f"W{number}", "in": {key: number + 1}, "rows": [{key: number + 1}]},
            "task": f"{key}{number}",
        }
        for number in range(6)
    ]


@pytest.mark.parametrize("key", KEYS, ids=ascii)
def test_keys_of_any_spelling(run: Run, write: Write, key: str) -> None:
    lines = _odd(key)
    name = write("t.jsonl", lines)
    assert run("mine", name, "-o", "c.json", "--profile", "paper").exit_code == 0
    assert run("show", "c.json").exit_code == 0
    assert run("show", "c.json", key).exit_code == 0
    assert run("check", name, "--contracts", "c.json").exit_code == 0
    gone, wrong, more = copy.deepcopy(lines[:3])
    del gone["result"][key]
    wrong["result"][key] = 5
    more["result"][key + "x"] = 1
    name = write("odd.jsonl", [gone, wrong, more])
    for form in ("text", "sarif"):
        assert run("check", name, "--contracts", "c.json", "--format", form).exit_code == 1
    result = run("check", name, "--contracts", "c.json", "--format", "jsonl")
    assert result.exit_code == 1
    found = [json.loads(line)["violations"] for line in result.stdout.splitlines()]
    assert [[violation["code"] for violation in one] for one in found] == [
        ["missing_learned_field"],
        ["learned_type_mismatch", "learned_echo_mismatch"],
        ["unexpected_field"],
    ]
    assert [parse(one[0]["path"]) for one in found] == [(key,), (key,), (key + "x",)]


def test_a_file_name_that_is_hard_to_print(
    run: Run, write: Write, one_sentence: Sentence, tmp_path: Path
) -> None:
    (tmp_path / "a\nb.jsonl").write_bytes(GOOD + b"oops\n")
    result = run("mine", "a\nb.jsonl", "-o", "c.json", "--profile", "paper")
    assert result.exit_code == 0
    assert "warning: a\ufffdb.jsonl:2: not JSON; the line is skipped\n" in result.stderr
    assert one_sentence(run("check", "x\ny.jsonl", "--contracts", "c.json")).startswith(
        "cannot read x\ufffdy.jsonl"
    )


def test_all_values_shown_are_short(run: Run, write: Write, contracts: str, orders: list[Line]) -> None:
    worst: dict[str, Any] = copy.deepcopy(orders[0])
    worst["result"]["status"] = "x" * 100_000
    result = run("check", write("t.jsonl", [worst]), "--contracts", contracts)
    assert result.exit_code == 1
    assert max(map(len, result.stdout.splitlines())) < 300
