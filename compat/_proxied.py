"""Puts the proxy between each client and each server."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from outcome_monitors import Clause, Contract, Registry

from ._environments import ROOT, Unmade, made, output
from ._matrix import CLIENTS, HERE, SERVERS, Client, Server

__all__ = ["proxied"]

KEY = "outcome_contract"


def proxied(folder: Path, wanted: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each client: what came of it with each server."""
    for client in CLIENTS:
        if wanted and client.environment not in wanted:
            yield (client.name, *("not run" for _ in SERVERS))
        else:
            yield (client.name, *(_tried(folder, client, server) for server in SERVERS))


def _tried(folder: Path, client: Client, server: Server) -> str:
    try:
        place, behind = made(folder, client.environment), made(folder, server.environment)
    except Unmade as error:
        return f"not run: {error}"
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "note.txt").write_text("remember the milk", encoding="utf-8")
        words = {"here": str(HERE), "environment": str(behind), "folder": scratch}
        try:
            printed = output(
                _command(place, client),
                given=json.dumps(list(_visits(server, words))),
                timeout=120,
                cwd=place,
            )
            return _judged(server, json.loads(printed.strip().splitlines()[-1]))
        except Unmade as error:
            return f"failed: {error}"


def _judged(server: Server, shown: list[str]) -> str:
    direct, right, wrong = shown
    if direct != right:
        return "failed: a right result is not what it is without the proxy"
    if KEY in right or server.says not in wrong:
        return "failed: the result is not the server's"
    return "passed" if KEY in wrong else "failed: no receipt is shown"


def _visits(server: Server, words: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield a visit without the proxy, one with it and a result that is right, and one with a result that is wrong."""
    command = [part.format(**words) for part in server.command]
    right, wrong = (_filled(arguments, words) for arguments in (server.right, server.wrong))
    scratch = Path(words["folder"])
    holds, breaks = scratch / "holds.json", scratch / "breaks.json"
    object_ = Clause("type", "", {"kinds": ["object"]}, 60, 40, "traces")
    there = Clause("required", server.breaks, {}, 60, 40, "traces")
    positive = Clause("positive", server.breaks, {}, 60, 40, "traces")
    Registry({server.tool: Contract(server.tool, (object_,))}).save(holds)
    Registry({server.tool: Contract(server.tool, (object_, there, positive))}).save(breaks)
    for before, arguments in (([], right), (_proxy(holds), right), (_proxy(breaks), wrong)):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")} if before else dict(os.environ)
        yield {
            "command": [*before, *command],
            "env": environment,
            "tool": server.tool,
            "arguments": arguments,
        }


def _filled(arguments: Mapping[str, object], words: Mapping[str, str]) -> dict[str, object]:
    return {
        name: value.format(**words) if isinstance(value, str) else value for name, value in arguments.items()
    }


def _proxy(contracts: Path) -> list[str]:
    return [
        sys.executable,
        "-m",
        "outcome_monitors",
        "proxy",
        "--contracts",
        str(contracts),
        "--events",
        str(contracts.with_suffix(".jsonl")),
        "--",
    ]


def _command(place: Path, client: Client) -> list[str | Path]:
    script = HERE / "clients" / client.script
    if client.environment != "node":
        return [place / "bin" / "python", script]
    beside = place / client.script
    beside.write_bytes(script.read_bytes())
    return ["node", beside]
