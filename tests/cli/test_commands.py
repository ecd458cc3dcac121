"""The group itself: help, usage errors, exit statuses, and how the process ends."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from outcome_monitors.cli import _status
from outcome_monitors.exceptions import OutcomeMonitorsError
from tests.commandline import Line, Write

PROGRAM = (sys.executable, "-m", "outcome_monitors")


@pytest.mark.skipif(os.name != "posix", reason="signals and pipes as POSIX has them")
def test_a_reader_that_leaves_ends_it_quietly(tmp_path: Path, write: Write, orders: list[Line]) -> None:
    write("clean.jsonl", orders)
    write("many.jsonl", orders * 5000)
    subprocess.run(
        (*PROGRAM, "mine", "clean.jsonl", "-o", "c.json"), cwd=tmp_path, check=True, capture_output=True
    )
    with subprocess.Popen(
        (*PROGRAM, "check", "many.jsonl", "--contracts", "c.json", "--format", "jsonl"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b'{"index": 0')
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


HEEDING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a program that heeds an interrupt, also where the tests run in the background and were told to ignore it."""


@pytest.mark.skipif(os.name != "posix", reason="signals and pipes as POSIX has them")
def test_an_interrupt_ends_it_with_130(tmp_path: Path) -> None:
    with subprocess.Popen(
        (sys.executable, "-c", HEEDING, *PROGRAM, "mine", "-", "-o", "c.json"),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # The warning shows that the program is at work, waiting for more lines.
        process.stdin.write(b"no call\n")
        process.stdin.flush()
        assert process.stderr.readline() == b"warning: <stdin>:1: not JSON; the line is skipped\n"
        process.send_signal(signal.SIGINT)
        assert b"Traceback" not in process.stderr.read()
        process.stdin.close()
    assert process.returncode == 130
    assert not (tmp_path / "c.json").exists()


def test_whatever_goes_wrong_never_reads_as_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    def raising(error: Exception) -> int:
        raise error

    assert _status(lambda: raising(OutcomeMonitorsError("a\nb \x1b[31mred"))) == 2
    assert capsys.readouterr().err == "error: a\ufffdb \ufffd[31mred\n"
    assert _status(lambda: raising(KeyError("x"))) == 2
    assert "please report it: KeyError: 'x' (test_commands.py:" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_one_sentence(tmp_path: Path, write: Write, orders: list[Line]) -> None:
    write("clean.jsonl", orders)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            (*PROGRAM, "mine", "clean.jsonl", "-o", "c.json"),
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, f"error: the system refused: {os.strerror(errno.ENOSPC)}\n")
