"""`python -m bench.studies [--write]`: the studies that docs/internals/paper.md names for the tool world, run, with the audit of its detectors.

The commands are those of the page itself; `--write` puts the two tables there. It takes about ten minutes.
"""

import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path

import click
from click.testing import CliRunner

from outcome_monitors.cli import commands
from outcome_monitors.files import write_atomically
from outcome_monitors.model import Json
from outcome_monitors_study.analysis import analyse
from outcome_monitors_study.detector import LEARNED, audit_detector, audit_tables, world_tasks
from outcome_monitors_study.environments import environment
from outcome_monitors_study.manifest import load
from outcome_monitors_study.study_tables import paired
from outcome_monitors_study.tables import FORMS, interval

from ._report import Table, rows, show

PAGE = Path(__file__).parents[1] / "docs" / "internals" / "paper.md"


def frozen_by(page: str) -> list[list[str]]:
    """Return the commands of a page that freeze a study of the tool world."""
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    given = [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]
    return [words for words in given if words[:2] == ["study", "freeze"] and "--environment" not in words]


def studied(given: list[list[str]]) -> Table:
    """Run each study, and hold its arms against its first."""
    made: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for words in given:
            for command in (words, ["study", "run", words[2]]):
                done = CliRunner().invoke(commands, command)
                if done.exit_code:
                    raise click.ClickException(done.output)
            made += _contrasts(words[2])
    columns = ("study", "first arm", "arm", ">completed", ">points, 95% interval", ">W/L")
    return Table("Studies of the tool world", columns, tuple(made))


def _contrasts(name: str) -> Iterator[tuple[str, ...]]:
    found = analyse(load(Path(name)))
    first = found.contrasts[0].baseline
    for each in found.contrasts:
        if each.baseline == first:
            (before, after, pairs), effect, (wins, losses) = paired(each.whole)
            points = f"{FORMS['points'](effect)} {interval(each.whole.bootstrap[1:3])}"
            yield (
                name,
                f"{first} {before}/{pairs}",
                each.treatment,
                f"{after}/{pairs}",
                points,
                f"{wins}/{losses}",
            )


def audited() -> Table:
    """Audit the schemas, and what both profiles learn."""
    tasks, schemas = world_tasks(400, 0), environment({"environment": "world"}).schema_contracts()
    made: list[tuple[str, ...]] = []
    for profile in ("paper", "full"):
        found = audit_detector(tasks, schemas if not made else None, profile=profile)
        gates = {row[0]: row for row in audit_tables(found)[0].rows}
        if not made:
            made.append(("schemas alone", *_shares(gates["schemas"], 0)))
        made.append((f"learned, profile `{profile}`", *_shares(gates[LEARNED], 0)))
    made.append(("published, ToolMaze, learned", *_shares(gates[LEARNED], 1)))
    gate = found.gates[LEARNED]
    about = f"{gate.faults:,} faults, {gate.clean:,} clean results, 5 folds, without a session's memory."
    return Table("Audit", ("contracts", ">recall", ">false alarms", ">coverage"), tuple(made), (about,))


def _shares(row: Sequence[Json], which: int) -> Iterator[str]:
    return (FORMS["percent"](pair[which]) for pair in row[2:5])


@click.command()
@click.option("--write", is_flag=True, help="Put the tables on the page.")
def main(*, write: bool) -> None:
    """Run what the page names for the tool world."""
    page = PAGE.read_text("utf-8")
    for name, table in (("studies", studied(frozen_by(page))), ("audit", audited())):
        show(table)
        mark = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        before, _, rest = page.partition(mark[0])
        _, _, after = rest.partition(mark[1])
        notes = "".join(f"\n{note}\n" for note in table.notes)
        page = f"{before}{mark[0]}{rows(table)}{notes}{mark[1]}{after}"
    if write:
        write_atomically(PAGE, page)


if __name__ == "__main__":
    main()
