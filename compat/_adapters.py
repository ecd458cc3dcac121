"""Runs each adapter's tests, and its round trip, in an environment of its framework."""

import re
from collections.abc import Iterator
from pathlib import Path

from ._environments import ROOT, Unmade, installed, made, output
from ._matrix import ADAPTERS, ENVIRONMENTS

__all__ = ["adapters"]


ROUND_TRIP = "test_loops.py"


def adapters(folder: Path, wanted: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Yield each adapter with the versions it ran with, what came of its tests and of its round trip, and of how many tests."""
    for name, environment in ADAPTERS.items():
        if wanted and environment not in wanted:
            yield name, "", "not run", "not run"
            continue
        try:
            place = made(folder, environment)
            versions = ", ".join(_versions(place, environment))
        except Unmade as error:
            yield name, "", f"not run: {error}", "not run"
            continue
        own = f"test_{environment.replace('-', '_')}.py"
        yield name, versions, _tested(place, own), _tested(place, ROUND_TRIP)


def _tested(place: Path, test: str) -> str:
    # Warnings are the frameworks' own: they are errors in our suite alone. What all tests share needs the other distributions.
    options = ["-W", "default", "-p", "no:cacheprovider", "--noconftest"]
    file = ROOT / "tests" / "adapters" / test
    try:
        printed = output([place / "bin" / "python", "-m", "pytest", file, *options], timeout=1800)
    except Unmade as error:
        return f"failed: {error}"
    passed = re.search(r"(\d+) passed", printed)
    return f"passed ({passed[1]})" if passed else "not run: the test was skipped"


def _versions(place: Path, environment: str) -> Iterator[str]:
    for requirement in ENVIRONMENTS[environment].packages:
        package = re.split(r"[\[=]", requirement)[0]
        yield f"{package} {installed(place, package)}"
