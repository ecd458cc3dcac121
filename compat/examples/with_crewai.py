"""CrewAI."""

import sys

from outcome_monitors.adapters.crewai import register

register(sys.argv[1])
