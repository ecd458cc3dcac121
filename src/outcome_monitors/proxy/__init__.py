"""The proxy: a relay in front of any MCP server that adds receipts to results that break their contract.

It works on the wire and knows no SDK. On standard input and output it needs nothing but this package; over HTTP it needs
the extra `proxy-http`.
"""

from ._budget import Budget
from ._carry import CARRIERS, DEFAULT_CARRIER
from ._desk import Desk
from ._dialogue import Dialogue
from ._recording import Recorder
from ._stages import STAGES, Thresholds

__all__ = [
    "CARRIERS",
    "DEFAULT_CARRIER",
    "STAGES",
    "Budget",
    "Desk",
    "Dialogue",
    "Recorder",
    "Thresholds",
]
