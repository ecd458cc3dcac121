"""`python -m bench [checking|mining|relations|receipts] [--markdown FILE]`: the tables, on the terminal and as a page.

`python -m bench kinds FILES...` says what each kind of clause adds (`bench.kinds`), and `python -m bench thresholds FILES...` what each
threshold of mining moves (`bench.thresholds`).
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from textwrap import fill

import click

from outcome_monitors.cli._output import write
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import write_atomically

from . import checking, kinds, mining, receipts, relations, thresholds
from ._report import WIDTH, Table, facts, page, show

PARTS: Mapping[str, Callable[[], Iterator[Table]]] = {
    "checking": checking.tables,
    "mining": mining.tables,
    "relations": relations.tables,
    "receipts": receipts.tables,
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("part", type=click.Choice(list(PARTS)), required=False)
@click.option("--markdown", metavar="FILE", help="Also write the tables as a page of Markdown.")
def main(part: str | None, markdown: str | None) -> None:
    """Measure how fast it is, as ratios.

    Example: python -m bench checking
    """
    write(fill(facts(), WIDTH) + "\n\n")
    measured: list[Table] = []
    for name in [part] if part else PARTS:
        try:
            for table in PARTS[name]():
                show(table)
                measured.append(table)
        except OutcomeMonitorsError as error:
            write(f"{name}: {error}\n\n")
    if markdown:
        write_atomically(markdown, page(measured))
    sys.exit(0 if measured else 2)


if __name__ == "__main__":
    if sys.argv[1:2] == ["kinds"]:
        kinds.main(sys.argv[2:], prog_name="python -m bench kinds")
    if sys.argv[1:2] == ["thresholds"]:
        thresholds.main(sys.argv[2:], prog_name="python -m bench thresholds")
    main(prog_name="python -m bench")
