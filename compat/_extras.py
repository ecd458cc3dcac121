"""Installs each extra alone, from a wheel, as its users do: with the versions that pip picks, and nothing else beside it."""

import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from outcome_monitors import Registry

from ._environments import ROOT, Unmade, installed, output
from ._matrix import HERE

__all__ = ["EXTRAS", "extras"]

EXTRAS: Mapping[str, str] = {
    "langchain": "langchain",
    "langgraph": "langgraph",
    "openai-agents": "openai-agents",
    "pydantic-ai": "pydantic-ai-slim",
    "fastmcp": "fastmcp",
    "google-adk": "google-adk",
    "anthropic": "anthropic",
    "agent-framework": "agent-framework-core",
    "crewai": "crewai",
    "smolagents": "smolagents",
    "llama-index": "llama-index-core",
    "proxy-http": "aiohttp",
}
"""Each extra, and the package that it is about; what a program that uses it begins with is in the folder of examples."""


def extras(folder: Path, wanted: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each extra with the version that pip picked, and what came of it."""
    for extra, package in EXTRAS.items():
        if wanted and extra not in wanted:
            yield extra, "", "not run"
            continue
        try:
            place = _alone(folder, extra)
        except Unmade as error:
            yield extra, "", f"failed: {error}"
            continue
        yield extra, f"{package} {installed(place, package)}", _tried(place, extra)


def _alone(folder: Path, extra: str) -> Path:
    place = folder / f"extra-{extra}"
    python = place / "bin" / "python"
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if not python.exists():
        output([sys.executable, "-m", "venv", place])
    wheel = _wheel(folder)
    output([*pip, f"{wheel}[{extra}]"], timeout=1200)
    # What is installed already may be the wheel of another day.
    output([*pip, "--force-reinstall", "--no-deps", wheel])
    return place


@cache
def _wheel(folder: Path) -> Path:
    place = folder / "wheel"
    for old in place.glob("*.whl"):
        old.unlink()
    output(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            place,
            ROOT / "packages" / "outcome-monitors",
        ]
    )
    [wheel] = place.glob("*.whl")
    return wheel


def _tried(place: Path, extra: str) -> str:
    example = HERE / "examples" / f"with_{extra.replace('-', '_')}.py"
    with tempfile.TemporaryDirectory() as scratch:
        contracts = Path(scratch) / "contracts.json"
        Registry().save(contracts)
        try:
            # Elsewhere than here: what is tried is the wheel, not the source beside us.
            output([place / "bin" / "python", "-W", "ignore", example, contracts], cwd=Path(scratch))
        except Unmade as error:
            return f"failed: {error}"
    return "passed"
