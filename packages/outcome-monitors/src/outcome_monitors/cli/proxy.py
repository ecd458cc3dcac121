"""`proxy`: an MCP server in front of another, which checks what it answers."""

from typing import get_args

import click

from outcome_monitors.events.alarms import PAUSE
from outcome_monitors.mcp.context import LARGEST, SECONDS
from outcome_monitors.mcp.settings import MODES, ProxySettings
from outcome_monitors.mcp.shutdown import DRAIN
from outcome_monitors.model import Encoder
from outcome_monitors.receipts.mcp import CARRIERS, DEFAULT_CARRIER

EPILOG = """\b
Example:
  outcome-monitors proxy --contracts contracts.json -- python server.py

\b
The same over HTTP, and learning from nothing:
  outcome-monitors proxy --learn state --upstream http://localhost:8000/mcp --listen localhost:9000

Exit status: that of the server behind it; 2 the work could not be done."""


@click.command("proxy", epilog=EPILOG)
@click.argument("server", metavar="[-- COMMAND [ARGS]...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--contracts", metavar="FILE", help="A contract file.")
@click.option(
    "--learn",
    metavar="FOLDER",
    help="Learn from schemas and traffic; state is kept in this folder or at a fleet's address.",
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default="advise",
    help="observe records, shadow checks without alerting, advise adds receipts.",
)
@click.option("--record", metavar="FILE", help="Append every call to a trace file.")
@click.option("--relations", metavar="FILE", help="Recovery relations.")
@click.option("--state", metavar="FOLDER", help="The change-detection state; with --learn, in its folder.")
@click.option(
    "--encoder",
    type=click.Choice(get_args(Encoder)),
    default="note",
    help="The receipt format.",
)
@click.option(
    "--carry",
    type=click.Choice(list(CARRIERS)),
    default=DEFAULT_CARRIER,
    help="Where a result carries the receipt.",
)
@click.option(
    "--events",
    multiple=True,
    metavar="WHERE",
    help="Event sink: a .sqlite or .jsonl file, otel or none. Repeatable.",
)
@click.option("--payloads", is_flag=True, help="Store arguments and results in events.")
@click.option(
    "--redact",
    multiple=True,
    metavar="PATH",
    help="A path to leave out of events: result.user.email. Repeatable.",
)
@click.option(
    "--largest",
    type=int,
    default=LARGEST,
    help="The largest message to check, in bytes.",
)
@click.option(
    "--timeout",
    type=float,
    default=SECONDS,
    help="Seconds of processor time that a check may take; 0 for any.",
)
@click.option("--overrides", metavar="FILE", help="Decisions on clauses; with --learn, those in its folder.")
@click.option(
    "--private",
    multiple=True,
    metavar="PATH",
    help="A path whose values are never kept: customer.email, @password. Repeatable.",
)
@click.option(
    "--webhook",
    multiple=True,
    metavar="URL",
    help="Post alerts to this URL as JSON, batched. Repeatable.",
)
@click.option(
    "--hook",
    multiple=True,
    metavar="COMMAND",
    help="Run this on alerts, JSON on stdin. Repeatable.",
)
@click.option(
    "--pause",
    type=float,
    default=PAUSE,
    help="Seconds between two batches of alerts.",
)
@click.option(
    "--scores",
    multiple=True,
    type=click.Choice(["langfuse", "phoenix", "none"]),
    help="Score results on their spans; default where API keys are set.",
)
@click.option(
    "--status",
    metavar="HOST:PORT",
    help="Serve status and Prometheus metrics here.",
)
@click.option("--upstream", metavar="URL", help="The upstream server, over streamable HTTP.")
@click.option("--listen", metavar="HOST:PORT", help="The address to listen on.")
@click.option(
    "--token",
    metavar="TEXT",
    help="The clients' token, or OUTCOME_MONITORS_TOKEN; required on non-local addresses.",
)
@click.option("--origin", multiple=True, metavar="URL", help="An allowed web origin. Repeatable.")
@click.option(
    "--drain",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    default=DRAIN,
    help="Graceful shutdown: the time for running calls.",
)
@click.option("--verbose", is_flag=True, help="Verbose logging.")
def command(
    server: tuple[str, ...],
    upstream: str | None,
    listen: str | None,
    token: str | None,
    origin: tuple[str, ...],
    verbose: bool,
    **options: object,
) -> int:
    """Relay the MCP server COMMAND and add a receipt to results that break their contract.

    All else passes byte for byte. With --upstream and --listen, over streamable HTTP.
    """
    if bool(server) == bool(upstream):
        raise click.UsageError("name the server's command behind --, or its address with --upstream")
    if bool(upstream) != bool(listen):
        raise click.UsageError("--upstream and --listen belong together")
    settings = ProxySettings(**options)  # type: ignore[arg-type]  # click has read them
    settings.refuse()
    if upstream and listen:
        from outcome_monitors.mcp.http_server import serve  # noqa: PLC0415 - an extra

        return serve(settings, upstream, listen, token=token, origins=origin, verbose=verbose)
    from outcome_monitors.mcp.stdio import run  # noqa: PLC0415 - only one of the two is needed

    return run(settings, server, verbose=verbose)
