"""What is tried: environments with their versions, adapters, clients and servers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

__all__ = [
    "ADAPTERS",
    "ASKING",
    "CLIENTS",
    "ENVIRONMENTS",
    "HERE",
    "HTTP_SERVERS",
    "NODE",
    "SERVERS",
    "SHOPS",
    "TALKERS",
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
    "pydantic-ai": Environment(("pydantic-ai-slim[mcp]==2.66.0", "opentelemetry-sdk==1.45.2"), "pydantic-ai"),
    "fastmcp": Environment(("fastmcp==4.1.2",), "fastmcp"),
    "google-adk": Environment(("google-adk==2.13.0",), "google-adk"),
    "anthropic": Environment(("anthropic==2.8.0",), "anthropic"),
    "crewai": Environment(("crewai==1.15.30",), "crewai"),
    "agent-framework": Environment(
        ("agent-framework-core==1.23.0", "opentelemetry-sdk==1.45.2"), "agent-framework"
    ),
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
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/server@2.4.0",
    "@modelcontextprotocol/node@2.1.2",
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
"""Each adapter, and the environment that its tests run in; the first of them is named for the environment."""


@dataclass(frozen=True, slots=True)
class Client:
    """A program that visits servers, the environment it runs in, and how it settles on an era of the protocol."""

    name: str
    script: str
    environment: str
    package: str
    """What it is a client of, in its environment."""
    era: str = "auto"
    """`legacy` is the handshake, `auto` the newest that both sides speak; for clients that leave the choice."""


_TS1, _TS2 = "@modelcontextprotocol/sdk", "@modelcontextprotocol/client"
CLIENTS = (
    Client("Python SDK 1", "sdk1.py", "mcp1", "mcp"),
    Client("Python SDK 2, handshake", "sdk2.py", "mcp2", "mcp", "legacy"),
    Client("Python SDK 2", "sdk2.py", "mcp2", "mcp"),
    Client("FastMCP, handshake", "fastmcp_client.py", "fastmcp", "fastmcp", "legacy"),
    Client("FastMCP", "fastmcp_client.py", "fastmcp", "fastmcp"),
    Client("TypeScript SDK 1", "typescript1.mjs", "node", _TS1),
    Client("TypeScript SDK 2, handshake", "typescript2.mjs", "node", _TS2, "legacy"),
    Client("TypeScript SDK 2", "typescript2.mjs", "node", _TS2),
    Client(
        "LangChain's MCP adapters, agent", "langchain_agent.py", "langchain-mcp", "langchain-mcp-adapters"
    ),
    Client("Pydantic AI, agent", "pydantic_agent.py", "pydantic-ai", "pydantic-ai-slim"),
    Client("OpenAI Agents SDK, agent", "openai_agent.py", "openai-agents", "openai-agents"),
)

TALKERS = (
    Client("Python SDK 1", "exchanges_sdk1.py", "mcp1", "mcp"),
    Client("Python SDK 2, handshake", "exchanges_sdk2.py", "mcp2", "mcp", "legacy"),
    Client("Python SDK 2", "exchanges_sdk2.py", "mcp2", "mcp"),
    Client("FastMCP, handshake", "exchanges_fastmcp.py", "fastmcp", "fastmcp", "legacy"),
    Client("FastMCP", "exchanges_fastmcp.py", "fastmcp", "fastmcp"),
    Client("TypeScript SDK 1", "exchanges_ts1.mjs", "node", _TS1),
    Client("TypeScript SDK 2, handshake", "exchanges_ts2.mjs", "node", _TS2, "legacy"),
    Client("TypeScript SDK 2", "exchanges_ts2.mjs", "node", _TS2),
)
"""Clients that a server asks back."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server: its command in an environment, a call that is right, and one whose result breaks a contract.

    `{here}` stands for this folder, `{environment}` for that of the environment, `{folder}` for a folder with `note.txt`,
    `{port}` for where it is to listen.
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
    asks: Mapping[str, tuple[str, Mapping[str, object]]] = field(default_factory=dict)
    """Its tools that ask the client back, with their arguments, where they are not named as ours are."""
    answer: Mapping[str, object] = field(default_factory=dict)
    """What a user answers it."""

    @property
    def over_http(self) -> bool:
        """Whether it listens on a port."""
        return any("{port}" in part for part in self.command)

    def listening(self) -> "Server":
        """Return the same server over HTTP, where a port behind its command is all it takes."""
        return replace(self, command=(*self.command, "{port}"))


_TIME = {"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo"}
_SHOP = ("get_order", {"id": "W1"}, {"id": "W1", "total": -5}, "total", "W1")
_WEATHER = ("get-structured-content", *({"location": "New York"},) * 2, "no_such_field", "temperature")
_PYTHON = "{environment}/bin/python"
_PACKAGES = "{environment}/node_modules/@modelcontextprotocol"
_EVERYTHING = f"{_PACKAGES}/server-everything/dist/index.js"
_ASKS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "sample": ("trigger-sampling-request", {"prompt": "How is the order?", "maxTokens": 10}),
    "elicit": ("trigger-elicitation-request", {}),
    "roots": ("get-roots-list", {}),
}

SHOPS = (
    Server("own, Python SDK 1", "mcp1", "mcp", (_PYTHON, "{here}/servers/shop1.py"), *_SHOP),
    Server("own, Python SDK 2", "mcp2", "mcp", (_PYTHON, "{here}/servers/shop2.py"), *_SHOP),
    Server("own, FastMCP", "fastmcp", "fastmcp", (_PYTHON, "{here}/servers/shop_fastmcp.py"), *_SHOP),
    Server(
        "own, TypeScript SDK 1",
        "node",
        "@modelcontextprotocol/sdk",
        ("node", "{environment}/servers/shop1.mjs"),
        *_SHOP,
    ),
    Server(
        "own, TypeScript SDK 2",
        "node",
        "@modelcontextprotocol/server",
        ("node", "{environment}/servers/shop2.mjs"),
        *_SHOP,
    ),
)
"""Our own servers: all have the same tools, and ask their clients back."""

EVERYTHING = Server(
    "server-everything, npm",
    "node",
    "@modelcontextprotocol/server-everything",
    ("node", _EVERYTHING),
    *_WEATHER,
    asks=_ASKS,
    answer={"name": "Ada"},
)

SERVERS = (
    *SHOPS,
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
    EVERYTHING,
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
HTTP_SERVERS = (
    *(shop.listening() for shop in SHOPS),
    replace(EVERYTHING, command=("env", "PORT={port}", "node", _EVERYTHING, "streamableHttp")),
)
ASKING = (*SHOPS, EVERYTHING)
"""Servers that ask their clients back; over HTTP all do."""
