"""Makes the environments, one folder each, and says which versions are in them."""

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ._matrix import ENVIRONMENTS, HERE, NODE

__all__ = ["Unmade", "installed", "made", "output"]

ROOT = Path(__file__).parents[1]
READY = "compat-ready.txt"
TESTS = ("pytest", "hypothesis", "backports.zstd")


class Unmade(Exception):  # noqa: N818 - it is what happened, not an error of ours
    """An environment could not be made."""


def output(command: Sequence[str | Path], *, given: str = "", timeout: float = 600, cwd: Path = ROOT) -> str:
    """Run a command and return what it prints; raise `Unmade` with its last line where it fails."""
    try:
        done = subprocess.run(
            list(map(str, command)),
            input=given,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=cwd,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unmade(str(error)) from error
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip() or "it failed").splitlines()
        raise Unmade(lines[-1][:200])
    return done.stdout


@cache
def made(folder: Path, name: str) -> Path:
    """Make an environment, or find it made, and return its folder."""
    place = folder / name
    wanted = "\n".join(_packages(name))
    ready = place / READY
    if name == "node":
        _lay_scripts(place)
    if ready.is_file() and ready.read_text(encoding="utf-8") == wanted:
        return place
    place.mkdir(parents=True, exist_ok=True)
    if name == "node":
        output(["npm", "install", "--silent", "--no-audit", "--prefix", place, *NODE])
    else:
        if not (place / "bin" / "python").exists():
            output([sys.executable, "-m", "venv", place])
        pip: list[str | Path] = [
            place / "bin" / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        output([*pip, *_packages(name)], timeout=1200)
    ready.write_text(wanted, encoding="utf-8")
    return place


def installed(place: Path, package: str) -> str:
    """Return the version of a package that is really there."""
    if package.startswith("@"):
        found = json.loads((place / "node_modules" / package / "package.json").read_text(encoding="utf-8"))
        return str(found["version"])
    program = f"from importlib.metadata import version; print(version({package!r}))"
    return output([place / "bin" / "python", "-c", program]).strip()


def _lay_scripts(place: Path) -> None:
    """Put scripts beside their packages, since modules are looked for from there."""
    for script in HERE.glob("*/*.mjs"):
        beside = place / script.relative_to(HERE)
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(script.read_bytes())


def _packages(name: str) -> list[str]:
    if name == "node":
        return list(NODE)
    environment = ENVIRONMENTS[name]
    if not environment.extra:
        return list(environment.packages)
    # The package itself, so that its extra is proved to install alone.
    return ["-e", f"{ROOT}/packages/outcome-monitors[{environment.extra}]", *environment.packages, *TESTS]
