"""One HTML page for a team: what its tools answer, which alarms there were, and what agents did next.

The page is made of observations (`Observation`), from traces that are checked now or from events that were recorded. What is
kept of them is bounded, and so is the page: where something is left out, the page says how much.
"""

from .page import TeamReport, as_html, read_audit
from .tally import Observation, TeamTally, from_event

__all__ = ["Observation", "TeamReport", "TeamTally", "as_html", "from_event", "read_audit"]
