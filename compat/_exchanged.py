"""Puts the proxy between clients and servers that ask each other back, and compares what they heard with what they hear without it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from outcome_monitors import Contract, Registry

from ._matrix import TALKERS, Server
from ._proxied import clauses
from ._served import targets
from ._visited import Visit, visited

__all__ = ["EXCHANGES", "exchanged"]

EXCHANGES = ("sampling", "elicitation", "roots", "progress", "logging", "list changes", "cancellation")
OVER_HTTP = (*EXCHANGES, "resumption")
OF_OTHERS = EXCHANGES[:3]
"""Those that a published server has."""
TOOLS = ("sample", "elicit", "roots", "count", "log", "grow", "waited", "resume", "resumed")
TWICE = 2
"""Each receipt goes as a text block and in the structured content."""


def exchanged(folder: Path, wanted: frozenset[str], servers: Sequence[Server]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each client: what came of its exchanges with each server."""
    return visited(folder, wanted, TALKERS, servers, _visits, _judged)


@contextmanager
def _visits(server: Server, words: Mapping[str, str]) -> Iterator[list[Visit]]:
    """Give a visit without the proxy, and one with a proxy whose contracts all results break."""
    breaks = Path(words["folder"]) / "breaks.json"
    Registry({tool: Contract(tool, clauses("total")) for tool in TOOLS}).save(breaks)
    own = OVER_HTTP if server.over_http else EXCHANGES
    todo = (
        {"wanted": OF_OTHERS, "asks": server.asks, "answer": server.answer}
        if server.asks
        else {"wanted": own}
    )
    with targets(server, words, (None, breaks)) as places:
        yield [{**place, **todo} for place in places]


def _judged(server: Server, told: Sequence[Mapping[str, Any]]) -> str:
    direct, proxied = told
    if direct["era"] != proxied["era"]:
        return f"failed: {direct['era']} became {proxied['era']}"
    offered = [name for name, heard in direct["heard"].items() if _came(heard)]
    # Only our own servers say what a contract can be about; the others speak in words.
    receipts = 0 if server.asks else TWICE
    differ = [name for name in offered if not _same(direct["heard"][name], proxied["heard"][name], receipts)]
    if differ:
        return f"failed: {', '.join(differ)}"
    missing = [name for name in direct["heard"] if name not in offered]
    passed = f"passed ({len(offered)}, {direct['era']})"
    return f"{passed}; not offered: {', '.join(missing)}" if missing else passed


def _came(heard: Any) -> bool:
    """Say whether an exchange took place."""
    parts = heard if isinstance(heard, list) else [heard]
    return all(part and not (isinstance(part, dict) and "error" in part) for part in parts)


def _same(direct: Any, proxied: Any, receipts: int) -> bool:
    """Say whether an exchange was the same through the proxy, and had its receipts besides."""
    if isinstance(direct, list) and isinstance(proxied, list) and len(direct) == len(proxied):
        return all(_same(one, other, receipts) for one, other in zip(direct, proxied, strict=True))
    if isinstance(direct, dict) and "receipts" in direct:
        return bool({**direct, "receipts": receipts} == proxied)
    return bool(direct == proxied)
