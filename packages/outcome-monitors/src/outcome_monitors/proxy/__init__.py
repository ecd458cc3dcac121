"""The proxy: a relay in front of any MCP server that adds receipts to results that break their contract.

It works on the wire and knows no SDK. On standard input and output it needs nothing but this package; over HTTP it needs
the extra `proxy-http`.
"""

from outcome_monitors.receipts.mcp import CARRIERS, DEFAULT_CARRIER

from .desk import Desk
from .dialogue import Dialogue
from .limits import TimeLimit
from .recorder import Recorder
from .stages import STAGES, Thresholds

__all__ = [
    "CARRIERS",
    "DEFAULT_CARRIER",
    "STAGES",
    "Desk",
    "Dialogue",
    "Recorder",
    "Thresholds",
    "TimeLimit",
]
