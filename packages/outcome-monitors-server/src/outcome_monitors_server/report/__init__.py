"""One HTML page for a team: what its tools answer, which alarms there were, and what agents did next.

The page is made of observations (`Observation`), from traces that are checked now or from events that were recorded. What is
kept of them is bounded, and so is the page: where something is left out, the page says how much. docs/guides/report.md shows it.
"""

from typing import TYPE_CHECKING, Any

from outcome_monitors.values.late_imports import imported_late

if TYPE_CHECKING:
    from .audit import read_audit
    from .observation import Observation, from_event
    from .page import TeamReport, as_html
    from .tally import TeamTally

__all__ = ["Observation", "TeamReport", "TeamTally", "as_html", "from_event", "read_audit"]

# Each is imported when it is asked for: the console asks what agents did next, and need not load what audits are made of.
_LATER = {
    "Observation": ".observation",
    "TeamReport": ".page",
    "TeamTally": ".tally",
    "as_html": ".page",
    "from_event": ".observation",
    "read_audit": ".audit",
}


def __getattr__(name: str) -> Any:
    return imported_late(__name__, _LATER, name)


def __dir__() -> list[str]:
    return __all__
