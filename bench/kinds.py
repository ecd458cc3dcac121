"""`python -m bench kinds FILES... [--page PAGE]`: what each kind of clause adds, on each data set.

Of every fault that an audit puts in, it is counted which kinds flag the result. What one kind alone flags would go unseen without it;
what one kind alone flags of the clean results is what it costs. FILES are traces, or what `outcome-monitors audit --json` made of them.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import click

from outcome_monitors import read_traces
from outcome_monitors.cli._output import progress
from outcome_monitors.evaluation import Settings, audit
from outcome_monitors.files import write_atomically
from outcome_monitors.rules import KINDS, RETIRED

from ._report import Table, markdown, show

HEAD = """\
# What each kind adds

This page is written by the program: `python -m bench kinds FILES... --page docs/reference/kinds.md`.

Each set of traces is [audited](../guides/audit.md): contracts are mined from four fifths of its tasks and judge the rest, once as it is and once with each silent fault put in.
A result is often flagged by several [kinds of clause](rules/index.md); the tables say what each kind does by itself.
The figures of several kinds do not add up: of two that can stand in for each other, neither adds anything alone.

A kind that adds less than a tenth of a point over all sets is removed, unless the published profile has it, it remembers a session, or no clause of it is learned from these sets. Contract files that name it are still read, without its clauses.
The tables have the removed kinds (†) as they were when they were measured last.

"""
ADDS, COSTS, SETS = "Recall that no other kind gives", "Clean results that no other kind flags", "The sets"
OF_A_SESSION, REMOVED = "*", "†"
NOTES = {
    ADDS: "Points: of a hundred results with a fault, those that this kind alone flags. Blank: it flags none at all. `all` is the mean over"
    f" the sets. {OF_A_SESSION} remembers a session: faults of a single call cannot judge it.",
    COSTS: "Points: of a hundred clean results, those that this kind alone flags: false alarms that it costs.",
    SETS: "Recall is the mean over the faults of a suite, in percent. `limit` is how many results of each fault were tried, at most.",
}


class Audited(NamedTuple):
    """The audit of one set of traces."""

    name: str
    document: Mapping[str, Any]

    @property
    def kinds(self) -> Mapping[str, Mapping[str, int]]:
        """The results that each kind flags."""
        kinds: dict[str, dict[str, int]] = self.document["kinds"]
        return kinds

    @property
    def faulted(self) -> int:
        """The results with a fault."""
        return sum(fault["n"] for fault in self.document["faults"])

    @property
    def clean(self) -> int:
        """The results without."""
        return int(self.document["calls"]["clean"])

    def adds(self, kind: str) -> float | None:
        """Return the points of recall that a kind alone gives; None where it flags nothing."""
        found = self.kinds.get(kind)
        return 100 * found["faulted_alone"] / self.faulted if found and found["faulted"] else None

    def costs(self, kind: str) -> float | None:
        """Return the points of clean results that a kind alone flags; None where it flags none."""
        found = self.kinds.get(kind)
        return 100 * found["clean_alone"] / self.clean if found and found["clean"] else None


def audited(file: str, settings: Settings) -> Audited:
    """Return the audit of a file, made now unless that is what the file is."""
    path = Path(file)
    if path.suffix == ".json":
        found = json.loads(path.read_text(encoding="utf-8"))
    else:
        calls = progress(read_traces([file]), "call")
        found = audit(calls, settings, jobs=min(os.cpu_count() or 1, settings.folds), watch=progress)
    return Audited(path.name.partition(".")[0], found)


def tables(sets: Sequence[Audited]) -> Iterator[Table]:
    """Yield what each kind adds and costs, and the sets."""
    names = tuple(f">{one.name.replace('_', ' ')}" for one in sets)
    flagging = {kind for one in sets for kind in one.kinds}
    # What is another tool's answer is recognized by all contracts together, and is of no kind.
    kinds = [*KINDS, *sorted(flagging - {*KINDS}, key=lambda kind: (kind in RETIRED, kind))]
    silent = ", ".join(f"`{kind}`" for kind in KINDS if kind not in flagging)
    notes = (
        NOTES[ADDS],
        *([f"Of these kinds no clause was broken, if there was one: {silent}."] if silent else []),
    )
    yield Table(ADDS, ("kind", *names, ">all"), tuple(_rows(kinds, sets, Audited.adds)), notes)
    yield Table(COSTS, ("kind", *names, ">all"), tuple(_rows(kinds, sets, Audited.costs)), (NOTES[COSTS],))
    suites = sorted({suite for one in sets for suite in one.document["suites"]})
    columns = (
        ">clean",
        ">flagged",
        ">with a fault",
        ">flagged",
        *(f">{suite}" for suite in suites),
        ">limit",
    )
    yield Table(SETS, ("set", *columns), tuple(_set(one, suites) for one in sets), (NOTES[SETS],))


def _rows(
    kinds: Sequence[str], sets: Sequence[Audited], points: Callable[[Audited, str], float | None]
) -> Iterator[tuple[str, ...]]:
    for kind in kinds:
        found = [points(one, kind) for one in sets]
        if any(point is not None for point in found):
            yield (f"{kind}{_mark(kind)}", *(_mean([point]) for point in found), _mean(found))


def _mark(kind: str) -> str:
    if kind in RETIRED:
        return REMOVED
    return OF_A_SESSION if kind in KINDS and KINDS[kind].traits.about == "session" else ""


def _mean(points: Sequence[float | None]) -> str:
    return "" if list(points) == [None] else f"{fmean(point or 0.0 for point in points):.2f}"


def _set(one: Audited, suites: Sequence[str]) -> tuple[str, ...]:
    found = one.document
    caught = sum(fault["caught"] for fault in found["faults"])
    recalls = [found["suites"].get(suite, {}).get("recall") for suite in suites]
    return (
        one.name,
        f"{one.clean:,}",
        f"{100 * found['clean']['flagged'] / one.clean:.2f} %",
        f"{one.faulted:,}",
        f"{100 * caught / one.faulted:.2f} %",
        *("" if recall is None else f"{100 * recall:.1f}" for recall in recalls),
        str(found["settings"]["limit"] or "none"),
    )


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--limit",
    default=Settings().limit,
    show_default=True,
    help="Try at most so many results of each fault; 0 tries all.",
)
@click.option("--page", "page_file", metavar="PAGE", help="Also write the tables as a page of Markdown.")
def main(files: tuple[str, ...], limit: int, page_file: str | None) -> None:
    """Show what each kind of clause adds on each of FILES: traces, or the JSON of an audit.

    Example: python -m bench kinds airline.jsonl.gz retail.json
    """
    settings = Settings(limit=limit)
    found = list(tables([audited(file, settings) for file in files]))
    for shown in found:
        show(shown)
    if page_file:
        write_atomically(page_file, HEAD + markdown(found))
