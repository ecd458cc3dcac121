"""Puts the proxy between each client and each server, and judges what the client shows and what the two say to each other."""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from outcome_monitors import Clause, Contract, Registry

from ._environments import Unmade, made, output
from ._matrix import CLIENTS, HERE, TALKERS, Client, Server
from ._served import targets

__all__ = ["exchanged", "proxied"]

TIMEOUT = 240.0

Visit = dict[str, Any]
"""What a client needs to know of a server: how it is reached, and what to do there."""
Visiting = Callable[[Server, Mapping[str, str]], AbstractContextManager[list[Visit]]]
"""Opens a server, and gives the visits to make; the words are those of its command."""
Judge = Callable[[Server, Any], str]
"""Says what came of a pair, from what the client prints."""


def visited(
    folder: Path,
    wanted: frozenset[str],
    clients: Sequence[Client],
    servers: Sequence[Server],
    visiting: Visiting,
    judge: Judge,
) -> Iterator[tuple[str, ...]]:
    """Yield a row for each client: what came of it with each server."""
    with ExitStack() as running:
        places: list[list[Visit] | str] = []
        for client in clients:
            if wanted and client.environment not in wanted:
                yield (client.name, *("not run" for _ in servers))
                continue
            places = places or [running.enter_context(_place(folder, one, visiting)) for one in servers]
            cells = [
                _tried(folder, client, server, place, judge)
                for server, place in zip(servers, places, strict=True)
            ]
            yield (client.name, *cells)


@contextmanager
def _place(folder: Path, server: Server, visiting: Visiting) -> Iterator[list[Visit] | str]:
    """Give the visits to make to a server, or why none can be made."""
    with ExitStack() as running:
        try:
            scratch = running.enter_context(tempfile.TemporaryDirectory())
            (Path(scratch) / "note.txt").write_text("remember the milk", encoding="utf-8")
            behind = made(folder, server.environment)
            words = {"here": str(HERE), "environment": str(behind), "folder": scratch}
            place: list[Visit] | str = running.enter_context(visiting(server, words))
        except Unmade as error:
            place = str(error)
        yield place


def _tried(folder: Path, client: Client, server: Server, place: list[Visit] | str, judge: Judge) -> str:
    if isinstance(place, str):
        return f"not run: {place}"
    try:
        home = made(folder, client.environment)
    except Unmade as error:
        return f"not run: {error}"
    visits = json.dumps([{**visit, "era": client.era} for visit in place])
    try:
        printed = output(_command(home, client), given=visits, timeout=TIMEOUT, cwd=home)
        return judge(server, json.loads(printed.strip().splitlines()[-1]))
    except (Unmade, ValueError, LookupError) as error:
        return f"failed: {error}"


def _command(home: Path, client: Client) -> list[str | Path]:
    if client.environment == "node":
        return ["node", home / "clients" / client.script]
    return [home / "bin" / "python", HERE / "clients" / client.script]


RECEIPT = "This result is inconsistent"


def proxied(folder: Path, wanted: frozenset[str], servers: Sequence[Server]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each client: what came of it with each server."""
    return visited(folder, wanted, CLIENTS, servers, _visits_for_results, _judged_results)


def clauses(field: str) -> tuple[Clause, ...]:
    """Return what a contract says that a result breaks where a field of it is no positive number."""
    known = (60, 40, "traces")
    return (
        Clause("type", "", {"kinds": ["object"]}, *known),
        Clause("required", field, {}, *known),
        Clause("positive", field, {}, *known),
    )


def _judged_results(server: Server, printed: Mapping[str, Any]) -> str:
    direct, right, wrong = printed["shown"]
    if direct != right:
        return "failed: a right result is not what it is without the proxy"
    if RECEIPT in right or server.says not in wrong:
        return "failed: the result is not the server's"
    if RECEIPT not in wrong:
        return "failed: no receipt is shown"
    return f"passed ({printed['era']})" if printed.get("era") else "passed"


@contextmanager
def _visits_for_results(server: Server, words: Mapping[str, str]) -> Iterator[list[Visit]]:
    """Give a visit without the proxy, one with it and a result that is right, and one with a result that is wrong."""
    holds, breaks = (Path(words["folder"]) / name for name in ("holds.json", "breaks.json"))
    object_, *others = clauses(server.breaks)
    Registry({server.tool: Contract(server.tool, (object_,))}).save(holds)
    # Of profile paper: it alerts on every violation, however often it comes.
    Registry({server.tool: Contract(server.tool, (object_, *others))}, "paper").save(breaks)
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


EXCHANGES = ("sampling", "elicitation", "roots", "progress", "logging", "list changes", "cancellation")
OVER_HTTP = (*EXCHANGES, "resumption")
OF_OTHERS = EXCHANGES[:3]
"""Those that a published server has."""
TOOLS = ("sample", "elicit", "roots", "count", "log", "grow", "waited", "resume", "resumed")
TWICE = 2
"""Each receipt goes as a text block and in the structured content."""


def exchanged(folder: Path, wanted: frozenset[str], servers: Sequence[Server]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each client: what came of its exchanges with each server."""
    return visited(folder, wanted, TALKERS, servers, _visits_for_exchanges, _judged_exchanges)


@contextmanager
def _visits_for_exchanges(server: Server, words: Mapping[str, str]) -> Iterator[list[Visit]]:
    """Give a visit without the proxy, and one with a proxy whose contracts all results break."""
    breaks = Path(words["folder"]) / "breaks.json"
    Registry({tool: Contract(tool, clauses("total")) for tool in TOOLS}, "paper").save(breaks)
    own = OVER_HTTP if server.over_http else EXCHANGES
    todo = (
        {"wanted": OF_OTHERS, "asks": server.asks, "answer": server.answer}
        if server.asks
        else {"wanted": own}
    )
    with targets(server, words, (None, breaks)) as places:
        yield [{**place, **todo} for place in places]


def _judged_exchanges(server: Server, printed: Sequence[Mapping[str, Any]]) -> str:
    direct, proxied = printed
    if direct["era"] != proxied["era"]:
        return f"failed: {direct['era']} became {proxied['era']}"
    offered = [name for name, received in direct["heard"].items() if _came(received)]
    # Only our own servers say what a contract can be about; the others speak in words.
    receipts = 0 if server.asks else TWICE
    differ = [name for name in offered if not _same(direct["heard"][name], proxied["heard"][name], receipts)]
    if differ:
        return f"failed: {', '.join(differ)}"
    missing = [name for name in direct["heard"] if name not in offered]
    passed = f"passed ({len(offered)}, {direct['era']})"
    return f"{passed}; not offered: {', '.join(missing)}" if missing else passed


def _came(received: Any) -> bool:
    """Say whether an exchange took place."""
    parts = received if isinstance(received, list) else [received]
    return all(part and not (isinstance(part, dict) and "error" in part) for part in parts)


def _same(direct: Any, proxied: Any, receipts: int) -> bool:
    """Say whether an exchange was the same through the proxy, and had its receipts besides."""
    if isinstance(direct, list) and isinstance(proxied, list) and len(direct) == len(proxied):
        return all(_same(one, other, receipts) for one, other in zip(direct, proxied, strict=True))
    if isinstance(direct, dict) and "receipts" in direct:
        return bool({**direct, "receipts": receipts} == proxied)
    return bool(direct == proxied)
