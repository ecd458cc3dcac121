"""What share of the results of published servers is looked at: each is called a few dozen times, and nothing stands between."""

import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from outcome_monitors.mcp.session import result_of

from ._environments import Unmade, installed, made

__all__ = ["COLUMNS", "PUBLISHED", "shares"]

COLUMNS = ("server", "results", "of them texts alone", "texts checked", "not checked")
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "compat", "version": "1"},
}
TIMES = 20

Ask = tuple[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Published:
    """A published server, its command, and what it is asked.

    `{environment}` and `{folder}` stand for those, `{port}` for where the files of the folder are served.
    """

    name: str
    environment: str
    package: str
    command: tuple[str, ...]
    asks: tuple[Ask, ...]
    """In each of them, `{n}` stands for the number of the round."""


_PLACE = "http://127.0.0.1:{port}"
_NODE = "{environment}/node_modules/@modelcontextprotocol"
PUBLISHED = (
    Published(
        "mcp-server-git, PyPI",
        "server-git",
        "mcp-server-git",
        ("{environment}/bin/mcp-server-git", "--repository", "{folder}"),
        (
            ("git_status", {"repo_path": "{folder}"}),
            ("git_log", {"repo_path": "{folder}", "max_count": 3}),
            ("git_show", {"repo_path": "{folder}", "revision": "HEAD~{n}"}),
            ("git_diff", {"repo_path": "{folder}", "target": "HEAD~{n}"}),
            ("git_branch", {"repo_path": "{folder}", "branch_type": "local"}),
        ),
    ),
    Published(
        "mcp-server-sqlite, PyPI",
        "server-sqlite",
        "mcp-server-sqlite",
        ("{environment}/bin/mcp-server-sqlite", "--db-path", "{folder}/shop.sqlite"),
        (
            ("create_table", {"query": "create table if not exists orders (id integer, total real)"}),
            ("write_query", {"query": "insert into orders values ({n}, {n}.5)"}),
            ("read_query", {"query": "select * from orders where id <= {n}"}),
            ("list_tables", {}),
            ("describe_table", {"table_name": "orders"}),
        ),
    ),
    Published(
        "mcp-server-fetch, PyPI",
        "server-fetch",
        "mcp-server-fetch",
        ("{environment}/bin/mcp-server-fetch", "--allow-private-ips", "--ignore-robots-txt"),
        (
            ("fetch", {"url": f"{_PLACE}/page{{n}}.html"}),
            ("fetch", {"url": f"{_PLACE}/page{{n}}.html", "raw": True}),
            ("fetch", {"url": f"{_PLACE}/page{{n}}.html", "max_length": 60}),
            ("fetch", {"url": f"{_PLACE}/note{{n}}.txt"}),
            ("fetch", {"url": f"{_PLACE}/order{{n}}.json"}),
        ),
    ),
    Published(
        "server-everything, npm",
        "node",
        "@modelcontextprotocol/server-everything",
        ("node", f"{_NODE}/server-everything/dist/index.js"),
        (
            ("echo", {"message": "round {n}"}),
            ("get-structured-content", {"location": "Chicago"}),
            ("get-annotated-message", {"messageType": "success", "includeImage": False}),
            ("get-resource-links", {"count": 3}),
            ("get-tiny-image", {}),
        ),
    ),
    Published(
        "server-filesystem, npm",
        "node",
        "@modelcontextprotocol/server-filesystem",
        ("node", f"{_NODE}/server-filesystem/dist/index.js", "{folder}"),
        (
            ("read_text_file", {"path": "{folder}/note{n}.txt"}),
            ("get_file_info", {"path": "{folder}/note{n}.txt"}),
            ("list_directory", {"path": "{folder}"}),
            ("search_files", {"path": "{folder}", "pattern": "*{n}.txt"}),
        ),
    ),
)


def shares(folder: Path, wanted: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Yield each server with how many results it gave, and what became of them."""
    for server in PUBLISHED:
        if wanted and server.environment not in wanted:
            yield server.name, "not run", "", "", ""
            continue
        try:
            place = made(folder, server.environment)
            name = f"{server.name}, {installed(place, server.package)}"
            yield name, *_counted(_answers(server, place))
        except (Unmade, OSError, ValueError) as error:
            yield server.name, f"not run: {error}", "", "", ""


def _counted(answers: list[dict[str, Any]]) -> tuple[str, ...]:
    """Count results, those that are texts alone, and those that are checked."""
    found = [(answer, result_of(answer)) for answer in answers]
    given = [(answer, result) for answer, result in found if not result.failed]
    texts = [result for answer, result in given if _is_text(answer["result"])]
    whys = sorted({result.why for _, result in given if result.why})
    checked = sum(not result.why for result in texts)
    share = f"{checked / len(texts):.0%}" if texts else "there are none"
    return str(len(given)), str(len(texts)), share, "; ".join(whys) or "nothing"


def _is_text(result: Mapping[str, Any]) -> bool:
    blocks = result.get("content", [])
    return result.get("structuredContent") is None and any(block["type"] == "text" for block in blocks)


def _answers(server: Published, place: Path) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder, _served(Path(folder)) as port:
        _furnish(Path(folder))
        words = {"environment": str(place), "folder": folder, "port": str(port)}
        command = [part.format(**words) for part in server.command]
        with (
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            ) as process,
            closing(_Line(process)) as line,
        ):
            line.ask("initialize", HELLO)
            line.tell("notifications/initialized")
            return [
                line.ask(
                    "tools/call", {"name": tool, "arguments": _filled(arguments, {**words, "n": str(n)})}
                )
                for n in range(TIMES)
                for tool, arguments in server.asks
            ]


class _Line:
    """Requests to a server, one at a time."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process, self._last = process, 0

    def tell(self, method: str, **more: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, **more}) + "\n")
        self._process.stdin.flush()

    def ask(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        self._last += 1
        self.tell(method, id=self._last, params=params)
        assert self._process.stdout is not None
        for said in self._process.stdout:
            message: dict[str, Any] = json.loads(said)
            if message.get("id") == self._last and "method" not in message:
                return message
        raise Unmade("the server ended")

    def close(self) -> None:
        self._process.kill()


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files, and says nothing of it."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _served(folder: Path) -> Iterator[int]:
    """Serve the files of a folder over HTTP meanwhile, at a port of this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


def _furnish(folder: Path) -> None:
    """Put files and commits there that servers can be asked about."""
    git = ["git", "-C", str(folder), "-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    for n in range(TIMES + 2):
        note = f"The {n}. note of a shop that sells tea."
        page = f"<html><body><article><h1>Note {n}</h1><p>{note} {note}</p></article></body></html>"
        for name, text in (
            (f"note{n}.txt", f"{note}\n"),
            (f"page{n}.html", page),
            (f"order{n}.json", json.dumps({"id": n, "note": note})),
        ):
            (folder / name).write_text(text, encoding="utf-8")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "-m", f"Note {n}"], check=True)


def _filled(arguments: Mapping[str, object], words: Mapping[str, str]) -> dict[str, object]:
    return {
        name: value.format(**words) if isinstance(value, str) else value for name, value in arguments.items()
    }
