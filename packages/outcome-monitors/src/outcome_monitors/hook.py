"""A hook of coding agents: what Claude Code, VS Code and Copilot call after each tool, with its result on standard input.

A hook is a process for each call, and the agent waits for it: nothing is imported here that a check does not need, the command line's
library included (`__main__` comes here directly). Whatever goes wrong, the agent goes on without a word from us.
"""

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

from outcome_monitors.alerting.alert_policy import alert_policies, default_policies
from outcome_monitors.alerting.policy import Policies
from outcome_monitors.alerting.suppression import LiveOverrides, SuppressionPolicy
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.jsonvalue.canonical import NOT_JSON, arguments_of, canonical
from outcome_monitors.model import Json
from outcome_monitors.receipts.carriers import KEY, paragraph
from outcome_monitors.storage.layout import CHANGES, CONTRACTS, OVERRIDES

log = logging.getLogger("outcome_monitors")

FOLDER = ".outcome-monitors/hook"
"""Where contracts, decisions and what has become usual are kept, in a project."""
LARGEST = 4 * 2**20
"""Bytes of an event that is still looked at."""
EVENT = "PostToolUse"


def main(folder: str = "") -> int:
    """Answer the event on standard input; the exit status is always 0, since another would be shown to the agent."""
    try:
        data = sys.stdin.buffer.read(LARGEST + 1)
        said = answer(json.loads(data), folder) if len(data) <= LARGEST else None
        if said is not None:
            sys.stdout.write(json.dumps(said, ensure_ascii=True) + "\n")
            sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 - no fault of ours may reach the agent
        log.error("outcome-monitors hook: %s: %s", type(error).__name__, error)  # noqa: TRY400 - one line is enough
    return 0


def answer(event: Any, folder: str = "") -> Json:
    """Return what the agent is to be told of a result; None where nothing is wrong with it."""
    if not isinstance(event, dict) or event.get("hook_event_name") != EVENT:
        return None
    tool, value = event.get("tool_name"), result_of(event)
    if not isinstance(tool, str) or value is NOT_JSON or (isinstance(value, dict) and KEY in value):
        # Where a proxy stands before the server, the agent has been told.
        return None
    project = os.environ.get("CLAUDE_PROJECT_DIR") or str(event.get("cwd") or ".")
    place = Path(folder or Path(project, FOLDER))
    known = place / CONTRACTS
    registry = Registry.load(known) if known.exists() else Registry()
    monitor = Monitor(registry, encoder="note")
    policies = _policies(monitor.profile, place)
    outcome = monitor.session(str(event.get("session_id"))).judge(
        tool, arguments_of(event.get("tool_input")), value, policies=policies
    )
    for policy in alert_policies(policies):
        policy.save()
    if outcome.receipt is None:
        return None
    return {"hookSpecificOutput": {"hookEventName": EVENT, "additionalContext": paragraph(outcome.receipt)}}


def result_of(event: dict[str, Any]) -> Any:
    """Return the result that an event tells of; agents give that of an MCP server as text, with the SDKs' wrapper around what is no object."""
    value = canonical(event.get("tool_response"))
    wraps = str(event.get("tool_name")).startswith("mcp__") and isinstance(value, dict)
    if wraps and list(value) == ["result"] and not isinstance(value["result"], dict):
        return canonical(value["result"])
    return value


def _policies(profile: str, place: Path) -> Policies:
    """Return what decides on alerts; without a folder nothing is kept from one call to the next."""
    state = place if (place / CHANGES).exists() or (place / CONTRACTS).exists() else None
    decided = [SuppressionPolicy(LiveOverrides(place / OVERRIDES))] if (place / OVERRIDES).exists() else []
    return (*decided, *default_policies(profile, state=state))
