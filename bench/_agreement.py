"""Mined relations beside known ones: how many of the first three are right, and how many of the known ones are found."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

from outcome_monitors import Relations
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.recovery.effects import effects
from outcome_monitors.recovery.mining import Sources, Tool, build, from_tools_list, signatures
from outcome_monitors.recovery.mining.reading import interfaces
from outcome_monitors_study.world import TOOLS, declared_substitutes, nominal_traces, tools_list

from ._lists import shared

__all__ = ["Measure", "labelled", "left_out", "mined_from_world", "of_groups", "of_labels", "of_world"]

LABELS = Path(__file__).parent / "data" / "mcp_servers.json"
LATER = Path(__file__).parent / "data" / "later_substitutes.json"
FIRST = 3
PARTS = 5
SETTINGS = [
    dict(zip(("LEAST", "THING", "THINGS", "TEXT"), (least, *mix), strict=True))
    for least, mix in product(
        (0.4, 0.45, 0.5, 0.55, 0.6), ((0.4, 0.3, 0.3), (0.5, 0.3, 0.2), (0.6, 0.2, 0.2))
    )
]
"""What is chosen anew without the servers that are left out."""

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

    def plus(self, other: "Measure") -> None:
        """Count another measure in."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

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


Groups = Mapping[str, set[str]]


def of_groups() -> dict[str, Measure]:
    """Mine from the interfaces of 70 servers, and hold the relations against two sets of labels."""
    tools, shaped, later = _groups()
    mined = build(Sources(tools=tools))
    return {
        "labels it was shaped on": measure(shaped, mined, shaped, {}, {}),
        "later labels": measure(later, mined, later, shaped, {}),
    }


def left_out() -> Measure:
    """Return what all labels say where weights and limits are chosen on other servers; the vocabulary stays."""
    tools, shaped, later = _groups()
    known = {name: shaped.get(name, set()) | later.get(name, set()) for name in {*shaped, *later}}
    does = effects(tools)
    mined = [_mined_with(setting, tools, does) for setting in SETTINGS]
    total = Measure()
    for part in range(PARTS):
        inside = sorted(name for name in known if stable_hash(name.partition("__")[0]) % PARTS == part)
        outside = sorted(known.keys() - set(inside))
        best = max(mined, key=lambda one: _worth(measure(outside, one, known, {}, {})))
        total.plus(measure(inside, best, known, {}, {}))
    return total


def _mined_with(setting: Mapping[str, Any], tools: Sequence[Tool], does: Any) -> Relations:
    with patch.multiple(signatures, **setting):
        return Relations(signatures.signatures(interfaces(tools, does)))


def _worth(found: Measure) -> float:
    """Return the harmonic mean, in which precision counts twice."""
    return 3 / (2 / max(found.precision, 1e-9) + 1 / max(found.recall, 1e-9))


def _groups() -> tuple[list[Tool], Groups, Groups]:
    tools = from_tools_list(json.loads(shared("mcp/tools.json").read_bytes()), "tools.json")
    shaped = json.loads(shared("mcp/labels.json").read_bytes())["substitutes"]
    later = json.loads(LATER.read_text(encoding="utf-8"))["groups"]
    return tools, _others(shaped), _others(later)


def _others(groups: Iterable[Sequence[str]]) -> Groups:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for group in groups:
        for tool in group:
            found[tool] |= {*group} - {tool}
    return dict(found)
