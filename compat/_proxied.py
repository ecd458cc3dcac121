"""Puts the proxy between each client and each server, and looks at what the client shows."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from outcome_monitors import Clause, Contract, Registry

from ._matrix import CLIENTS, Server
from ._served import targets
from ._visited import Visit, visited

__all__ = ["clauses", "proxied"]

TOLD = "This result is inconsistent"


def proxied(folder: Path, wanted: frozenset[str], servers: Sequence[Server]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each client: what came of it with each server."""
    return visited(folder, wanted, CLIENTS, servers, _visits, _judged)


def clauses(field: str) -> tuple[Clause, ...]:
    """Return what a contract says that a result breaks where a field of it is no positive number."""
    known = (60, 40, "traces")
    return (
        Clause("type", "", {"kinds": ["object"]}, *known),
        Clause("required", field, {}, *known),
        Clause("positive", field, {}, *known),
    )


def _judged(server: Server, told: Mapping[str, Any]) -> str:
    direct, right, wrong = told["shown"]
    if direct != right:
        return "failed: a right result is not what it is without the proxy"
    if TOLD in right or server.says not in wrong:
        return "failed: the result is not the server's"
    if TOLD not in wrong:
        return "failed: no receipt is shown"
    return f"passed ({told['era']})" if told.get("era") else "passed"


@contextmanager
def _visits(server: Server, words: Mapping[str, str]) -> Iterator[list[Visit]]:
    """Give a visit without the proxy, one with it and a result that is right, and one with a result that is wrong."""
    holds, breaks = (Path(words["folder"]) / name for name in ("holds.json", "breaks.json"))
    object_, *others = clauses(server.breaks)
    Registry({server.tool: Contract(server.tool, (object_,))}).save(holds)
    Registry({server.tool: Contract(server.tool, (object_, *others))}).save(breaks)
    right, wrong = (_filled(arguments, words) for arguments in (server.right, server.wrong))
    with targets(server, words, (None, holds, breaks)) as places:
        yield [
            {**place, "tool": server.tool, "arguments": arguments}
            for place, arguments in zip(places, (right, right, wrong), strict=True)
        ]


def _filled(arguments: Mapping[str, object], words: Mapping[str, str]) -> dict[str, object]:
    return {
        name: value.format(**words) if isinstance(value, str) else value for name, value in arguments.items()
    }
