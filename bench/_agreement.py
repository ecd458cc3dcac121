"""Mined relations beside known ones: how many of the first three are right, and how many of the known ones are found."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outcome_monitors import Relations
from outcome_monitors.recovery.mining import Sources, Tool, build, from_tools_list
from outcome_monitors_study.world import TOOLS, declared_substitutes, nominal_traces, tools_list

__all__ = ["Measure", "labelled", "mined_from_world", "of_labels", "of_world"]

LABELS = Path(__file__).parent / "data" / "mcp_servers.json"
FIRST = 3

Known = Mapping[str, Collection[str]]


@dataclass(slots=True)
class Measure:
    """How mined relations stand to known ones."""

    tools: int = 0
    listed: int = 0
    right: int = 0
    known: int = 0
    found: int = 0
    near: int = 0
    """Near-misses that were listed anywhere."""

    @property
    def precision(self) -> float:
        """Of the first three of each tool, the share that is known."""
        return self.right / self.listed if self.listed else 1.0

    @property
    def recall(self) -> float:
        """Of the known ones, the share that is listed."""
        return self.found / self.known if self.known else 1.0

    def row(self, name: str) -> tuple[str, ...]:
        """Return the figures as a row."""
        return (
            name,
            f"{self.tools}",
            f"{self.precision:.3f} ({self.right} of {self.listed})",
            f"{self.recall:.3f} ({self.found} of {self.known})",
            f"{self.near}",
        )


def measure(tools: Iterable[str], mined: Relations, known: Known, either: Known, near: Known) -> Measure:
    """Count; what is `either` is neither asked for nor wrong."""
    total = Measure()
    for tool in tools:
        listed = [relation.tool for relation in mined.get(tool, ())]
        judged = [name for name in listed[:FIRST] if name not in either.get(tool, ())]
        total.tools += 1
        total.listed += len(judged)
        total.right += sum(name in known.get(tool, ()) for name in judged)
        total.known += len(known.get(tool, ()))
        total.found += sum(name in listed for name in known.get(tool, ()))
        total.near += sum(name in listed for name in near.get(tool, ()))
    return total


def mined_from_world(workflows: int = 400, seed: int = 0) -> Relations:
    """Mine the relations of the tool world from its interfaces and clean traces; nothing declared is read."""
    return build(
        Sources(tools=from_tools_list(tools_list(), "the world"), calls=list(nominal_traces(workflows, seed)))
    )


def of_world(mined: Relations) -> Measure:
    """Hold relations against those that the world declares."""
    return measure(TOOLS, mined, declared_substitutes(), {}, {})


def labelled() -> tuple[list[Tool], dict[str, list[str]], Any]:
    """Return the tools of real servers, their names by part (`tuned`, `held out`), and the labels."""
    document = json.loads(LABELS.read_text(encoding="utf-8"))
    tools: list[Tool] = []
    parts: dict[str, list[str]] = {}
    for server in document["servers"]:
        read = from_tools_list(server, server["server"])
        tools += read
        parts.setdefault(server["part"], []).extend(tool.name for tool in read)
    return tools, parts, document


def of_labels() -> dict[str, Measure]:
    """Mine from the interfaces of real servers, all at once, and hold the relations against the labels, by part."""
    tools, parts, labels = labelled()
    mined = build(Sources(tools=tools))
    near: dict[str, list[str]] = {}
    for miss in labels["near_misses"]:
        near.setdefault(miss["tool"], []).append(miss["other"])
        near.setdefault(miss["other"], []).append(miss["tool"])
    known, either = labels["substitutes"], labels["either"]
    measured = {part: measure(names, mined, known, either, near) for part, names in parts.items()}
    measured["all"] = measure([tool.name for tool in tools], mined, known, either, near)
    return measured
