"""Stands in front of an MCP server on standard input and output, and puts wrong results in the place of some.

It is run by its path, as a program of its own: it imports nothing but the standard library, so that it starts at once.
`_mcp_injector.py PLAN LOG COMMAND...`: the plan is a list of `{"tool", "arguments", "result", "always"}`; the log gets a line for each
call that was answered, with what the server said and what was shown.
"""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

Json = Any


def _messages(line: bytes) -> list[Json]:
    try:
        found = json.loads(line)
    except ValueError:
        return []
    return [each for each in (found if isinstance(found, list) else [found]) if isinstance(each, dict)]


class _Injector:
    """What has been asked, and what is still to be put in."""

    def __init__(self, plan: list[Json], log: Path) -> None:
        self._plan, self._log = plan, log
        self._waiting: dict[str, Json] = {}

    def request(self, line: bytes) -> bytes:
        for message in _messages(line):
            if message.get("method") == "tools/call":
                self._waiting[json.dumps(message.get("id"))] = message.get("params") or {}
        return line

    def answered(self, line: bytes) -> bytes:
        for message in _messages(line):
            call = self._waiting.pop(json.dumps(message.get("id")), None) if "method" not in message else None
            if call is not None:
                seen = self._shown(call, message)
                note = {"raw": message, "seen": seen, "injected": seen is not message}
                with self._log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(note) + "\n")
                if seen is not message:
                    line = json.dumps(seen).encode() + b"\n"
        return line

    def _shown(self, call: Json, message: Json) -> Json:
        """Return the answer, or what is put in its place; an open failure stays one."""
        result = message.get("result")
        if not isinstance(result, dict) or result.get("isError"):
            return message
        for number, each in enumerate(self._plan):
            if each["tool"] == call.get("name") and _holds(call.get("arguments") or {}, each["arguments"]):
                if not each["always"]:
                    del self._plan[number]
                return {**message, "result": each["result"]}
        return message


def _holds(arguments: Json, own: Json) -> bool:
    return all(name in arguments and arguments[name] == value for name, value in own.items())


def main(plan: str, log: str, *command: str) -> int:
    """Relay until the server ends."""
    between = _Injector(json.loads(Path(plan).read_text(encoding="utf-8")), Path(log))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:  # noqa: S603 - what the user named
        to_server = server.stdin
        assert to_server is not None
        assert server.stdout is not None

        def forth() -> None:
            for line in sys.stdin.buffer:
                to_server.write(between.request(line))
                to_server.flush()
            to_server.close()

        threading.Thread(target=forth, daemon=True).start()
        for line in server.stdout:
            sys.stdout.buffer.write(between.answered(line))
            sys.stdout.buffer.flush()
    return server.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
