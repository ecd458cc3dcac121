"""`import`: trace lines from what other systems record."""

import json
from itertools import chain

import click

from outcome_monitors.exceptions import TraceError
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.model import Json
from outcome_monitors.traces.importers import AUTO, SOURCES, ImportTally, import_traces
from outcome_monitors.traces.reader import write_traces

from ._inputs import refuse_output
from ._output import count, progress, table, warn, write

MOST_TOOLS = 12
"""Tools of which a call is shown."""
LONGEST_SHOWN = 80
"""Characters of its arguments, and of its result."""

EPILOG = """\b
Example:
  outcome-monitors import openai.jsonl -o imported.jsonl"""


@click.command("import", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--from",
    "source",
    type=click.Choice([AUTO, *sorted(SOURCES)]),
    default=AUTO,
    help="The format; auto detects it for each file.",
)
@click.option(
    "-o", "--output", metavar="FILE", required=True, help="The trace file to write; .gz compresses."
)
@click.option("--strict", is_flag=True, help="Fail on the first loss instead of counting it.")
@click.option("--quiet", is_flag=True, help="Show losses only.")
def command(
    files: tuple[str, ...],
    source: str,
    output: str,
    strict: bool,
    quiet: bool,
) -> None:
    """Convert logs and exports of other systems into trace lines.

    FILES are files (.gz), folders, or - for stdin. One call of each tool is shown; losses are
    counted and explained.
    """
    refuse_output(output, files)
    tally = ImportTally(strict=strict)
    calls = progress(import_traces(files, source, tally=tally), "call")
    # The first call is waited for before anything is written: an import that gives none leaves no file.
    first = next(calls, None)
    if first is None:
        why = tally.explain()
        raise TraceError(
            f"no tool calls in {', '.join(files)}: {why[0] if why else 'there are no records of any'}"
        )
    write_traces(output, chain([first], calls))
    _summarise(output, tally, quiet)


def _summarise(output: str, tally: ImportTally, quiet: bool) -> None:
    write(f"{output}: {count(tally.calls, 'call')}, of which {tally.failed_openly:,} failed openly\n")
    if not quiet:
        write(f"{count(tally.unwrapped, 'result')} taken out of wrappers, {tally.lost:,} lost\n")
        table(
            ("file", "source", ">records"),
            [(file, source, f"{n:,}") for (file, source), n in tally.records.items()],
        )
        _show_calls(tally)
    for line in tally.explain():
        warn(line)


def _show_calls(tally: ImportTally) -> None:
    """Show one call of each tool, to be looked at before it is mined."""
    shown = tally.tools.most_common(MOST_TOOLS)
    table(
        ("tool", ">calls", "arguments", "result of one"),
        [
            (tool, f"{n:,}", _shown(dict(tally.samples[tool].arguments)), _shown(tally.samples[tool].result))
            for tool, n in shown
        ],
    )
    if len(tally.tools) > len(shown):
        write(f"and {count(len(tally.tools) - len(shown), 'more tool')}\n\n")


def _shown(value: Json) -> str:
    return clip_text(json.dumps(value, ensure_ascii=False), LONGEST_SHOWN)
