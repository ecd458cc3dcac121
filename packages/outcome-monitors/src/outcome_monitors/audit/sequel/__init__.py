"""The sequel: what contracts learned from one set of traces do on another, later one, as if live.

Next week, the next version of the tools, another model: the later results are judged in order, by the policy that decides what
agents are told; once as they are, and several times with silent faults in some of them. Nothing at run time imports this package.
"""

from .advice import advice
from .document import as_json
from .figures import FaultFigures, RightFigures, Sequel
from .page import as_html
from .sequel import sequel

__all__ = ["FaultFigures", "RightFigures", "Sequel", "advice", "as_html", "as_json", "sequel"]
