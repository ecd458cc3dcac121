"""`console`: a page that lives, on the folder that a proxy or an adapter learns in."""

import os
from contextlib import closing

import click

from outcome_monitors.cli._output import warn
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.mcp.request_guard import TOKEN_VARIABLE as TOKEN
from outcome_monitors.storage.opening import current_storage
from outcome_monitors_server.console.access import READER

LISTEN = "127.0.0.1:8787"

EPILOG = """\b
Example:
  outcome-monitors console shop

Exit status: 0, or 2 where the work could not be done."""


@click.command("console", epilog=EPILOG)
@click.argument("folder")
@click.option(
    "--listen", metavar="HOST:PORT", default=LISTEN, show_default=True, help="The address to listen on."
)
@click.option(
    "--token",
    metavar="SECRET",
    help=f"The token of users, or {TOKEN}; required on non-local addresses.",
)
@click.option(
    "--reader-token",
    metavar="SECRET",
    help=f"The token of read-only users, or {READER}.",
)
def command(folder: str, listen: str, token: str | None, reader_token: str | None) -> int:
    """Serve the live dashboard of the state in FOLDER.

    / is the page, /api/status the document of `status`, /metrics is for Prometheus.
    """
    from outcome_monitors_server.console.server import serve  # noqa: PLC0415 - a web server takes long to load

    secret = os.environ.get(TOKEN, "") if token is None else token
    reader = os.environ.get(READER, "") if reader_token is None else reader_token
    with closing(current_storage(folder, required=False)) as storage:
        if storage.trouble:
            warn(storage.trouble)
        return serve(StateFolder(storage), listen, secret, reader)
