"""Every Python that the package is for says the same of the same inputs (`digest`)."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from tests.fuzz.digest import TRIES
from tests.places import ROOT, SOURCES

__all__ = ["pythons", "says_alike"]

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
SEEDS = 10


@cache
def pythons() -> dict[str, str]:
    """Return the Pythons of this machine, by version."""
    found = {}
    for version in VERSIONS:
        kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        for candidate in (shutil.which(f"python{version}"), *map(str, kept.glob(f"{version}.*/bin/python"))):
            if candidate is not None and _is(candidate, version):
                found[version] = candidate
                break
    return found


def _is(candidate: str, version: str) -> bool:
    """Say whether it starts, and is what it is called: pyenv has a name for every version that it knows."""
    asked = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    return said.returncode == 0 and said.stdout.strip() == version


def says_alike(seed: int, seeds: int = SEEDS) -> int:
    """Have each Python say what it makes of some inputs; return how many there were."""
    said = {version: _said(python, seed * seeds, seeds) for version, python in pythons().items()}
    assert len({*said.values()}) == 1, {
        version: sorted({*text.splitlines()} - {*next(iter(said.values())).splitlines()})
        for version, text in said.items()
    }
    return seeds * TRIES


def _said(python: str, first: int, seeds: int) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*SOURCES, ROOT)))}
    command = [python, "-m", "tests.fuzz.digest", str(first), str(seeds)]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
