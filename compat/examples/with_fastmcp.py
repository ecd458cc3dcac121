"""FastMCP."""

import sys

from fastmcp import FastMCP

from outcome_monitors.adapters.fastmcp import OutcomeMiddleware

FastMCP("shop").add_middleware(OutcomeMiddleware(sys.argv[1]))
