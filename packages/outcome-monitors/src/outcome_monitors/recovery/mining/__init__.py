"""Recovery relations for any tool set: which tools can stand in for which, how they are called, and what calling them does.

Relations come from what people declare, from ToolMaze's definitions, from the tools' interfaces and from traces, each with its
source and a confidence. Everything is worked out from the data at hand: no model, nothing downloaded.
"""

from outcome_monitors.recovery.tools import Tool, from_tools_list, read_tools

from .build import Sources, build, combine, declared_effects, edited, unrejected, written_by_hand

__all__ = [
    "Sources",
    "Tool",
    "build",
    "combine",
    "declared_effects",
    "edited",
    "from_tools_list",
    "read_tools",
    "unrejected",
    "written_by_hand",
]
