"""What is tried: environments with their versions, adapters, clients and servers."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "ADAPTERS",
    "CLIENTS",
    "ENVIRONMENTS",
    "HERE",
    "NODE",
    "SERVERS",
    "Client",
    "Environment",
    "Server",
]

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment: our package with an extra, and pinned packages. The first one is what it is about."""

    packages: tuple[str, ...]
    extra: str = ""


# The newest versions that install together.
ENVIRONMENTS: Mapping[str, Environment] = {
    "langchain": Environment(("langchain==1.4.7", "langgraph==1.2.20", "langchain-core==1.7.2"), "langchain"),
    "openai-agents": Environment(("openai-agents==0.24.0",), "openai-agents"),
    "pydantic-ai": Environment(("pydantic-ai-slim[mcp]==2.62.0",), "pydantic-ai"),
    "fastmcp": Environment(("fastmcp==4.1.2",), "fastmcp"),
    "google-adk": Environment(("google-adk==2.13.0",), "google-adk"),
    "anthropic": Environment(("anthropic==2.8.0",), "anthropic"),
    "crewai": Environment(("crewai==1.15.30",), "crewai"),
    "agent-framework": Environment(("agent-framework-core==1.23.0",), "agent-framework"),
    "smolagents": Environment(("smolagents==1.26.0",), "smolagents"),
    "llama-index": Environment(("llama-index-core==0.14.25",), "llama-index"),
    "langchain-mcp": Environment(
        ("langchain-mcp-adapters==0.3.2", "langchain==1.4.7", "langchain-core==1.7.2")
    ),
    "mcp1": Environment(("mcp==1.30.0",)),
    "mcp2": Environment(("mcp==2.3.0",)),
    "server-time": Environment(("mcp-server-time==2026.10.19",)),
}

NODE = (
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
)

ADAPTERS: Mapping[str, str] = {
    "LangChain, LangGraph": "langchain",
    "OpenAI Agents SDK": "openai-agents",
    "Pydantic AI": "pydantic-ai",
    "FastMCP server": "fastmcp",
    "Google ADK": "google-adk",
    "Anthropic tool runner": "anthropic",
    "CrewAI": "crewai",
    "Microsoft Agent Framework": "agent-framework",
    "smolagents": "smolagents",
    "LlamaIndex": "llama-index",
}
"""Each adapter, and the environment that its test runs in; the test is named for the environment."""


@dataclass(frozen=True, slots=True)
class Client:
    """A program that visits servers, and the environment it runs in."""

    name: str
    script: str
    environment: str


CLIENTS = (
    Client("Python SDK 1", "sdk1.py", "mcp1"),
    Client("Python SDK 2", "sdk2.py", "mcp2"),
    Client("FastMCP", "fastmcp_client.py", "fastmcp"),
    Client("TypeScript SDK", "typescript.mjs", "node"),
    Client("LangChain's MCP adapters, agent", "langchain_agent.py", "langchain-mcp"),
    Client("Pydantic AI, agent", "pydantic_agent.py", "pydantic-ai"),
    Client("OpenAI Agents SDK, agent", "openai_agent.py", "openai-agents"),
)


@dataclass(frozen=True, slots=True)
class Server:
    """A server: its command in an environment, a call that is right, and one whose result breaks a contract.

    `{here}` stands for this folder, `{environment}` for that of the environment, `{folder}` for a folder with `note.txt`.
    """

    name: str
    environment: str
    package: str
    command: tuple[str, ...]
    tool: str
    right: Mapping[str, object]
    wrong: Mapping[str, object]
    breaks: str
    """A field of which the contract says that it is a positive number, and always there."""
    says: str
    """Words that stand in the wrong result."""


_TIME = {"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo"}
_SHOP = ({"id": "W1"}, {"id": "W1", "total": -5}, "total", "W1")
_PYTHON = "{environment}/bin/python"
_PACKAGES = "{environment}/node_modules/@modelcontextprotocol"

SERVERS = (
    Server("own, Python SDK 1", "mcp1", "mcp", (_PYTHON, "{here}/servers/shop1.py"), "get_order", *_SHOP),
    Server("own, Python SDK 2", "mcp2", "mcp", (_PYTHON, "{here}/servers/shop2.py"), "get_order", *_SHOP),
    Server(
        "mcp-server-time, PyPI",
        "server-time",
        "mcp-server-time",
        (_PYTHON, "-m", "mcp_server_time", "--local-timezone", "UTC"),
        "convert_time",
        _TIME,
        _TIME,
        "no_such_field",
        "Asia/Tokyo",
    ),
    Server(
        "server-everything, npm",
        "node",
        "@modelcontextprotocol/server-everything",
        ("node", f"{_PACKAGES}/server-everything/dist/index.js"),
        "get-structured-content",
        {"location": "New York"},
        {"location": "New York"},
        "no_such_field",
        "temperature",
    ),
    Server(
        "server-filesystem, npm",
        "node",
        "@modelcontextprotocol/server-filesystem",
        ("node", f"{_PACKAGES}/server-filesystem/dist/index.js", "{folder}"),
        "read_text_file",
        {"path": "{folder}/note.txt"},
        {"path": "{folder}/note.txt"},
        "no_such_field",
        "remember the milk",
    ),
)
