"""Sends each client to each server, and has someone judge what it brings back."""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ._environments import Unmade, made, output
from ._matrix import HERE, Client, Server

__all__ = ["Visit", "visited"]

TIMEOUT = 240.0

Visit = dict[str, Any]
"""What a client is told of a server: how it is reached, and what to do there."""
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
