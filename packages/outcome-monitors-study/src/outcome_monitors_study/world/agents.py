"""Scripted agents. They are scripts, not models: they stand in for an assistant in tests and demonstrations.

Both run a workflow step by step through an interface, a function from a tool and its arguments to what the agent sees. What
they know of tools is what the tools' schemas say: which arguments each takes, and where in its result the facts are.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from .requests import Path, Step, Use, Way, Workflow
from .templates import fill

Json = Any
Interface = Callable[[str, Mapping[str, Json]], Json]


@dataclass(slots=True)
class Run:
    """What a scripted agent did."""

    script: str
    """Which script it was; always begins with `scripted`."""
    answer: dict[str, dict[str, Json]] = field(default_factory=dict)
    """The facts that each step gave."""
    said: str = ""
    """What it tells the user, in words of its own: of those facts, the ones that were asked for."""
    calls: int = 0
    receipts: int = 0
    """How many results came with a receipt."""
    heeded: int = 0
    """How many of them it acted on."""


def naive(workflow: Workflow, interface: Interface, path: Path | None = None) -> Run:
    """Take every result at face value and go on; a receipt is not read."""
    return carry_out(workflow, interface, "naive", lambda: False, path)


def carry_out(
    workflow: Workflow, interface: Interface, script: str, heeds: Callable[[], bool], path: Path | None = None
) -> Run:
    """Carry a workflow out; `heeds` says of each receipt whether it is acted on.

    The tools that the receipt lists are tried, in order: the same tool is called again, another one as its own schema
    says. The first result without a receipt is used; where every one has a receipt, the first result is, at face value.
    So it is for writes as well, and a write that is called again happens again.
    """
    return _Player(workflow, interface, Run(f"scripted {script}"), heeds).play(path)


def listed_tools(receipt: Json) -> list[str]:
    """Return the recovery tools that a receipt lists, whichever form it has."""
    if not isinstance(receipt, dict):
        return []
    actions = [action["tool"] for action in receipt.get("admissible_recovery_actions", [])]
    return [*receipt.get("admissible_recovery_tools", []), *actions]


def opened(seen: Json) -> tuple[Json, Json]:
    """Return a result and the receipt that came with it, if any: in the envelope, or as a text behind the result's."""
    if isinstance(seen, dict) and {"tool_result", "outcome_contract"} <= seen.keys():
        return seen["tool_result"], seen["outcome_contract"]
    if isinstance(seen, str) and "\n\n" in seen:
        raw, _, receipt = seen.partition("\n\n")
        with suppress(ValueError):
            return json.loads(raw), receipt
    return seen, None


@dataclass(frozen=True, slots=True)
class Visit:
    """Calls of a script that may act on receipts: `heeds` says of each whether it does."""

    interface: Interface
    run: Run
    heeds: Callable[[], bool]

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Return a result at face value."""
        return self._called(tool, arguments)[0]

    def checked(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Return a result, that of a second call where a receipt lists one and is heeded; None where none came without a receipt."""
        result, receipt = self._called(tool, arguments)
        if receipt is None or not self.heeds():
            return result
        self.run.heeded += 1
        if isinstance(receipt, str) or tool in listed_tools(receipt):
            again, still = self._called(tool, arguments)
            return again if still is None else None
        return None

    def _called(self, tool: str, arguments: Mapping[str, Json]) -> tuple[Json, Json]:
        result, receipt = opened(self.interface(tool, arguments))
        self.run.calls += 1
        self.run.receipts += receipt is not None
        return result, receipt


class _Player:
    """One run of a workflow."""

    def __init__(self, workflow: Workflow, interface: Interface, run: Run, heeds: Callable[[], bool]) -> None:
        self._workflow = workflow
        self._interface = interface
        self._run = run
        self._heeds = heeds

    def play(self, path: Path | None) -> Run:
        known: dict[str, dict[str, Json]] = {}
        for step in self._workflow.steps:
            own = known.setdefault(step.episode, {})
            want = fill(step.ask.want, {**known, **own})
            facts = self._facts(step, self._workflow.way(step, {} if path is None else path), want)
            own[step.ask.name] = self._run.answer[step.name] = facts
        report = ((asked.name.partition(".")[2], fill(asked.fact, known)) for asked in self._workflow.report)
        self._run.said = "; ".join(f"{label}: {value}" for label, value in report)
        return self._run

    def _facts(self, step: Step, way: Way, want: Json) -> Json:
        scope: dict[str, Json] = {"want": want}
        for number, use in enumerate(way.uses, 1):
            scope[f"r{number}"], receipt = self._call(use, scope)
            if receipt is None or not self._heeds():
                continue
            self._run.heeded += 1
            for tool in listed_tools(receipt):
                if tool == use.tool:
                    result, again = self._call(use, scope)
                    if again is None:
                        scope[f"r{number}"] = result
                        break
                for other in self._workflow.ways[step.ask.need] if tool != use.tool else ():
                    if other.tools[0] == tool and (found := self._clean(other, want)) is not None:
                        return found
        return fill(way.facts, scope)

    def _clean(self, way: Way, want: Json) -> Json | None:
        """Take another way, and give it up at the first receipt."""
        scope: dict[str, Json] = {"want": want}
        for number, use in enumerate(way.uses, 1):
            scope[f"r{number}"], receipt = self._call(use, scope)
            if receipt is not None:
                return None
        return fill(way.facts, scope)

    def _call(self, use: Use, scope: Mapping[str, Json]) -> tuple[Json, Json]:
        """Return the result of a call and the receipt that came with it, if any."""
        seen = self._interface(use.tool, fill(use.arguments, scope))
        self._run.calls += 1
        if isinstance(seen, dict) and {"tool_result", "outcome_contract"} <= seen.keys():
            self._run.receipts += 1
            return seen["tool_result"], seen["outcome_contract"]
        return seen, None
