"""`demo`: the main job, start to finish, on recorded traffic of a shop that is part of the package.

`demo_traffic.jsonl.gz` holds clean calls of a simulated shop; `python -m bench.demo_traffic` writes it.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.evaluation import Figures, Settings, audit
from outcome_monitors.evaluation.faults import NOT_APPLICABLE, Corpus, Subject, faults
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.features.walk import fold_of
from outcome_monitors.files import write_atomically
from outcome_monitors.mining.observations import mine
from outcome_monitors.model import Call, Json
from outcome_monitors.recovery.mining import Sources, build
from outcome_monitors.reports import Share, percent
from outcome_monitors.traces.reader import read_traces, write_traces

from ._output import count, progress, table, write, write_line

TRAFFIC = Path(__file__).with_name("demo_traffic.jsonl.gz")
SETTINGS = Settings(folds=4, suites=("toolmaze", "incident"), limit=150)
SHOWN = (
    ("find_customer", "irrelevant_response"),
    ("check_stock", "logic_violation"),
    ("get_order", "tool_leakage"),
)
"""The tools and faults whose first receipts are printed."""


@click.command("demo", epilog="\b\nExample:\n  outcome-monitors demo --out demo-out")
@click.option("--out", metavar="FOLDER", default="demo-out", help="Where to write all files.")
def command(out: str) -> int:
    """Learn contracts from a shop's clean traffic, put silent faults into results, and show what is caught.

    No network, no model and no traces of your own are needed. Nothing is judged by contracts that were learned from its own task.
    """
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutcomeMonitorsError(f"cannot write to {out}: {error.strerror}; choose another --out") from None
    calls = list(read_traces([TRAFFIC]))
    registry = mine(calls)
    registry.save(folder / "contracts.json")
    write_traces(folder / "traces.jsonl.gz", calls)
    found = audit(calls, SETTINGS, watch=progress)
    alerts = {(alert["tool"], alert["fault"]): alert for alert in _alerts(calls)}
    lines = "".join(json.dumps(alert) + "\n" for alert in alerts.values())
    write_atomically(folder / "receipts.jsonl", lines)
    clauses = sum(len(contract.clauses) for contract in registry.contracts.values())
    write(
        f"learned {count(clauses, 'clause')} from {count(len(calls), 'clean call')} of"
        f" {count(len(registry.contracts), 'tool')} in {count(found['clean']['tasks']['tasks'], 'task')}\n\n"
    )
    _write_recall(found)
    for shown in SHOWN:
        _write_receipt(alerts[shown])
    for text in (
        f"outcome-monitors show {folder / 'contracts.json'}",
        f"outcome-monitors check {folder / 'traces.jsonl.gz'} --contracts {folder / 'contracts.json'}",
        f"all receipts: {folder / 'receipts.jsonl'}",
    ):
        write_line(text)
    return 0


def _alerts(calls: Sequence[Call]) -> Iterator[dict[str, Json]]:
    """Yield the wrong results of one fold and their receipts, from contracts and relations that were learned from the others: one for each tool and fault."""
    held_out = [call for call in calls if fold_of(call, SETTINGS.folds) == 0]
    learned = [call for call in calls if fold_of(call, SETTINGS.folds) != 0]
    monitor = Monitor(mine(learned), build(Sources(calls=learned)))
    corpus, seen = Corpus.of(calls), set[tuple[str, str]]()
    for call in held_out:
        for fault in faults(SETTINGS.suites):
            result = fault.apply(Subject(call, (), corpus))
            if (call.tool, fault.name) in seen or result is NOT_APPLICABLE:
                continue
            given = monitor.advise(call.tool, call.arguments, result, tools=call.tools)
            if given is not result:
                seen.add((call.tool, fault.name))
                yield {
                    "tool": call.tool,
                    "arguments": call.arguments,
                    "fault": fault.name,
                    "clean_result": call.result,
                    "tool_result": result,
                    "outcome_contract": given["outcome_contract"],
                }


def _write_recall(found: Figures) -> None:
    rows = [
        (row["fault"], row["suite"], f"{row['n']:,}", percent(row["recall"]))
        for row in found["faults"]
        if row["in_mean"]
    ]
    table(("silent fault", "suite", ">wrong results", ">caught"), rows)
    clean = found["clean"]
    flagged = Share(clean["flagged"], clean["calls"])
    write(f"false alarms: {flagged} clean results flagged ({percent(flagged.value)})\n\n")


def _write_receipt(alert: dict[str, Json]) -> None:
    asked = ", ".join(f"{name}={json.dumps(value)}" for name, value in alert["arguments"].items())
    write_line(f"{alert['tool']}({asked}), with {alert['fault']}:")
    write(json.dumps(alert["outcome_contract"], indent=2, ensure_ascii=False) + "\n\n")
