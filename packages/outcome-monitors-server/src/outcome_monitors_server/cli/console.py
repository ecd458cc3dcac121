"""`console`: a page that lives, on the folder that a proxy or an adapter learns in."""

import os
from contextlib import closing
from pathlib import Path

import click

from outcome_monitors.cli._output import warn
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.proxy.status_server import TOKEN
from outcome_monitors.state.homes import home_at
from outcome_monitors_server.console.access import READER
from outcome_monitors_server.console.writers import WRITER, event_writers

__all__ = ["LISTEN", "command"]

LISTEN = "127.0.0.1:8787"

EPILOG = """\b
Example:
  outcome-monitors console shop

Exit status: 0, or 2 where the work could not be done."""


@click.command("console", epilog=EPILOG)
@click.argument("folder")
@click.option("--listen", metavar="HOST:PORT", default=LISTEN, show_default=True, help="Where to serve it.")
@click.option(
    "--token",
    metavar="SECRET",
    help=f"What readers must name; needed for any but a local address. {TOKEN} holds it without showing it to others.",
)
@click.option(
    "--reader-token",
    metavar="SECRET",
    help=f"What those name who may look and decide nothing. {READER} holds it without showing it to others.",
)
@click.option(
    "--writers",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Names those who may write events and do nothing else: a token a line, and behind it the labels that its events bear, as in service=orders. {WRITER} holds a token of one alone.",
)
def command(
    folder: str, listen: str, token: str | None, reader_token: str | None, writers: Path | None
) -> int:
    """Serve a page on FOLDER, where a proxy or an adapter learns: tools, alarms as they come, and what can be done about them.

    It can be left running; it writes nothing but what is decided on it. The page is at /, the document of `status` at
    /api/status, figures for Prometheus at /metrics; events are written by POST to /api/events, a JSON object a line.
    """
    from outcome_monitors_server.console.server import serve  # noqa: PLC0415 - an extra

    secret = os.environ.get(TOKEN, "") if token is None else token
    reader = os.environ.get(READER, "") if reader_token is None else reader_token
    named = event_writers(writers, os.environ)
    with closing(home_at(folder)) as home:
        if home.trouble:
            warn(home.trouble)
        return serve(StateFolder(home.folder, home.shared), listen, secret, reader, named)
