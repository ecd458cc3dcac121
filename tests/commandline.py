"""What the tests of the command line call things."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

from click.testing import CliRunner, Result

Line = dict[str, Any]
"""A line of a trace file."""
Run = Callable[..., Result]
"""Runs a command, in a folder of the test's own."""
Write = Callable[..., str]
"""Writes lines, as objects or as bytes, to a file of that folder, and returns its name."""
Sentence = Callable[[Result], str]
"""Asserts that a command could not do its work and said so in one sentence, and returns that."""


def unmeasured() -> dict[str, str]:
    """Return the environment for a process that cannot write what coverage would keep of it: its files are limited."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}


def violations(lines: str) -> list[list[str]]:
    """Return the codes on each line that `check --format jsonl` wrote."""
    return [
        [violation["code"] for violation in json.loads(line)["violations"]] for line in lines.splitlines()
    ]


class _Apart(CliRunner):
    """A runner of click before 8.2: it must be asked to keep standard error apart, and forgets what was not flushed."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more, mix_stderr=False)  # type: ignore[call-arg]  # click 8.2 has it no more

    @contextmanager
    def isolation(self, *arguments: Any, **more: Any) -> Iterator[Any]:
        """Isolate; what is written to standard error is there at once, as in a process."""
        with super().isolation(*arguments, **more) as streams:
            sys.stderr.reconfigure(write_through=True)  # type: ignore[union-attr]  # a wrapper while it is isolated
            yield streams


def runner() -> CliRunner:
    """Return a runner that keeps standard error apart."""
    return _Apart() if "mix_stderr" in signature(CliRunner).parameters else CliRunner()
