"""The command `outcome-monitors`: one module a command, imported when it is called.

Exit status: 0 nothing found, 1 something found, 2 the command could not do its work, with one sentence on standard error.
Ended from outside it is 130 (interrupted) or 141 (nobody reads the output any more), as shells have it.
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

import click

from outcome_monitors.distributions import SERVER, STUDY, part_of
from outcome_monitors.exceptions import OutcomeMonitorsError

from ._output import closest, fail

__all__ = ["COMMANDS", "commands", "main"]

COMMANDS = {
    "accept": "Accept a change.",
    "audit": "Measure false positives and recall.",
    "check": "Check tool results against contracts.",
    "console": "Serve the live dashboard.",
    "contracts": "List, compare, promote and roll back versions.",
    "demo": "Run the whole loop on a shop's recorded traffic.",
    "diff": "Compare two contract files.",
    "drift": "Test whether tools still match their contracts.",
    "events": "List what proxies and adapters checked.",
    "hook": "Check results in a coding agent.",
    "import": "Convert logs of other systems into traces.",
    "init": "Put the proxy in front of an MCP client's servers.",
    "learn": "Mine recorded traffic, as a job.",
    "lint": "Find weak support, personal data and secrets in contracts.",
    "mine": "Mine contracts from traces, schemas and databases.",
    "missed": "Report a missed fault.",
    "mute": "Suppress alerts of a clause.",
    "proxy": "Run the MCP proxy.",
    "reject": "Report that a change is a fault.",
    "relations": "Mine, show and edit recovery relations.",
    "replay": "Replay traces, with change detection.",
    "report": "Write an HTML report.",
    "review": "Accept, mute, pin and annotate clauses.",
    "show": "Show contracts in words.",
    "state": "Copy, bound and clean up state.",
    "status": "Show the status of learned contracts.",
    "study": "Run controlled studies.",
    "unmute": "Resume alerts of a clause.",
    "wrong": "Report a false positive.",
}
"""Each command and what it does. Its module, of the same name (`import_` for a word of Python), has it as `command`."""

GROUPS = {
    "Start": "demo init hook",
    "Learn contracts": "import mine relations learn",
    "Check": "check replay audit diff drift lint",
    "Run": "proxy status events console report",
    "Look and decide": "show review mute unmute accept reject wrong missed",
    "Keep": "state contracts study",
}
"""The commands as they are listed."""
DECISIONS = ("accept", "missed", "mute", "reject", "unmute", "wrong")
"""Commands that one module has under their names."""
OF_SERVER = ("console", "contracts", "learn", "report", "state")
OF_STUDY = ("study",)
"""Commands that other distributions hold."""

COULD_NOT_WORK = 2
INTERRUPTED = 130
NOBODY_READS = 141


class _NobodyReadsError(Exception):
    """The reader of standard output has gone."""


class Commands(click.Group):
    """The commands of the table; only the one that is called is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module = _module_of(cmd_name)
        command: click.Command = getattr(module, cmd_name if cmd_name in DECISIONS else "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is meant; one that is mistyped gets a suggestion."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            hint = closest(name, COMMANDS, "outcome-monitors --help lists them all")
            raise click.ClickException(f"there is no command {name!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name]) for name in names.split()])

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # click would end with status 1, which here means that something was found.
            raise _NobodyReadsError from error

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command, and end the process with its exit status."""
        sys.exit(_status(lambda: super(Commands, self).main(*args, **{**extra, "standalone_mode": False})))


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
    epilog="Example: outcome-monitors mine traces.jsonl -o contracts.json",
)
@click.version_option(
    package_name="outcome-monitors", prog_name="outcome-monitors", message="%(prog)s %(version)s"
)
@click.pass_context
def commands(ctx: click.Context) -> int:
    """Learn what tool results look like when they are right, and find the ones that are not."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        return COULD_NOT_WORK
    return 0


def main() -> None:
    """Run the command line; never returns."""
    # A name in a trace may hold characters that the terminal's encoding has not.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    commands.main(prog_name="outcome-monitors")


def _module_of(name: str) -> ModuleType:
    job = f"`outcome-monitors {name}`"
    if name in OF_SERVER:
        return part_of(SERVER, f"cli.{name}", job)
    if name in OF_STUDY:
        return part_of(STUDY, "cli", job)
    own = "decisions" if name in DECISIONS else f"{name}_" if iskeyword(name) else name
    return import_module(f".{own}", __package__)


def _status(run: Callable[[], Any]) -> int:
    """Run, and return the exit status; whatever goes wrong is one sentence, since a traceback's status reads as a finding."""
    try:
        status = run()
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.UsageError as error:
        fail(_usage(error))
    except click.ClickException as error:
        fail(error.format_message())
    except OutcomeMonitorsError as error:
        fail(str(error))
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except (BrokenPipeError, _NobodyReadsError):
        _leave_standard_output()
        return NOBODY_READS
    except OSError as error:
        _leave_standard_output()
        fail(f"the system refused: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - the last resort of a process
        fail(
            f"a fault of outcome-monitors itself, please report it: {type(error).__name__}: {error} ({_place(error)})"
        )
    return COULD_NOT_WORK


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "outcome-monitors"
    # Of a missing choice click writes a line for each.
    said = " ".join(error.format_message().split())
    return f"{said.rstrip('.')}; see {path} --help"


def _place(error: Exception) -> str:
    frame = extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


def _leave_standard_output() -> None:
    # Python flushes standard output once more at its end, and would complain of the same error again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
