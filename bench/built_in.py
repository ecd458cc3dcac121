"""`python -m bench.built_in TRACES...`: how often each built-in rule fires on recorded traffic that nobody called wrong.

With `--write` the counts become the priors that come with the package. Some of what fires is right: `--show` prints what, to be read.
"""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click

from outcome_monitors import Monitor, read_traces
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.replay import Replay
from outcome_monitors.cli._output import write
from outcome_monitors.model import Call
from outcome_monitors.rules.built_in import BUILT_IN_KINDS, PRIORS

from ._report import Table, show


def fired(calls: Iterable[Call], shown: int) -> tuple[int, Counter[str]]:
    """Return how many results there are, and how many each kind flags, at their own line or later."""
    replay, results, kinds = Replay(Monitor()), 0, Counter[str]()
    with quiet():
        for index, call in enumerate(calls):
            results += not call.error
            for kind, detail in {(clause.kind, one.detail) for clause, one in replay.judge(call).broken}:
                kinds[kind] += 1
                if kinds[kind] <= shown:
                    write(f"{index} {call.tool} {kind}: {detail}\n")
    return results, kinds


def _named(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} {number}" for kind, number in kinds.most_common())


@click.command(epilog="Example: python -m bench.built_in traces/*.jsonl.gz --write")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--write", "keep", is_flag=True, help="Write the priors that come with the package.")
@click.option(
    "--show", "shown", metavar="N", default=0, help="Print the first N findings of each rule and file."
)
def main(files: tuple[Path, ...], keep: bool, shown: int) -> None:
    """Count what built-in rules flag in FILES."""
    counts = {path.name.partition(".")[0]: fired(read_traces([path]), shown) for path in files}
    results = sum(number for number, _ in counts.values())
    rows = [
        (name, f"{number:,}", f"{kinds.total() / number:.2%}", _named(kinds))
        for name, (number, kinds) in counts.items()
    ]
    total = sum((kinds for _, kinds in counts.values()), Counter[str]())
    rows.append(("all", f"{results:,}", f"{total.total() / results:.2%}", _named(total)))
    show(Table("Findings of built-in rules", ("traces", ">results", ">share", "rules"), tuple(rows)))
    if keep:
        flagged = {kind: total[kind] for kind in BUILT_IN_KINDS}
        PRIORS.write_text(
            json.dumps({"results": results, "flagged": flagged}, indent=1) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
