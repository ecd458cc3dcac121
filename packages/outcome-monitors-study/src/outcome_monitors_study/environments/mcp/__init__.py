"""Any MCP server that a command starts, with faults injected in front of it and the proxy between them and the agent.

A command and a file of tasks come in, episodes go out. The server itself is never changed, and no SDK is needed.
"""

from .environment import McpEnvironment, McpEpisode

__all__ = ["McpEnvironment", "McpEpisode"]
