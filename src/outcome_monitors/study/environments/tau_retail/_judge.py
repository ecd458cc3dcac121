"""Whether a task was done, as tau-bench weighs it: by the records that are left behind, and by what had to be said.

The task's own actions are carried out on fresh records, and the two outcomes compared. Nothing else reads them.
"""

from collections.abc import Sequence

from outcome_monitors.model import Json
from outcome_monitors.study._json import canonical

from ._checkout import RetailTask
from ._shop import Shop
from ._tools import ENDS, call_tool

__all__ = ["differing", "unsaid"]


def differing(task: RetailTask, left: Shop, fresh: Shop) -> list[str]:
    """Return the records that are not as the task's actions leave them."""
    for action in task.actions:
        if action.tool != ENDS:
            call_tool(fresh, action.tool, action.arguments)
    right, found = fresh.changed(), left.changed()
    return sorted(
        name for name in right.keys() | found.keys() if _text(right.get(name)) != _text(found.get(name))
    )


def unsaid(task: RetailTask, said: Sequence[str]) -> list[str]:
    """Return what the task asks the agent to say and no line of the agent holds; commas in numbers do not matter."""
    heard = [line.lower().replace(",", "") for line in said]
    return [output for output in task.outputs if not any(output.lower() in line for line in heard)]


def _text(record: Json) -> str:
    return canonical(record)
