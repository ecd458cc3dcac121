"""What names say of tools, beside labels: how often a read is known for one, and whether a write is ever called a read."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from outcome_monitors.recovery.effects import named_effect

__all__ = ["PARTS", "Confusion", "Labelled", "confusion", "labelled_names"]

NAMES = Path(__file__).parent / "data" / "tool_effects.json"
PARTS = ("tuned", "held out")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A tool, by its name and the first sentence of its description, and what it does by hand."""

    name: str
    about: str
    writes: bool
    part: str


@dataclass(frozen=True, slots=True)
class Confusion:
    """What tools do, and what is said of them."""

    reads: int
    said_to_read: int
    """Of those that read."""
    writes: int
    dangerous: tuple[str, ...]
    """Those that write and are said to read."""

    def rows(self, name: str) -> Iterator[tuple[str, ...]]:
        """Yield a row for the reads and one for the writes."""
        safe = self.writes - len(self.dangerous)
        yield f"{name}: read", f"{self.said_to_read}", f"{self.reads - self.said_to_read}"
        yield f"{name}: write", f"{len(self.dangerous)}", f"{safe}"


def labelled_names() -> list[Labelled]:
    """Return the labelled names."""
    document = json.loads(NAMES.read_text(encoding="utf-8"))
    return [
        Labelled(tool["name"], tool["about"], tool["does"] == "write", tool["part"])
        for tool in document["tools"]
    ]


def confusion(tools: list[Labelled], *, described: bool) -> Confusion:
    """Count what names say, with or without descriptions; what nobody knows counts as a write."""
    said = {tool: named_effect(tool.name, tool.about if described else "").writes for tool in tools}
    return Confusion(
        reads=sum(not tool.writes for tool in tools),
        said_to_read=sum(not tool.writes and not writes for tool, writes in said.items()),
        writes=sum(tool.writes for tool in tools),
        dangerous=tuple(tool.name for tool, writes in said.items() if tool.writes and not writes),
    )
