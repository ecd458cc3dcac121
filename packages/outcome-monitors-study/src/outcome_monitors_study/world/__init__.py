"""A world of tools of our own: for the demonstration, for tests, and for studies where no benchmark can be had.

Nothing in it is real and nothing in it is random: the same seed and the same calls give the same results. Agents that act in
it (`agents`) are scripts, not models.
"""

from ._definitions import definitions, tools_list
from ._nominal import nominal_calls, nominal_traces
from ._substitutes import declared_substitutes
from ._workflow import Workflow
from ._workflows import workflows
from ._world import DOMAINS, TOOLS, World

__all__ = [
    "DOMAINS",
    "TOOLS",
    "Workflow",
    "World",
    "declared_substitutes",
    "definitions",
    "nominal_calls",
    "nominal_traces",
    "tools_list",
    "workflows",
]
