"""Microsoft Agent Framework."""

import sys

from outcome_monitors.adapters.agent_framework import OutcomeMiddleware

OutcomeMiddleware(sys.argv[1])
