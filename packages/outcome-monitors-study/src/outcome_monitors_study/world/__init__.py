"""A world of tools of our own: for the demonstration, for tests, and for studies where no benchmark can be had.

Nothing in it is real and nothing in it is random: the same seed and the same calls give the same results. Agents that act in
it (`agents`) are scripts, not models.
"""

from .requests import Workflow, declared_substitutes
from .workflows import nominal_calls, nominal_traces, workflows
from .world import DOMAINS, TOOLS, World, tools_list

__all__ = [
    "DOMAINS",
    "TOOLS",
    "Workflow",
    "World",
    "declared_substitutes",
    "nominal_calls",
    "nominal_traces",
    "tools_list",
    "workflows",
]
