"""What the tests of the command line call things."""

import json
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


def violations(lines: str) -> list[list[str]]:
    """Return the codes on each line that `check --format jsonl` wrote."""
    return [
        [violation["code"] for violation in json.loads(line)["violations"]] for line in lines.splitlines()
    ]
