"""From a framework's own traffic to its adapter: record, or import what it exports, mine, then clean calls and faults.

Each loop runs where its framework is installed; `make compat` has an environment for each.
"""

import importlib
import json
import time

import pytest

from outcome_monitors.adapters._observer import opened
from outcome_monitors.events import read_events
from outcome_monitors.traces.imports import import_traces
from outcome_monitors.traces.reader import read_traces
from tests.adapters.loops import LOOPS
from tests.adapters.test_every_adapter import FRAMEWORKS
from tests.adapters.traffic import (
    CLEAN,
    CLEAN_TEXTS,
    FAULT_TEXTS,
    FAULTS,
    LEARNED,
    Contracts,
    caught_plainly,
    conversations,
    exported,
)
from tests.traces.imports.exports import EXPORTS

ADAPTER = pytest.mark.parametrize("adapter", LOOPS)
SECONDS = 60
EXPORTED = (
    "agent_framework",
    "anthropic",
    "google_adk",
    "langchain",
    "langgraph",
    "openai_agents",
    "pydantic_ai",
)
"""Those whose frameworks say what was called in a form that `import` reads."""


def loop_of(adapter):
    """Return the loop of an adapter; the test is skipped where its framework is absent."""
    pytest.importorskip(
        LOOPS[adapter], reason=f"{LOOPS[adapter]} is not installed: make compat has an environment with it"
    )
    return importlib.import_module(f"tests.adapters.loops.{adapter}")


def converse(loop, calls, **how):
    """Have one conversation after the other, and return what the framework recorded of them."""
    return [record for some in conversations(calls) for record in loop.converse(some, **how)]


def through(watch, calls, loop):
    """Send calls through a loop that is watched."""
    converse(loop, calls, watch=watch)


def recorded(loop, calls, path, **how):
    """Return the calls that the adapter records under a path, which is written in the background."""
    converse(loop, calls, **how)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        found = list(read_traces(files)) if all(file.exists() for file in files) else []
        if len(found) >= len(calls):
            return found
        time.sleep(0.1)
    raise AssertionError(f"{len(found)} of {len(calls)} calls were recorded")


def said(calls):
    return [(call.tool, call.arguments, call.result, call.error) for call in calls]


def holds(contracts, loop, forms=((CLEAN, FAULTS), (CLEAN_TEXTS, FAULT_TEXTS))):
    """Hold contracts to clean calls and to faults, as objects and as texts, through the adapter."""
    for clean, faults in forms:
        assert contracts.flagged(clean, through, loop) <= len(clean) // 100
        assert contracts.flagged(faults, through, loop) >= caught_plainly()


def test_every_adapter_has_a_loop():
    assert set(LOOPS) == set(FRAMEWORKS)


@ADAPTER
def test_what_is_recorded_is_what_was_called_and_holds_afterwards(adapter, tmp_path):
    loop = loop_of(adapter)
    path = tmp_path / "traces.jsonl"
    calls = recorded(loop, LEARNED, path, record=path)
    assert said(calls) == said(LEARNED)
    assert len({call.session for call in calls}) == len({call.session for call in LEARNED})
    holds(Contracts.of(calls), loop)


@ADAPTER
def test_a_folder_that_is_learned_in_has_the_calls_and_their_events(adapter, tmp_path):
    loop = loop_of(adapter)
    some, folder = LEARNED[:30], tmp_path / "state"
    assert said(recorded(loop, some, folder / "traces", learn=folder)) == said(some)
    assert (folder / "stages.sqlite").exists()
    opened(None, None, folder).watch.close()
    events = list(read_events(folder / "events.sqlite"))
    assert [event["tool"] for event in events] == [call.tool for call in some]


@pytest.mark.parametrize("adapter", EXPORTED)
def test_what_the_framework_exports_is_what_was_called_and_holds_afterwards(adapter, tmp_path):
    loop = loop_of(adapter)
    path = tmp_path / "export.jsonl"
    records = converse(loop, LEARNED, record=tmp_path / "traces.jsonl")
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    calls = list(import_traces([path]))
    assert said(calls) == said(LEARNED)
    holds(Contracts.of(calls), loop)


@ADAPTER
@pytest.mark.parametrize("source", EXPORTS)
def test_what_another_source_exports_holds(source, adapter, tmp_path):
    loop = loop_of(adapter)
    holds(Contracts.of(exported(source, tmp_path)[0]), loop, [(CLEAN, FAULTS)])
