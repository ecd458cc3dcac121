"""What stands behind an alarm, in words; empty where it is not known."""

import json

from outcome_monitors.model import Violation

from ._output import count

__all__ = ["bracketed", "closest", "held"]


def held(violation: Violation) -> str:
    """Say in how many tasks the broken property held."""
    return f"held in {count(violation.tasks, 'task')}" if violation.tasks else ""


def closest(violation: Violation) -> str:
    """Say which clean value is most like the observed one."""
    if violation.closest is None:
        return ""
    return f"closest clean value {json.dumps(violation.closest, ensure_ascii=False)}"


def bracketed(*remarks: str) -> str:
    """Return remarks as they follow what they are about."""
    made = "; ".join(filter(None, remarks))
    return f" ({made})" if made else ""
