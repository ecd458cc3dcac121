"""`import`: trace lines from what other systems record."""

from itertools import chain
from pathlib import Path

import click

from outcome_monitors.exceptions import TraceError
from outcome_monitors.traces.imports import AUTO, SOURCES, ImportTally, import_traces
from outcome_monitors.traces.reader import write_traces

from ._output import count, progress, table, warn, write

__all__ = ["command"]

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
    show_default=True,
    help="What the files are; each is looked at for itself unless this says so.",
)
@click.option(
    "-o", "--output", metavar="FILE", required=True, help="Where to write the trace lines; packed for .gz."
)
@click.option("--strict", is_flag=True, help="Stop at the first thing that is lost instead of counting it.")
def command(files: tuple[str, ...], source: str, output: str, strict: bool) -> None:
    """Turn the logs and exports of other systems in FILES into trace lines.

    FILES are files, packed with gzip or not, folders, or - for standard input. What cannot be used is counted, and
    explained with what to do about it.
    """
    _refuse_output(Path(output), files)
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
    _summarise(output, tally)


def _summarise(output: str, tally: ImportTally) -> None:
    write(f"{output}: {count(tally.calls, 'call')}, of which {tally.failed_openly:,} failed openly\n")
    table(
        ("file", "source", ">records"),
        [(file, source, f"{n:,}") for (file, source), n in tally.records.items()],
    )
    for line in tally.explain():
        warn(line)


def _refuse_output(output: Path, files: tuple[str, ...]) -> None:
    """Refuse what would be found out only after the work, or would destroy what is read."""
    if not output.parent.is_dir():
        raise TraceError(f"cannot write {output}: there is no folder {output.parent}; make it first")
    if output.is_dir():
        raise TraceError(f"cannot write {output}: it is a folder; name a file in it")
    for file in files:
        if output.exists() and Path(file).exists() and output.samefile(file):
            raise TraceError(f"cannot write {output}: it is one of the files to read; choose another name")
