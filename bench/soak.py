"""`python -m bench.soak`: many calls over many conversations, half over HTTP and half over stdio, while everything fails.

Servers are killed, replies torn, cut short and mixed with what is none; the disk that events go to is full for a while; clients are
slow, do not read, or leave. Every reply is compared with what the server says, byte for byte, and every tenth must carry a receipt;
every call must be one event, or counted as lost; and the memory of the proxy is told: over HTTP
after a quarter, a half, and at the end, over stdio the most of any.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click

from outcome_monitors import mine
from outcome_monitors.cli._output import write

from ._results import ORDER
from ._soak_http import over_http
from ._soak_replies import Account
from ._soak_stdio import over_stdio

CALLS_MADE, CONVERSATIONS = 10_000, 50
WAYS: dict[str, Callable[[Path, int, int, bool], Account]] = {"HTTP": over_http, "stdio": over_stdio}


def said(way: str, account: Account, seconds: float) -> str:
    """Return what became of the calls, in words."""
    faults = ", ".join(f"{count:,} {what}" for what, count in sorted(account.faults.items()))
    outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(account.outcomes.items()))
    return (
        f"{way}: {account.answered.total():,} replies over {len(account.answered):,} conversations in {seconds:,.0f} s,"
        f" {account.told:,} of them with a receipt; {len(account.wrong)} were wrong;"
        f" {account.unanswered.total():,} calls had no reply and were made again\n"
        f"  events: {account.events.total():,} ({outcomes}); counted as lost: {account.lost:,}\n"
        f"  memory of the proxy, MB: {', '.join(map(str, account.memory))}\n"
        f"  faults: {faults or 'none'}\n"
    )


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--calls", default=CALLS_MADE, show_default=True, help="Calls to make, half each way.")
@click.option(
    "--conversations", default=CONVERSATIONS, show_default=True, help="Conversations, half each way."
)
@click.option("--way", "ways", multiple=True, type=click.Choice([*WAYS]), help="One way alone.")
@click.option("--faults/--no-faults", default=True, show_default=True, help="Whether anything fails.")
def main(calls: int, conversations: int, ways: tuple[str, ...], faults: bool) -> None:
    """Make many calls over many conversations while everything fails.

    Example: python -m bench.soak --calls 1000000 --conversations 1000
    """
    bad = False
    for way in ways or WAYS:
        with tempfile.TemporaryDirectory() as name:
            # Of profile paper: by the other, what every tenth result has would soon be a change, and not told any more.
            mine(ORDER.mined(), "paper").save(Path(name) / "contracts.json")
            begun = time.monotonic()
            account = WAYS[way](Path(name), calls // 2, max(1, conversations // 2), faults)
        write(said(way, account, time.monotonic() - begun))
        for each in (*account.wrong[:5], *account.miscounted[:5]):
            write(f"  {each}\n")
        bad = bad or bool(account.wrong or account.miscounted)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(prog_name="python -m bench.soak")
