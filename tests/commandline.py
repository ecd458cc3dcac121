"""What the tests of the command line call things."""

import json
import os
from collections.abc import Callable
from typing import Any

from click.testing import Result

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
