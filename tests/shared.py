"""Finds the shared measurement data, where it is present; tests that need it skip, saying so, where it is not."""

import os
from pathlib import Path

import pytest

_PLACES = (os.environ.get("OUTCOME_MONITORS_SHARED", ""), str(Path(__file__).parents[2] / "shared"))


def shared(relative: str) -> Path:
    """Return the path of a shared file, or skip the test that asks for it."""
    for place in _PLACES:
        path = Path(place) / relative
        if place and path.exists():
            return path
    pytest.skip(
        f"shared measurement data {relative!r} is not here (set OUTCOME_MONITORS_SHARED to its folder)"
    )
