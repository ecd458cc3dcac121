"""`python -m bench.priors TRACES...`: what clauses cost in public traffic, and what that saves on small sets of traces.

Of each file, contracts are mined from a few tasks at a time and held against tasks that were not mined from. With `--write` the table
becomes the one that comes with the package; without, the table of all other files is used on each, and what is flagged falsely is shown
without and with it.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from outcome_monitors import Monitor, read_traces
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.replay import Replay
from outcome_monitors.cli._output import write
from outcome_monitors.contracts.registry import Registry, in_order
from outcome_monitors.features.walk import task_name
from outcome_monitors.mining import priors
from outcome_monitors.mining.budget import BUDGET, rule_bucket
from outcome_monitors.mining.full import FullObservations, candidates
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.priors import HeldOutCounts, PriorTable, RuleBucket, public_priors
from outcome_monitors.model import Call, Contract
from outcome_monitors.rules import KINDS, Candidate

SIZES = (10, 20, 40, 80, 160)
"""Tasks that are mined from; of a file, at most half."""
SEEDS = 3
HELD_OUT = 100
"""Tasks that are looked at then."""
FREE = PriorTable({})
"""Nothing costs anything."""


class Sample(NamedTuple):
    """Tasks to mine from, and others."""

    mined: Sequence[Call]
    held_out: Sequence[Call]


def samples(calls: Sequence[Call], size: int) -> Iterator[Sample]:
    """Yield tasks at random, a few times."""
    tasks = sorted({task_name(call) for call in calls})
    for seed in range(SEEDS if 2 * size <= len(tasks) else 0):
        order = random.Random(f"{size} {seed}").sample(tasks, len(tasks))
        mined, others = {*order[:size]}, {*order[size : size + HELD_OUT]}
        yield Sample(
            [call for call in calls if task_name(call) in mined],
            [call for call in calls if task_name(call) in others],
        )


class Run(NamedTuple):
    """Contracts from few tasks, on others."""

    accepted: list[tuple[str, Candidate]]
    results: Counter[str]
    """Of each tool."""
    flagged: int
    blamed: Counter[int]
    """By clause, with a result that several flag shared among them."""


def run(sample: Sample, table: PriorTable) -> Run:
    """Mine with a table of priors, and look at what was held out."""
    observations = Observations("full")
    for call in sample.mined:
        observations.add(call)
    kept = observations.kept
    assert isinstance(kept, FullObservations)
    kinds = [kind for kind in KINDS.values() if "full" in kind.mining.profiles]
    accepted = [
        found
        for found in candidates(
            kept.parts, kinds, BUDGET, priors=table, again=lambda found: found.add_all(sample.mined)
        )
        if not found[1].refused
    ]
    contracts = {
        tool: Contract(tool, in_order(candidate.clause for of, candidate in accepted if of == tool))
        for tool in kept.tools()
    }
    replay = Replay(Monitor(Registry(contracts, "full", kept.shapes())))
    results, blamed, flagged = Counter[str](), Counter[int](), 0
    with quiet():
        for call in sample.held_out:
            broken = replay.judge(call).broken
            results[call.tool] += 1
            flagged += bool(broken)
            blamed.update({id(clause): 1 / len(broken) for clause, _ in broken})
    return Run(accepted, results, flagged, blamed)


def affordable(calls: Sequence[Call]) -> dict[RuleBucket, HeldOutCounts]:
    """Return how clauses of each sort did on held-out tasks of one file; the mean over the seeds."""
    rows: dict[RuleBucket, list[float]] = {}
    for size in SIZES:
        for sample in samples(calls, size):
            found = run(sample, FREE)
            for tool, candidate in found.accepted:
                if found.results[tool]:
                    row = rows.setdefault(rule_bucket(candidate), [0, 0.0, 0.0])
                    row[0] += 1
                    row[1] += found.results[tool] / SEEDS
                    row[2] += found.blamed[id(candidate.clause)] / SEEDS
            write(f"  {size:4} tasks: {found.flagged} of {len(sample.held_out)} flagged\n")
    return {
        bucket: HeldOutCounts(int(row[0]), round(row[1], 1), round(row[2], 2)) for bucket, row in rows.items()
    }


def show(name: str, calls: Sequence[Call], table: PriorTable) -> None:
    """Write what is flagged falsely without priors and with them."""
    for size in SIZES:
        flagged, results = [0, 0], 0
        for sample in samples(calls, size):
            results += len(sample.held_out)
            for index, priors_used in enumerate((FREE, table)):
                flagged[index] += run(sample, priors_used).flagged
        if results:
            without, with_them = (f"{count / results:7.2%}" for count in flagged)
            write(f"{name:24} {size:5} {results:8,} {without} {with_them}\n")


def page(table: dict[str, dict[RuleBucket, HeldOutCounts]]) -> str:
    """Return the table as a file."""
    sorts: dict[str, dict[str, dict[str, Any]]] = {}
    for name, rows in sorted(table.items()):
        for bucket, row in sorted(rows.items()):
            sorts.setdefault(bucket.sort, {}).setdefault(str(bucket.band), {})[name] = list(row)
    lines = [
        f"  {json.dumps(sort)}: {json.dumps(dict(sorted(bands.items())))}"
        for sort, bands in sorted(sorts.items())
    ]
    made = '"made": "python -m bench.priors --write TRACES...; by sort, band of tasks and data set: clauses, results checked, flagged"'
    return "{\n " + made + ',\n "sorts": {\n' + ",\n".join(lines) + "\n }\n}\n"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("traces", nargs=-1, required=True)
@click.option("--write", "write_table", is_flag=True, help="Make the table of the package from these files.")
def main(traces: tuple[str, ...], write_table: bool) -> None:
    """Price clauses in public traffic, or show what that saves.

    Example: python -m bench.priors airline.jsonl.gz retail.jsonl.gz
    """
    table: dict[str, dict[RuleBucket, HeldOutCounts]] = {}
    if not write_table:
        write(f"{'file':24} tasks  results    free  affordable\n")
    for file in traces:
        name = Path(file).name.partition(".")[0]
        calls = [call for call in read_traces([file]) if not call.error]
        if write_table:
            write(f"{name}\n")
            table[name] = affordable(calls)
        else:
            show(name, calls, public_priors(_alike(name)))
    if write_table:
        target = Path(priors.__file__).with_name("priors.json")
        target.write_text(page(table), encoding="utf-8")
        write(f"wrote {target}\n")


def _alike(name: str) -> frozenset[str]:
    """Return the data sets of the same benchmark: they are no news of each other."""
    text = Path(priors.__file__).with_name("priors.json").read_text(encoding="utf-8")
    known = {of for bands in json.loads(text)["sorts"].values() for rows in bands.values() for of in rows}
    return frozenset(of for of in {*known, name} if of.split("_")[-1] == name.rsplit("_", maxsplit=1)[-1])


if __name__ == "__main__":
    main(prog_name="python -m bench.priors")
