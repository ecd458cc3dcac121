"""`python -m compat [ENVIRONMENT ...]`: run the matrix, all of it or some environments, and write the page."""

import sys
from pathlib import Path

import click

from ._adapters import adapters
from ._environments import Unmade, installed, made
from ._matrix import CLIENTS, ENVIRONMENTS, SERVERS
from ._page import table, where, write
from ._proxied import proxied

FOLDER = Path(__file__).parents[1] / ".compat"
ADAPTER_COLUMNS = ("adapter", "versions", "outcome")
ABOUT = {
    "fastmcp": "fastmcp",
    "langchain-mcp": "langchain-mcp-adapters",
    "mcp1": "mcp",
    "mcp2": "mcp",
    "node": "@modelcontextprotocol/sdk",
    "openai-agents": "openai-agents",
    "pydantic-ai": "pydantic-ai-slim",
}
"""The package that a client is, by its environment."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("wanted", nargs=-1, type=click.Choice([*ENVIRONMENTS, "node"]), metavar="[ENVIRONMENT]...")
@click.option("--folder", type=Path, default=FOLDER, help="Where the environments are made and kept.")
def main(wanted: tuple[str, ...], folder: Path) -> None:
    """Try every adapter in its framework, and the proxy between every client and every server.

    Example: python -m compat langchain
    """
    folder, only, rows = folder.absolute(), frozenset(wanted), []
    for row in adapters(folder, only):
        click.echo(": ".join(row))
        rows.append(row)
    pairs = []
    for pair in proxied(folder, only):
        click.echo(" | ".join(pair))
        pairs.append((f"{pair[0]} {_version(folder, pair)}".strip(), *pair[1:]))
    if not only:
        servers = [
            f"{server.name}, {_installed(folder, server.environment, server.package)}" for server in SERVERS
        ]
        write("adapters", f"{table(ADAPTER_COLUMNS, rows)}\n{where()}.\n")
        write("proxy", table(("client", *servers), pairs))
    sys.exit(any(cell.startswith("failed") for row in [*rows, *pairs] for cell in row))


def _version(folder: Path, pair: tuple[str, ...]) -> str:
    [client] = [client for client in CLIENTS if client.name == pair[0]]
    ran = any(cell.startswith(("passed", "failed")) for cell in pair[1:])
    return f"({_installed(folder, client.environment, ABOUT[client.environment])})" if ran else ""


def _installed(folder: Path, environment: str, package: str) -> str:
    try:
        return installed(made(folder, environment), package)
    except Unmade:
        return "not installed"


if __name__ == "__main__":
    main(prog_name="python -m compat")
