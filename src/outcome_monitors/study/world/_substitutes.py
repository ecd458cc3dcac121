"""Which tools can stand in for which: read off the ways of the needs."""

from collections.abc import Iterator

from ._needs import Need
from .devices.tasks import NEEDS as DEVICES
from .finance.tasks import NEEDS as FINANCE
from .office.tasks import NEEDS as OFFICE
from .retail.tasks import NEEDS as RETAIL
from .travel.tasks import NEEDS as TRAVEL

__all__ = ["NEEDS", "declared_substitutes", "groups"]

NEEDS: dict[str, Need] = {need.name: need for need in (*RETAIL, *TRAVEL, *FINANCE, *OFFICE, *DEVICES)}


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
