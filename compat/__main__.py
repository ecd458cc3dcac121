"""`python -m compat [ENVIRONMENT ...]`: run the matrix, all of it or some environments, and write the page."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from ._adapters import adapters
from ._environments import Unmade, installed, made
from ._extras import EXTRAS, extras
from ._matrix import ASKING, CLIENTS, ENVIRONMENTS, HTTP_SERVERS, SERVERS, TALKERS, Server
from ._page import outcomes, table, where, write
from ._pairs import exchanged, proxied

FOLDER = Path(__file__).parents[1] / ".compat"
ADAPTER_COLUMNS = ("adapter", "versions", "outcome")
EXTRA_COLUMNS = ("extra", "what pip picks", "outcome")
Row = tuple[str, ...]
Tried = Callable[[Path, frozenset[str], Sequence[Server]], Iterator[Row]]
TABLES: Mapping[str, tuple[Tried, Sequence[Server]]] = {
    "stdio": (proxied, SERVERS),
    "http": (proxied, HTTP_SERVERS),
    "exchanges-stdio": (exchanged, ASKING),
    "exchanges-http": (exchanged, HTTP_SERVERS),
}
"""The tables of the proxy: how each is made, and with which servers."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument(
    "wanted",
    nargs=-1,
    type=click.Choice(sorted({*ENVIRONMENTS, *EXTRAS, "node"})),
    metavar="[ENVIRONMENT]...",
)
@click.option("--folder", type=Path, default=FOLDER, help="Where the environments are made and kept.")
def main(wanted: tuple[str, ...], folder: Path) -> None:
    """Try every adapter in its framework, and the proxy between every client and every server.

    Example: python -m compat langchain
    """
    folder, only = folder.absolute(), frozenset(wanted)
    found = {
        "extras": list(map(_shown, extras(folder, only))),
        "adapters": list(map(_shown, adapters(folder, only))),
    }
    for part, (tried, servers) in TABLES.items():
        click.echo(part)
        found[part] = list(map(_shown, tried(folder, only, servers)))
    if not only:
        _write(folder, found)
    sys.exit(any(cell.startswith("failed") for rows in found.values() for row in rows for cell in row))


def _shown(row: Row) -> Row:
    click.echo(" | ".join(row))
    return row


def _write(folder: Path, found: Mapping[str, Sequence[Row]]) -> None:
    write("extras", table(EXTRA_COLUMNS, found["extras"]))
    write("adapters", f"{table(ADAPTER_COLUMNS, found['adapters'])}\n{where()}.\n")
    version = partial(_version, folder)
    of_client = {client.name: version(client.environment, client.package) for client in (*CLIENTS, *TALKERS)}
    for part, (_, servers) in TABLES.items():
        columns = [f"{server.name}, {version(server.environment, server.package)}" for server in servers]
        rows = [(f"{name} ({of_client[name]})", cells) for name, *cells in found[part]]
        write(part, outcomes(columns, rows))


def _version(folder: Path, environment: str, package: str) -> str:
    try:
        return installed(made(folder, environment), package)
    except Unmade:
        return "not installed"


if __name__ == "__main__":
    main(prog_name="python -m compat")
