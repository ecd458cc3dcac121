"""What else a project has that can be learned from: trace files, and a framework that there is an adapter for."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from outcome_monitors.files import open_text

__all__ = ["FRAMEWORKS", "advice"]

FRAMEWORKS = {
    "langchain": ("langchain", "OutcomeMiddleware"),
    "langgraph": ("langgraph", "watched"),
    "openai-agents": ("openai_agents", "watched"),
    "pydantic-ai": ("pydantic_ai", "OutcomeContracts"),
    "pydantic-ai-slim": ("pydantic_ai", "OutcomeContracts"),
    "fastmcp": ("fastmcp", "OutcomeMiddleware"),
    "google-adk": ("google_adk", "OutcomePlugin"),
    "anthropic": ("anthropic", "watched"),
    "agent-framework": ("agent_framework", "OutcomeMiddleware"),
    "agent-framework-core": ("agent_framework", "OutcomeMiddleware"),
    "crewai": ("crewai", "register"),
    "smolagents": ("smolagents", "watched"),
    "llama-index": ("llama_index", "watched"),
    "llama-index-core": ("llama_index", "watched"),
}
"""Each package with the module of its adapter, and the name to import from it."""
MOST_FILES = 200
LONGEST = 2**20
_NAME = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


def advice(folder: Path) -> Iterator[str]:
    """Yield a line for each thing that was found, with what to do about it."""
    for file in _trace_files(folder):
        yield f"{file.name}: traces. Learn from them with: outcome-monitors mine {file.name} -o contracts.json"
    told = set()
    for source, package in _packages(folder):
        module, name = FRAMEWORKS.get(package, ("", ""))
        if module and module not in told:
            told.add(module)
            yield (
                f"{source}: {package}. One line puts a monitor into it:"
                f" from outcome_monitors.adapters.{module} import {name} (docs: guides/adapters)"
            )


def _trace_files(folder: Path) -> Iterator[Path]:
    files = sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz"), *folder.glob("*.jsonl.zst")])
    for file in files[:MOST_FILES]:
        if _is_trace(file):
            yield file


def _is_trace(file: Path) -> bool:
    try:
        with open_text(file) as lines:
            first = next(iter(lines), b"")
        call = json.loads(first) if len(first) <= LONGEST else None
    except (OSError, EOFError, ValueError, RecursionError):
        return False
    return isinstance(call, dict) and "result" in call and isinstance(call.get("tool"), str)


def _packages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the packages that a Python project requires, each with the file that says so."""
    for file in [folder / "pyproject.toml", *sorted(folder.glob("requirements*.txt"))]:
        try:
            text = file.read_text(encoding="utf-8")
            required = _of_project(tomllib.loads(text)) if file.suffix == ".toml" else text.splitlines()
        except (OSError, ValueError):
            continue
        for line in required:
            if found := _NAME.match(line):
                yield file.name, re.sub(r"[-_.]+", "-", found[1]).lower()


def _of_project(document: dict[str, Any]) -> list[str]:
    """Return all that a pyproject.toml requires, extras and groups included, in the forms of PEP 621 and of Poetry."""
    project = _table(document, "project")
    lists = [
        project.get("dependencies"),
        *_table(project, "optional-dependencies").values(),
        *_table(document, "dependency-groups").values(),
        [*_table(_table(_table(document, "tool"), "poetry"), "dependencies")],
    ]
    return [line for lines in lists if isinstance(lines, list) for line in lines if isinstance(line, str)]


def _table(document: dict[str, Any], key: str) -> dict[str, Any]:
    found = document.get(key)
    return found if isinstance(found, dict) else {}
