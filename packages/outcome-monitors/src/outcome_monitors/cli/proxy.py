"""`proxy`: an MCP server in front of another, which checks what it answers."""

from typing import get_args

import click

from outcome_monitors.events.sinks import PAUSE
from outcome_monitors.model import Encoder
from outcome_monitors.proxy.limits import LARGEST, SECONDS
from outcome_monitors.proxy.settings import MODES, ProxySettings
from outcome_monitors.proxy.shutdown import DRAIN
from outcome_monitors.receipts.mcp import CARRIERS, DEFAULT_CARRIER

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors proxy --contracts contracts.json -- python server.py

\b
The same over HTTP, and learning from nothing:
  outcome-monitors proxy --learn state --upstream http://localhost:8000/mcp --listen localhost:9000

Exit status: that of the server behind it; 2 the work could not be done."""


@click.command("proxy", epilog=EPILOG)
@click.argument("server", metavar="[-- COMMAND [ARGS]...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--contracts", metavar="FILE", help="The contracts that `mine` wrote.")
@click.option(
    "--learn",
    metavar="FOLDER",
    help="Learn from the server's schemas and traffic; all of it is kept there. A fleet's postgresql://… too.",
)
@click.option(
    "--mode", type=click.Choice(MODES), default="advise", show_default=True, help="What is done with results."
)
@click.option("--record", metavar="FILE", help="Append every call to a trace file.")
@click.option("--relations", metavar="FILE", help="Which tools can stand in for which, for receipts.")
@click.option(
    "--state", metavar="FOLDER", help="Where to keep what has become usual; with --learn, its own folder."
)
@click.option(
    "--encoder",
    type=click.Choice(get_args(Encoder)),
    default="note",
    show_default=True,
    help="The form of receipts.",
)
@click.option(
    "--carry",
    type=click.Choice(list(CARRIERS)),
    default=DEFAULT_CARRIER,
    show_default=True,
    help="How a receipt travels in a result.",
)
@click.option(
    "--events",
    multiple=True,
    metavar="WHERE",
    help="Where events go: a .sqlite or .jsonl file, otel, or none. Can be repeated.",
)
@click.option("--payloads", is_flag=True, help="Keep arguments and results in events.")
@click.option("--redact", multiple=True, metavar="PATH", help="What events never hold: result.user.email.")
@click.option(
    "--largest",
    type=int,
    default=LARGEST,
    show_default=True,
    help="Bytes of a message that is still checked.",
)
@click.option(
    "--budget", type=float, default=SECONDS, show_default=True, help="Seconds that a check may take."
)
@click.option(
    "--overrides", metavar="FILE", help="What people have decided on clauses; with --learn, its own folder's."
)
@click.option(
    "--private",
    multiple=True,
    metavar="PATH",
    help="A place whose values are kept nowhere: customer.email, @password of the arguments.",
)
@click.option(
    "--webhook",
    multiple=True,
    metavar="URL",
    help="Post alarms there, as JSON, many at once. Can be repeated.",
)
@click.option(
    "--hook",
    multiple=True,
    metavar="COMMAND",
    help="Run it for alarms, with JSON on its input. Can be repeated.",
)
@click.option(
    "--pause",
    type=float,
    default=PAUSE,
    show_default=True,
    help="Seconds between two such messages; alarms that come meanwhile gather.",
)
@click.option(
    "--scores",
    multiple=True,
    type=click.Choice(["langfuse", "phoenix", "none"]),
    help="Where results are scored on the span of their call; where keys are set, unless said otherwise.",
)
@click.option(
    "--status",
    metavar="HOST:PORT",
    help="Where to serve the status and figures for Prometheus; off by default.",
)
@click.option("--upstream", metavar="URL", help="The server behind it, over streamable HTTP.")
@click.option("--listen", metavar="HOST:PORT", help="Where to serve it.")
@click.option(
    "--token",
    metavar="TEXT",
    help="What clients must know; OUTCOME_MONITORS_TOKEN says the same. Needed where others can reach it.",
)
@click.option(
    "--origin", multiple=True, metavar="URL", help="A web page's origin that may come in. Can be repeated."
)
@click.option(
    "--drain",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    default=DRAIN,
    show_default=True,
    help="How long calls under way may take once it is told to stop; told again, it ends at once.",
)
@click.option("--verbose", is_flag=True, help="Log also what goes well.")
def command(
    server: tuple[str, ...],
    upstream: str | None,
    listen: str | None,
    token: str | None,
    origin: tuple[str, ...],
    verbose: bool,
    **options: object,
) -> int:
    """Run COMMAND as an MCP server, relay all that it says, and add a receipt to results that break their contract.

    Everything else is passed on as it came, byte for byte and in order. With --upstream and --listen the same is done over
    streamable HTTP. Without a contract for a tool, its results pass unchecked; with --learn contracts come by themselves.
    """
    if bool(server) == bool(upstream):
        raise click.UsageError("name the server's command behind --, or its address with --upstream")
    if bool(upstream) != bool(listen):
        raise click.UsageError("--upstream and --listen belong together")
    settings = ProxySettings(**options)  # type: ignore[arg-type]  # click has read them
    settings.refuse()
    if upstream and listen:
        from outcome_monitors.proxy.http_server import serve  # noqa: PLC0415 - an extra

        return serve(settings, upstream, listen, token=token, origins=origin, verbose=verbose)
    from outcome_monitors.proxy.stdio import run  # noqa: PLC0415 - only one of the two is needed

    return run(settings, server, verbose=verbose)
