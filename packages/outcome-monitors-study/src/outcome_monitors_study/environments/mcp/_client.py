"""A client of MCP on a process's standard input and output: as much of the protocol as calling tools takes."""

import json
import queue
import subprocess
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

__all__ = ["McpClient"]

PROTOCOL = "2025-06-18"
PATIENCE = 60.0
"""Seconds that an answer may take."""
UNKNOWN = -32601


class McpClient:
    """One conversation with a server."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        try:
            self._process = subprocess.Popen(  # noqa: S603 - what the user named
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot start {command[0]}: {error.strerror or error}") from error
        self._answers: queue.SimpleQueue[Json] = queue.SimpleQueue()
        self._complaints: list[str] = []
        self._last = 0
        for target, source in ((self._listen, self._process.stdout), (self._complain, self._process.stderr)):
            threading.Thread(target=target, args=(source,), daemon=True).start()
        self._finalizer = weakref.finalize(self, _end, self._process)
        asked = {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "study", "version": "1"},
        }
        self.ask("initialize", asked)
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
        while True:
            try:
                answer = self._answers.get(timeout=PATIENCE)
            except queue.Empty:
                raise OutcomeMonitorsError(
                    f"{self._told} did not answer {method} in {PATIENCE:.0f} s"
                ) from None
            if answer is None:
                # Asked again, it says so again.
                self._answers.put(None)
                said = f": {self._complaints[-1]}" if self._complaints else ""
                raise OutcomeMonitorsError(f"{self._told} ended before it answered {method}{said}")
            if answer.get("id") == self._last:
                return answer

    def close(self) -> None:
        """End the conversation."""
        self._finalizer()

    @property
    def _told(self) -> str:
        return " ".join(self._command)[-200:]

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        # A server that has gone is noticed by the answer that does not come.
        with suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _listen(self, source: IO[bytes]) -> None:
        for line in source:
            with suppress(ValueError):
                message = json.loads(line)
                if isinstance(message, dict):
                    self._heard(message)
        self._answers.put(None)

    def _heard(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._answers.put(message)
        elif "id" in message:
            known = message["method"] == "ping"
            reply = {"result": {}} if known else {"error": {"code": UNKNOWN, "message": "not offered"}}
            self._send({"jsonrpc": "2.0", "id": message["id"], **reply})

    def _complain(self, source: IO[bytes]) -> None:
        for line in source:
            if text := line.decode(errors="replace").strip():
                self._complaints.append(text[:300])


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close a process's input, which ends a server that keeps to the protocol, and end it where that does not."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdout, process.stderr):
        assert pipe is not None
        # Whoever reads it comes to the end by itself; it may hold it at this moment.
        with suppress(OSError, ValueError):
            pipe.close()
