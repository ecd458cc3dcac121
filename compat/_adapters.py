"""Runs each adapter's test in an environment of its framework."""

import re
from collections.abc import Iterator
from pathlib import Path

from ._environments import ROOT, Unmade, installed, made, output
from ._matrix import ADAPTERS, ENVIRONMENTS

__all__ = ["adapters"]


def adapters(folder: Path, wanted: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each adapter with the versions it ran with, what came of it, and of how many tests."""
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
        yield name, versions, _tested(place, environment)


def _tested(place: Path, environment: str) -> str:
    test = ROOT / "tests" / "adapters" / f"test_{environment.replace('-', '_')}.py"
    # Warnings are the frameworks' own: they are errors in our suite alone.
    options = ["-W", "default", "-p", "no:cacheprovider"]
    try:
        printed = output([place / "bin" / "python", "-m", "pytest", test, *options])
    except Unmade as error:
        return f"failed: {error}"
    passed = re.search(r"(\d+) passed", printed)
    return f"passed ({passed[1]})" if passed else "not run: the test was skipped"


def _versions(place: Path, environment: str) -> Iterator[str]:
    for requirement in ENVIRONMENTS[environment].packages:
        package = re.split(r"[\[=]", requirement)[0]
        yield f"{package} {installed(place, package)}"
