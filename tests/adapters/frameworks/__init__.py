"""Frameworks that adapters are for, each with a scripted model: it asks for calls, and tools answer.

In each module, `talk(functions, asks, session, **how)` has one conversation with the adapter opened with `how`, or without one where
nothing is said, and returns what the model read and the records that the framework itself has of it, as `import` reads them.
"""

import functools
import importlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

__all__ = ["FRAMEWORKS", "Talk", "framework", "in_text"]

FRAMEWORKS: Mapping[str, str] = {
    "agent_framework": "agent_framework",
    "anthropic": "anthropic.lib.tools",
    "crewai": "crewai",
    "fastmcp": "fastmcp.server.middleware",
    "google_adk": "google.adk.plugins.base_plugin",
    "langchain": "langchain.agents.middleware",
    "langgraph": "langgraph.prebuilt",
    "llama_index": "llama_index.core",
    "openai_agents": "agents.testing",
    "pydantic_ai": "pydantic_ai.capabilities",
    "smolagents": "smolagents",
}
"""Each adapter that a framework is needed for, and the module that the framework is known by."""


class Talk(NamedTuple):
    """A conversation that is over."""

    read: list[Any]
    """What the model read of each call, as text."""
    records: list[Any] = []
    """What the framework exports; nothing where it has no export that `import` reads."""


def framework(name):
    """Return the module of a framework; the test is skipped where that is not installed."""
    pytest.importorskip(
        FRAMEWORKS[name],
        reason=f"{FRAMEWORKS[name]} is not installed: make compat has an environment with it",
    )
    return importlib.import_module(f"tests.adapters.frameworks.{name}")


def in_text(function):
    """Return the same function with its results as JSON text, for frameworks that take nothing else."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        return result if isinstance(result, str) else json.dumps(result)

    call.__annotations__ = {**function.__annotations__, "return": str}
    return call
