"""`lint`: what is wrong with a contract file as it stands."""

import json
from collections.abc import Sequence

import click

from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.lifecycle import Remark, lint
from outcome_monitors.storage.address import shown

from ._inputs import format_option, overrides_option
from ._output import count, write, write_line

EPILOG = """\b
Example:
  outcome-monitors lint contracts.json

Exit status: 0 nothing found, 1 something found, 2 the work could not be done."""


@click.command("lint", epilog=EPILOG)
@click.argument("contracts", nargs=-1, required=True)
@overrides_option("Decisions of `review`: accepted clauses are skipped.")
@format_option("text", "json", note="; one file at a time unless text")
def command(contracts: tuple[str, ...], overrides: Overrides, form: str) -> int:
    """Find weak support, personal data and secrets in contract files."""
    if form != "text" and len(contracts) > 1:
        raise click.UsageError(f"--format {form} is for one contract file at a time")
    found = {shown(name): lint(load_contracts(name), overrides) for name in contracts}
    for file, remarks in found.items():
        if form == "json":
            document = {"file": file, "remarks": [remark._asdict() for remark in remarks]}
            write(json.dumps(document, indent=2) + "\n")
        else:
            _write_remarks(file, remarks)
    return int(any(found.values()))


def _write_remarks(file: str, remarks: Sequence[Remark]) -> None:
    for remark in remarks:
        clause = f" [{remark.id}]" if remark.id else ""
        write_line(f"{file}: {remark.rule}: {remark.tool}: {remark.message}{clause}")
    write_line(f"{file}: {count(len(remarks), 'remark')}")
