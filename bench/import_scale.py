"""`python -m bench.import_scale`: importing a file of some gigabytes, beside reading its lines as JSON."""

import sys
import tempfile
from pathlib import Path

import click

from outcome_monitors.cli._output import write

from ._report import Table, facts, show
from .importing import FORMS
from .scale import LOADS, measured

__all__ = ["main"]

FORM = "OTLP lines"
"""What is imported unless another is asked for."""


def _table(form: str, file: Path, output: Path) -> Table:
    size = file.stat().st_size / 1e6
    importing = [sys.executable, "-m", "outcome_monitors", "import", str(file), "-o", str(output)]
    costs = {
        "json.loads": measured([sys.executable, "-c", LOADS, str(file)]),
        "import": measured(importing),
        "import --workers 2": measured([*importing, "--workers", "2"]),
    }
    base = costs["json.loads"].cores
    rows = tuple(
        (
            way,
            f"{cost.wall:.1f}",
            f"{cost.cores:.1f}",
            f"{cost.first:.1f}",
            f"{cost.cores / base:.1f}" if base else "",
            f"{size / cost.wall:,.0f}",
            f"{cost.half:,}",
            f"{cost.memory:,}",
        )
        for way, cost in costs.items()
    )
    columns = ("way", ">s", ">core s", ">first", ">x loads", ">MB/s", ">MB, half", ">MB")
    return Table(
        f"{form}, {size:,.0f} MB",
        columns,
        rows,
        (
            "Seconds on the clock and of all cores, of these those of the first process, and all as a multiple of what `json.loads` takes.",
            "The most megabytes of all processes in the first half of the time, and in all of it.",
        ),
    )


@click.command()
@click.option("--megabytes", type=int, default=2048, show_default=True)
@click.option(
    "--form", "forms", multiple=True, type=click.Choice(list(FORMS)), default=[FORM], help="Can be repeated."
)
@click.option("--folder", type=click.Path(path_type=Path), help="Where to write, and leave nothing.")
def main(megabytes: int, forms: tuple[str, ...], folder: Path | None) -> None:
    """Measure importing at size."""
    write(facts() + "\n\n")
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        for form in forms:
            file = Path(temporary) / "log.jsonl"
            with file.open("w", encoding="utf-8") as text:
                FORMS[form](text, megabytes << 20)
            show(_table(form, file, Path(temporary) / "traces.jsonl"))


if __name__ == "__main__":
    main(prog_name="python -m bench.import_scale")
