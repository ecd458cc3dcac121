"""Which tools can stand in for which: read off the ways of the needs."""

from collections.abc import Iterator

from ._needs import Need, needs_from_json
from ._world import DOMAINS, TOOLS
from .data import document

__all__ = ["NEEDS", "declared_substitutes", "groups"]

NEEDS: dict[str, Need] = {
    need.name: need
    for domain in DOMAINS
    for need in needs_from_json(document(domain, "tasks.json"), TOOLS, f"{domain}/tasks.json")
}


def groups() -> Iterator[Need]:
    """Yield the needs that can be met in more than one way."""
    return (need for need in NEEDS.values() if need.kind != "none")


def declared_substitutes() -> dict[str, list[str]]:
    """Return, for each tool, the tools at which another way to the same facts begins; best first.

    A tool that does all a way needs comes before the first tool of a longer one. A tool without substitutes is absent.
    """
    found: dict[str, list[str]] = {}
    for need in groups():
        for way in need.ways:
            others = sorted(
                (other for other in need.ways if other is not way), key=lambda other: len(other.uses)
            )
            for tool in way.tools:
                entries = found.setdefault(tool, [])
                entries += [o.tools[0] for o in others if o.tools[0] not in (tool, *entries)]
    return {tool: entries for tool, entries in found.items() if entries}
