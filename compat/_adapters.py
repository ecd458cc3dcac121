"""Runs each adapter's tests in an environment of its framework."""

import re
from collections.abc import Iterator
from pathlib import Path

from ._environments import ROOT, Unmade, installed, made, output
from ._matrix import ADAPTERS, ENVIRONMENTS

__all__ = ["adapters"]

OF_ALL = "test_frameworks.py"
"""The tests that hold for every adapter."""


def adapters(folder: Path, wanted: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Yield each adapter with the versions it ran with, and what came of its tests and of how many."""
    for name, environment in ADAPTERS.items():
        if wanted and environment not in wanted:
            yield name, "", "not run"
            continue
        try:
            place = made(folder, environment)
            versions = ", ".join(_versions(place, environment))
        except Unmade as error:
            yield name, "", f"not run: {error}"
            continue
        own = f"test_{environment.replace('-', '_')}.py"
        yield name, versions, _tested(place, own, OF_ALL)


def _tested(place: Path, *tests: str) -> str:
    # Warnings are the frameworks' own: they are errors in our suite alone. What all tests share needs the other distributions.
    options = ["-W", "default", "-p", "no:cacheprovider", "--noconftest"]
    files = [ROOT / "tests" / "adapters" / test for test in tests]
    try:
        printed = output([place / "bin" / "python", "-m", "pytest", *files, *options], timeout=1800)
    except Unmade as error:
        return f"failed: {error}"
    passed = re.search(r"(\d+) passed", printed)
    return f"passed ({passed[1]})" if passed else "not run: the test was skipped"


def _versions(place: Path, environment: str) -> Iterator[str]:
    for requirement in ENVIRONMENTS[environment].packages:
        package = re.split(r"[\[=]", requirement)[0]
        yield f"{package} {installed(place, package)}"
