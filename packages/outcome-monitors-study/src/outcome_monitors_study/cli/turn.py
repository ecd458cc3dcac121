"""`study turn`: whole episodes with a model that answers files."""

import json
from pathlib import Path

import click

from outcome_monitors.cli._output import count, fail, printable, warn, write
from outcome_monitors.values.files import replacing
from outcome_monitors_study.turns import StudyTurn, turn

__all__ = ["turn_command"]

EPILOG = """\b
Example:
  outcome-monitors study turn trial -o requests-1.jsonl --model some-model
  vllm run-batch -i requests-1.jsonl -o responses-1.jsonl --model ...
  outcome-monitors study turn trial responses-1.jsonl -o requests-2.jsonl --model some-model"""


@click.command("turn", epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("responses", nargs=-1)
@click.option("-o", "--output", metavar="FILE", required=True, help="The requests file to write.")
@click.option("--model", metavar="NAME", required=True, help="The endpoint's model name.")
def turn_command(folder: Path, responses: tuple[str, ...], output: str, model: str) -> int:
    """Play episodes by batch files: take RESPONSES, record ended episodes, write the next requests.

    Exit status 2 where a plugin aborted some.
    """
    now = turn(folder, responses, model)
    with replacing(output) as out:
        for request in now.requests:
            out.write(json.dumps(request).encode() + b"\n")
    write(
        printable(
            f"{folder}: {now.done:,} of {count(now.planned, 'episode')} done; {output}:"
            f" {count(len(now.requests), 'request')}"
        )
        + "\n"
    )
    _tell_trouble(now)
    return 2 if now.faults else 0


def _tell_trouble(now: StudyTurn) -> None:
    for number, what in (
        (now.lines.failed, "failed at the endpoint, and are asked for again"),
        (now.lines.doubled, "answer what was answered before; the first counts"),
        (now.lines.foreign, "answer other requests"),
        (now.lines.broken, "could not be read, and are asked for again"),
    ):
        if number:
            warn(f"{count(number, 'line')}: {what}")
    for fault in dict.fromkeys(now.faults):
        fail(printable(f"an episode was broken off: {fault}"))
