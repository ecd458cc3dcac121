"""What is on the machine before the first call: session logs of coding agents, recorded traces, exports of other systems."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mining.observations import mine
from outcome_monitors.model import Call
from outcome_monitors.traces.importers import TRACES, ImportTally, import_traces
from outcome_monitors.traces.reader import read_traces

from ._output import count, warn

AUTO = "auto"
_SERVER = re.compile(r"mcp__(.+?)__(.+)")
"""How coding agents name the tools of a server."""


def logs_of(project: Path) -> list[Path]:
    """Return the session logs that Claude Code and Codex keep of a project."""
    claude = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    named = re.sub(r"[^A-Za-z0-9]", "-", str(project))
    codex = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    sessions = sorted((codex / "sessions").rglob("*.jsonl"))
    return [
        *sorted((claude / "projects" / named).glob("*.jsonl")),
        *(log for log in sessions if _works_in(log) == project),
    ]


def _works_in(log: Path) -> Path | None:
    """Return the folder that a session of Codex's was in, which the first line of its log names."""
    try:
        with log.open(encoding="utf-8") as lines:
            return Path(json.loads(lines.readline())["payload"]["cwd"])
    except (OSError, ValueError, TypeError, LookupError):
        return None


class Learned(NamedTuple):
    """What is known of tools, and on what evidence."""

    registry: Registry
    sessions: int

    def __str__(self) -> str:
        contracts = self.registry.contracts.values()
        clauses = sum(len(contract.clauses) for contract in contracts)
        return f"{count(clauses, 'clause')} of {count(len(contracts), 'tool')}, from {count(self.sessions, 'session')}"


class History:
    """The calls in logs, each with its server where the log names one."""

    def __init__(self, paths: Sequence[str], project: Path) -> None:
        files = [
            file for path in paths for file in (logs_of(project) if path == AUTO else _files(Path(path)))
        ]
        if AUTO in paths and not logs_of(project):
            warn(f"Claude Code and Codex keep no session log of {project}")
        self.calls = [call for file in files for call in _calls(file)]

    def of_server(self, server: str) -> Learned:
        """Return what the calls of a server show; those of which no log names the server are any server's."""
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", server)
        return _learned(_of_server(self.calls, plain))

    def of_agent(self) -> Learned:
        """Return what the calls of servers show, each tool as the agent names it; its own tools are handed on in another form than logged."""
        return _learned([call for call in self.calls if _SERVER.fullmatch(call.tool)])


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise OutcomeMonitorsError(f"there is no file or folder {path} to learn from")
    return sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]


def _calls(file: Path) -> Iterable[Call]:
    tally = ImportTally()
    found = list(import_traces([file], tally=tally))
    return read_traces([file]) if TRACES in tally.reasons else found


def _of_server(calls: Iterable[Call], server: str) -> Iterator[Call]:
    for call in calls:
        named = _SERVER.fullmatch(call.tool)
        if named is None:
            yield call
        elif named[1] == server:
            yield replace(call, tool=named[2])


def _learned(calls: Iterable[Call]) -> Learned:
    known = list(calls)
    return Learned(mine(known) if known else Registry(), len({call.session or call.task for call in known}))
