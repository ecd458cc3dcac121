"""What safe lists hold for recorded traffic and for real servers, beside the reads that were labelled by hand."""

import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from outcome_monitors import Call, Relations
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.recovery.mining import Sources, Tool, build, from_tools_list
from outcome_monitors.recovery.relations import safe
from outcome_monitors.traces.reader import read_traces

__all__ = ["ListMeasure", "of_servers", "of_substitutes", "of_traces"]

LABELS = Path(__file__).parent / "data" / "recovery_reads.json"
FILES = {"agentdojo": "agentdojo", "bfcl": "bfcl_open"}
"""The file of a set whose name begins so; of others the name is that of the file."""

Right = Mapping[str, Collection[str]]


@dataclass(slots=True)
class ListMeasure:
    """What receipts listed, where something labelled could be."""

    receipts: int = 0
    two: int = 0
    """Those with two actions or more."""
    found: int = 0
    """Those with a labelled one among them."""
    others: int = 0
    """Actions beside the tool itself, and how many of these are labelled."""
    right: int = 0

    def add(self, tool: str, listed: Sequence[str], right: Collection[str]) -> None:
        """Count a list."""
        others = [name for name in listed if name != tool]
        self.receipts += 1
        self.two += len(listed) >= 2
        self.found += any(name in right for name in others)
        self.others += len(others)
        self.right += sum(name in right for name in others)

    def plus(self, other: "ListMeasure") -> None:
        """Count another measure in."""
        self.receipts += other.receipts
        self.two += other.two
        self.found += other.found
        self.others += other.others
        self.right += other.right

    def row(self, name: str) -> tuple[str, ...]:
        """Return the figures as a row."""
        return (
            name,
            f"{self.receipts:,}",
            f"{self.two / self.receipts:.1%}",
            f"{self.found / self.receipts:.1%}",
            f"{self.right / self.others:.1%}" if self.others else "-",
        )


@lru_cache(maxsize=1)
def _labels() -> Any:
    return json.loads(LABELS.read_text(encoding="utf-8"))


def shared(relative: str) -> Path:
    """Return a file of the measurement data that is too large for the repository."""
    folder = os.environ.get("OUTCOME_MONITORS_SHARED", "") or str(Path(__file__).parents[2] / "shared")
    path = Path(folder) / "data" / relative
    if not path.exists():
        raise OutcomeMonitorsError(f"{relative} is not here; set OUTCOME_MONITORS_SHARED to its folder")
    return path


def of_traces() -> Iterator[tuple[str, str, ListMeasure]]:
    """Learn from one half of the tasks, without any interface, and list for each call of the other half."""
    for name, labelled in _labels()["traces"].items():
        first, _, _ = name.partition(" ")
        calls = list(read_traces([str(shared(f"traces/{FILES.get(first, name)}.jsonl.gz"))]))
        prefix = next(iter(labelled["right"])).rpartition(".")[0]
        yield name, labelled["part"], _of_calls(calls, prefix, labelled["right"])


def _of_calls(calls: Sequence[Call], prefix: str, right: Right) -> ListMeasure:
    own = [call for call in calls if call.tool.rpartition(".")[0] == prefix]
    seen = [call for call in own if stable_hash(str(call.task)) % 2]
    later = [call for call in own if not stable_hash(str(call.task)) % 2 and not call.error]
    visible = sorted({call.tool for call in own})
    relations = build(Sources(tools=[Tool(name) for name in visible], calls=seen))
    return _measure(relations, visible, right, ((call.tool, call.arguments) for call in later))


def of_servers() -> Iterator[tuple[str, str, ListMeasure]]:
    """List for the labelled tools of each server, from the interfaces of that server alone."""
    tools: defaultdict[str, list[Tool]] = defaultdict(list)
    for tool in from_tools_list(json.loads(shared("mcp/tools.json").read_bytes()), "tools.json"):
        tools[tool.name.partition("__")[0]].append(tool)
    for name, labelled in _labels()["servers"].items():
        relations, visible = build(Sources(tools=tools[name])), [tool.name for tool in tools[name]]
        right: Right = labelled["right"]
        yield name, labelled["part"], _measure(relations, visible, right, ((tool, {}) for tool in right))


def of_substitutes() -> ListMeasure:
    """List for the tools of real servers that have a labelled substitute, all servers in sight."""
    tools = from_tools_list(json.loads(shared("mcp/tools.json").read_bytes()), "tools.json")
    groups = json.loads(shared("mcp/labels.json").read_bytes())["substitutes"]
    right: defaultdict[str, set[str]] = defaultdict(set)
    for group in groups:
        for tool in group:
            right[tool] |= set(group) - {tool}
    relations = build(Sources(tools=tools))
    return _measure(relations, [tool.name for tool in tools], right, ((tool, {}) for tool in right))


def _measure(
    relations: Relations,
    visible: Collection[str],
    right: Right,
    asked: Iterator[tuple[str, Mapping[str, Any]]],
) -> ListMeasure:
    total = ListMeasure()
    for tool, arguments in asked:
        if tool in right and set(right[tool]) & set(visible):
            listed = [action.tool for action in safe(tool, relations, visible, arguments=arguments)]
            total.add(tool, listed, right[tool])
    return total
