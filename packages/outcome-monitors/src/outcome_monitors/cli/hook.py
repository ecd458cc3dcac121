"""`hook`: what a coding agent calls after each tool."""

import sys

import click

from outcome_monitors import hook

EPILOG = """\b
Example:
  outcome-monitors hook < event.json

\b
Have Claude Code call it:
  outcome-monitors init --hook --write"""


@click.command("hook", epilog=EPILOG)
@click.argument("folder", default="")
def command(folder: str) -> None:
    """Check the result in a PostToolUse event on standard input, and write a message for the agent if it is wrong.

    The built-in rules hold for every tool; contracts and decisions are read from FOLDER, by default .outcome-monitors/hook of the project.
    """
    sys.exit(hook.main(folder))
