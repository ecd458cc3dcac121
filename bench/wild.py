"""`python -m bench.wild CALLS LABELS [--page PAGE]`: what built-in rules say of failures that nobody injected, as the page's tables.

CALLS and LABELS are what `outcome-monitors study fetch livemcp` writes. A third of the servers, by a hash of their names, was held out
while the rules were written; `--development` leaves them out.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from outcome_monitors import Monitor, read_traces
from outcome_monitors.evaluation.labels import RIGHT, detected, read_labels
from outcome_monitors.files import write_atomically
from outcome_monitors.model import Json
from outcome_monitors.reports import Share, percent, span

from ._report import Table, markdown, show

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
CUT = "truncated with hint"
"""The kind of a silent failure that is information rather than an alarm: a result that says that it was cut."""
EVIDENCE = {
    "result": "the result alone",
    "call": "call and result",
    "session": "another call of the session",
    "outside": "outside",
}

Label = Mapping[str, Json]
Which = Callable[[Label], bool]


def held_out(tool: str) -> bool:
    """Say whether the server of a tool was held out."""
    return int(hashlib.sha256(tool.partition(".")[0].encode()).hexdigest(), 16) % 3 == 0


def tables(labels: Sequence[Label], alerted: Sequence[bool], development: bool) -> Iterator[Table]:
    """Yield how many calls of each label, kind and evidence are alerted on, by half."""
    halves = {"development": [*_half(labels, alerted, held=False)]}
    if not development:
        halves["held out"] = [*_half(labels, alerted, held=True)]

    def table(title: str, first: str, rows: Mapping[str, Which]) -> Table:
        columns = (first, *(column for name in halves for column in (f">{name}", ">95% interval")))
        shares = {name: [_share(half, which) for half in halves.values()] for name, which in rows.items()}
        lines = tuple(
            (name, *_cells(found)) for name, found in shares.items() if any(one.whole for one in found)
        )
        return Table(title, columns, lines)

    silent = [one for one in labels if _is_silent(one) and not (development and held_out(str(one["tool"])))]
    kinds = sorted({str(one["kind"]) for one in silent}, key=lambda kind: (-_number(silent, kind), kind))
    yield table(
        "Results on which the agent is alerted",
        "label",
        {
            "silent failures": _is_silent,
            "cut without being asked to": lambda one: one["kind"] == CUT,
            "failures said in words": lambda one: one["label"] == "open-failure-in-text",
            "right results": lambda one: one["label"] == "ok",
            "honest negatives": lambda one: one["label"] == "honest-negative",
            "both: false alarms": lambda one: one["label"] in RIGHT,
        },
    )
    yield table("Silent failures by kind", "kind", {kind: _silent("kind", kind) for kind in kinds})
    proofs = {words: _silent("evidence", name) for name, words in EVIDENCE.items()}
    yield table("Silent failures by where the proof lies", "proof", proofs)


def _silent(field: str, value: str) -> Which:
    return lambda one: _is_silent(one) and bool(one[field] == value)


def _is_silent(label: Label) -> bool:
    return bool(label["label"] == "silent-failure" and label["kind"] != CUT)


def _number(labels: Sequence[Label], kind: str) -> int:
    return sum(one["kind"] == kind for one in labels)


def _half(labels: Sequence[Label], alerted: Sequence[bool], *, held: bool) -> Iterator[tuple[Label, bool]]:
    return ((one, alerted[one["line"]]) for one in labels if held_out(str(one["tool"])) is held)


def _share(half: Sequence[tuple[Label, bool]], which: Which) -> Share:
    chosen = [alerted for label, alerted in half if which(label)]
    return Share(sum(chosen), len(chosen))


def _cells(shares: Sequence[Share]) -> Iterator[str]:
    for share in shares:
        yield f"{share} ({percent(share.value)})" if share.whole else ""
        yield span(share.interval) if share.whole else ""


def put_into(page: Path, found: Sequence[Table]) -> None:
    """Write the tables between the marks of a page."""
    text = page.read_text(encoding="utf-8")
    inside = f"{BEGIN}\n{markdown(found)}{END}"
    written, times = re.subn(f"{BEGIN}.*?{END}", lambda _: inside, text, flags=re.DOTALL)
    if times != 1:
        raise click.ClickException(f"{page} has no place between {BEGIN} and {END}")
    write_atomically(page, written)


@click.command(epilog="Example: python -m bench.wild livemcp/calls.jsonl livemcp/labels.jsonl")
@click.argument("calls", type=click.Path(exists=True, path_type=Path))
@click.argument("labels", type=click.Path(exists=True, path_type=Path))
@click.option("--development", is_flag=True, help="Leave out the servers that were held out.")
@click.option("--page", type=click.Path(exists=True, path_type=Path), help="Write the tables into PAGE.")
def main(calls: Path, labels: Path, development: bool, page: Path | None) -> None:
    """Score the built-in rules alone on CALLS by LABELS."""
    read_labels(labels)
    labelled = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
    alerted = [bool(kinds) for kinds in detected(read_traces([calls]), Monitor())]
    found = list(tables(labelled, alerted, development))
    for one in found:
        show(one)
    if page is not None:
        put_into(page, found)


if __name__ == "__main__":
    main()
