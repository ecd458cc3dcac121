"""Input that nobody should send: skipped and said, or refused in one sentence; never a traceback."""

import json

import pytest

from tests.net.support import lines, run

GOOD = b'{"tool": "get_order", "arguments": {"id": "W1003"}, "result": {"id": 1}}\n'
DEEP = b'{"tool": "get_order", "result": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
BAD = {
    "broken": b'{"tool": "get_order", "result": {\n',
    "no result": b'{"tool": "get_order"}\n',
    "no tool": b'{"result": 1}\n',
    "a list": b"[1, 2]\n",
    "tool is a number": b'{"tool": 1, "result": 1}\n',
    "arguments are a list": b'{"tool": "get_order", "arguments": [], "result": 1}\n',
    "no text": b"\xff\xfe\x00\n",
    "deep": DEEP,
    "giant": b'{"tool": "get_order", "result": {"total": ' + b"9" * 6000 + b"}}\n",
}
ODD = {
    "NaN": b'{"tool": "get_order", "result": {"total": NaN}}\n',
    "infinite": b'{"tool": "get_order", "result": {"total": 1e999}}\n',
    "large": b'{"tool": "get_order", "result": {"total": ' + b"9" * 4000 + b"}}\n",
    "lone surrogate": b'{"tool": "get_order", "result": {"status": "\\ud800"}}\n',
    "twice the key": b'{"tool": "get_order", "result": {"status": 1, "status": 2}}\n',
    "empty names": b'{"tool": "", "result": {"": {"": ""}}}\n',
    "nested": b'{"tool": "get_order", "result": ' + b"[" * 200 + b"]" * 200 + b"}\n",
}


def one_sentence(done) -> str:
    """Assert that a command gave up in one sentence, after warnings if any; return it."""
    said = done.stderr.decode().splitlines()
    assert done.returncode == 2, said
    assert said[-1].startswith("error: ")
    assert all(line.startswith("warning: ") for line in said[:-1])
    assert "Traceback" not in done.stderr.decode()
    return str(said[-1])


@pytest.fixture(scope="module")
def folder(shop, tmp_path_factory):
    made = tmp_path_factory.mktemp("hostile")
    (made / "full.json").symlink_to(shop / "full.json")
    return made


def test_bad_lines_are_skipped_named_and_counted(folder):
    """Each bad line is one warning with its number; the good one after it is checked, at index 0 of what can be read."""
    for number, bad in enumerate(BAD.values()):
        (folder / f"bad{number}.jsonl").write_bytes(bad + GOOD)
    names = [f"bad{number}.jsonl" for number in range(len(BAD))]
    done = run("check", *names, "--contracts", "full.json", "--format", "jsonl", cwd=folder, status=1)
    told = done.stderr.decode().splitlines()
    assert len(lines(done.stdout)) == len(BAD)
    assert all(row["violations"] for row in lines(done.stdout))
    assert [sum(f"{name}:1:" in line for line in told) for name in names] == [1] * len(BAD)
    assert "Traceback" not in done.stderr.decode()


def test_odd_lines_are_checked_or_skipped(folder):
    (folder / "odd.jsonl").write_bytes(b"".join(ODD.values()) + GOOD)
    for command in ("check", "replay"):
        asked = (command, "odd.jsonl", "--contracts", "full.json", "--format", "jsonl")
        done = run(*asked, cwd=folder, status=1)
        assert b"Traceback" not in done.stderr
        assert lines(done.stdout)[-1]["violations"]
    run("mine", "odd.jsonl", "-o", "learned.json", cwd=folder)


@pytest.mark.parametrize("name", ["broken", "deep", "giant"])
def test_strict_or_nothing_else_is_an_error(folder, name):
    (folder / "one.jsonl").write_bytes(BAD[name])
    assert "one.jsonl:1" in one_sentence(
        run("check", "one.jsonl", "--contracts", "full.json", cwd=folder, status=2)
    )
    assert "one.jsonl:1" in one_sentence(
        run("mine", "one.jsonl", "-o", "x.json", "--strict", cwd=folder, status=2)
    )
    assert not (folder / "x.json").exists()


@pytest.mark.parametrize(
    ("contracts", "text"),
    [
        ("no JSON", "{"),
        ("something else", "[]"),
        ("another format", json.dumps({"format": "other", "version": 1, "tools": {}})),
        (
            "a version to come",
            json.dumps({"format": "outcome-monitors/contracts", "version": 99, "tools": {}}),
        ),
        ("deep", "[" * 100_000),
    ],
)
def test_what_are_no_contracts(folder, contracts, text):
    (folder / "odd.json").write_text(text)
    (folder / "good.jsonl").write_bytes(GOOD)
    assert "odd.json" in one_sentence(
        run("check", "good.jsonl", "--contracts", "odd.json", cwd=folder, status=2)
    )


def test_files_that_are_not_there(folder):
    assert "nowhere.jsonl" in one_sentence(run("mine", "nowhere.jsonl", "-o", "x.json", cwd=folder, status=2))
    asked = ("check", "full.json", "--contracts", "nowhere.json")
    assert "nowhere.json" in one_sentence(run(*asked, cwd=folder, status=2))
    assert one_sentence(run("status", "nowhere", cwd=folder, status=2))


def test_standard_input_is_a_trace_file_too(folder):
    done = run(
        "check", "-", "--contracts", "full.json", "--format", "jsonl", cwd=folder, stdin=GOOD, status=1
    )
    assert [row["index"] for row in lines(done.stdout)] == [0]
