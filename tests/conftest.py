"""What all tests share."""

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.homes import home
from tests.mcp.folders import learned_folder, learned_once
from tests.places import GOLDEN
from tests.postgres import fleet, lonely_fleet, postgres_server

__all__ = [
    "fleet",
    "golden",
    "home",
    "learned_folder",
    "learned_once",
    "lonely_fleet",
    "postgres_server",
]

# Neither timings nor luck decide a test: examples are the same every time, and how long it took to make them, or how many
# of them were of use, says more of the machine and of the draw than of the code. The same few find what they found the last time;
# `make fuzz` and `--hypothesis-profile random` look further.
settings.register_profile(
    "random",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
settings.register_profile("same", settings.get_profile("random"), derandomize=True, max_examples=35)
settings.load_profile("same")


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
