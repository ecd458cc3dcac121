"""What a call is a witness for: evidence is counted in distinct tasks, not in calls."""

import json

from outcome_monitors.jsonvalue.hashing import stable_hash
from outcome_monitors.model import Call

__all__ = ["task_hash", "task_name"]


def task_name(call: Call) -> str:
    """Return what a call counts as a witness for: its task, else its run, else nothing but itself."""
    if call.task is not None:
        return call.task
    if call.session is not None:
        return f"session:{call.session}"
    # The same call with the same answer twice is one witness, wherever in the file it stands.
    try:
        content = json.dumps([call.tool, dict(call.arguments), call.result], sort_keys=True, default=repr)
    except (RecursionError, TypeError, ValueError):
        content = call.tool
    return f"call:{stable_hash(content):x}"


def task_hash(call: Call) -> int:
    """Return the hash that a call's task is known by."""
    return stable_hash(task_name(call))
