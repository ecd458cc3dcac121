"""What all tests share."""

import os

import pytest
from hypothesis import settings

from tests.places import GOLDEN

# Timings decide no test; and what continuous integration runs is the same every time.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture
def golden():
    """Compare text with a golden file; OUTCOME_MONITORS_GOLDEN=write writes it anew."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get("OUTCOME_MONITORS_GOLDEN") == "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
