"""A client of MCP on a process's standard input and output: as much of the protocol as calling tools takes."""

import json
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

PROTOCOL = "2025-06-18"
PATIENCE = 60.0
"""Seconds that an answer may take; then the server is ended."""
UNKNOWN = -32601


class McpClient:
    """One conversation with a server."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the process
        try:
            self._process = subprocess.Popen(  # noqa: S603 - what the user named
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaints
            )
        except OSError as error:
            self._complaints.close()
            raise OutcomeMonitorsError(f"cannot start {command[0]}: {error.strerror or error}") from error
        self._last = 0
        self._finalizer = weakref.finalize(self, _end, self._process, self._complaints)
        about = {"name": "study", "version": "1"}
        self.ask("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def tools(self) -> list[Json]:
        """Return all tools, whatever pages they come on."""
        found: list[Json] = []
        asked: dict[str, Json] = {}
        while True:
            page = self.ask("tools/list", asked).get("result") or {}
            found += page.get("tools") or []
            if not page.get("nextCursor"):
                return found
            asked = {"cursor": page["nextCursor"]}

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool, and return the whole answer."""
        return self.ask("tools/call", {"name": tool, "arguments": dict(arguments)})

    def ask(self, method: str, params: Json) -> Json:
        """Send a request and return its answer; raise, in a sentence, where none comes."""
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        waiting = threading.Timer(PATIENCE, self._process.kill)
        waiting.daemon = True
        waiting.start()
        try:
            return self._answer(method)
        finally:
            waiting.cancel()

    def close(self) -> None:
        """End the conversation."""
        self._finalizer()

    def _answer(self, method: str) -> Json:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with suppress(ValueError):
                message = json.loads(line)
                if not isinstance(message, dict):
                    continue
                if "method" not in message and message.get("id") == self._last:
                    return message
                if "method" in message and "id" in message:
                    known = message["method"] == "ping"
                    reply = (
                        {"result": {}} if known else {"error": {"code": UNKNOWN, "message": "not offered"}}
                    )
                    self._send({"jsonrpc": "2.0", "id": message["id"], **reply})
        self._complaints.seek(0)
        said = self._complaints.read().decode(errors="replace").strip().splitlines()
        why = f": {said[-1][:300]}" if said else ""
        raise OutcomeMonitorsError(
            f"{' '.join(self._command)[-200:]} ended, or was ended after {PATIENCE:.0f} s, before it answered {method}{why}"
        )

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        # A server that has gone is noticed by the answer that does not come.
        with suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()


def _end(process: subprocess.Popen[bytes], complaints: IO[bytes]) -> None:
    """Close a process's input, which ends a server that keeps to the protocol, and end it where that does not."""
    for pipe in (process.stdin, complaints):
        assert pipe is not None
        with suppress(OSError):
            pipe.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    assert process.stdout is not None
    process.stdout.close()
