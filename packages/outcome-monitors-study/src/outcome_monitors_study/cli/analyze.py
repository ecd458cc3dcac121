"""`study analyze`, `study compare` and `study arms`."""

import json
from pathlib import Path

import click

from outcome_monitors.cli._output import printable, table, write
from outcome_monitors.values.files import write_atomically
from outcome_monitors_study.analysis import analyse
from outcome_monitors_study.analysis_json import as_json
from outcome_monitors_study.arms import arm_summaries
from outcome_monitors_study.compare import compare, compare_json, compare_page, compare_tables
from outcome_monitors_study.manifest import load
from outcome_monitors_study.report import latex, latex_table, report
from outcome_monitors_study.tables import SCRIPTED, tables, title

__all__ = ["analyze_command", "arms_command", "compare_command"]


@click.command("analyze", epilog="\b\nExample:\n  outcome-monitors study analyze trial --html report.html")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "json_file", metavar="FILE", help="Also write JSON.")
@click.option("--latex", "latex_file", metavar="FILE", help="Also write LaTeX tables.")
@click.option("--html", "html_file", metavar="FILE", help="Also write a page with figures.")
def analyze_command(
    folder: Path, json_file: str | None, latex_file: str | None, html_file: str | None
) -> None:
    """Analyze the episodes so far."""
    found = analyse(load(folder))
    write(printable(title(found)) + "\n")
    if found.scripted:
        write(SCRIPTED + "\n")
    for entry in found.amendments:
        write(printable(f"amended after {entry['episodes seen']} episodes: {entry['reason']}") + "\n")
    write("\n")
    for heading, columns, rows in tables(found):
        write(heading + "\n")
        table(columns, rows)
    if json_file:
        write_atomically(json_file, json.dumps(as_json(found), indent=1) + "\n")
    if latex_file:
        write_atomically(latex_file, latex(found))
    if html_file:
        write_atomically(html_file, report(found))


@click.command(
    "compare", epilog="\b\nExample:\n  outcome-monitors study compare main clean placebo --html figures.html"
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--dev",
    metavar="FOLDER",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A study seen during development. Repeatable.",
)
@click.option("--json", "json_file", metavar="FILE", help="Also write JSON.")
@click.option("--latex", "latex_file", metavar="FILE", help="Also write LaTeX tables.")
@click.option("--html", "html_file", metavar="FILE", help="Also write a page with figures.")
def compare_command(
    folders: tuple[Path, ...],
    dev: tuple[Path, ...],
    json_file: str | None,
    latex_file: str | None,
    html_file: str | None,
) -> None:
    """Compare studies side by side."""
    found = compare(folders, dev)
    if found.scripted:
        write(SCRIPTED + "\n\n")
    for heading, columns, rows in compare_tables(found):
        write(heading + "\n")
        table(columns, rows)
    if json_file:
        write_atomically(json_file, json.dumps(compare_json(found), indent=1) + "\n")
    if latex_file:
        write_atomically(latex_file, "\n".join(latex_table(*each) for each in compare_tables(found)))
    if html_file:
        write_atomically(html_file, compare_page(found))


@click.command("arms", epilog="\b\nExample:\n  outcome-monitors study arms")
def arms_command() -> None:
    """List the arms."""
    table(("arm", "what the agent gets"), arm_summaries())
