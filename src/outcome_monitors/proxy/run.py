"""The proxy on standard input and output, start to finish."""

import secrets
from collections.abc import Sequence

from .child_process import started
from .settings import Setting
from .stdio import relay

__all__ = ["run"]


def run(setting: Setting, command: Sequence[str], *, verbose: bool = False) -> int:
    """Run a server's command behind a proxy; return its exit status."""
    # The server first: it starts while contracts are read.
    server = started(command)
    try:
        with setting.desk(verbose=verbose) as desk:
            return relay(server, desk, secrets.token_hex(8))
    finally:
        server.stop()
