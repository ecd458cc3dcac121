"""`python -m bench.studies [--episodes N]`: what the instrument itself takes of an episode, with a model that takes nothing."""

import json
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from outcome_monitors.cli._output import write
from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.manifest import STRATA, Design, freeze
from outcome_monitors_study.run import Effort, run

from ._report import Table, facts, show

__all__ = ["main"]

AGENT = "mockllm/model"
ARMS = ("baseline", "advisory-v2", "generic", "stripped", "always-warn")
CALLS = 4
"""Tools that the mock calls before it answers: five requests an episode."""
GOAL = 40


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--episodes", metavar="N", type=click.IntRange(20), default=1000, show_default=True)
def main(episodes: int) -> None:
    """Run episodes of inspect_ai's mock model in the tool world, one at a time and ten at once."""
    write(facts() + "\n\n")
    rows = []
    with tempfile.TemporaryDirectory() as root:
        for concurrency in (1, 10):
            folder = Path(root) / str(concurrency)
            freeze(folder, _design(max(1, episodes // (len(STRATA) * len(ARMS)))))
            rows.append(_measured(folder, concurrency))
    columns = ("at once", ">episodes", ">requests", ">wall, ms each", ">CPU, ms each", ">ledger, kB each")
    show(Table("What an episode of a mock model takes", columns, tuple(rows), (f"The goal is {GOAL} ms.",)))


def _design(per_stratum: int) -> Design:
    return Design(
        agents=(AGENT,),
        arms=ARMS,
        per_stratum=per_stratum,
        profile="paper",
        settings={"prices": {AGENT: {"input": 1.0, "output": 2.0, "date": "2026-11-01"}}},
    )


def _measured(folder: Path, concurrency: int) -> tuple[str, ...]:
    """Measure from the end of the first episode to that of the last: what comes before is done once a run."""
    ends: list[tuple[float, float]] = []
    model = import_module("inspect_ai.model").get_model(AGENT, custom_outputs=_mock(), memoize=False)
    run(
        folder,
        effort=Effort(concurrency),
        on_progress=lambda _: ends.append((time.perf_counter(), time.process_time())),
        models={AGENT: model},
    )
    wall, busy = (1000 * (ends[-1][clock] - ends[0][clock]) / (len(ends) - 1) for clock in (0, 1))
    records = read_ledger(folder / "ledger.jsonl")
    size = sum(len(json.dumps(record)) for record in records) / len(records) / 1000
    requests = sum(record["usage"]["calls"] + 1 for record in records)
    return (str(concurrency), f"{len(ends):,}", f"{requests:,}", f"{wall:.1f}", f"{busy:.1f}", f"{size:.1f}")


def _mock() -> Callable[..., Any]:
    api = import_module("inspect_ai.model")

    def answer(messages: list[Any], tools: list[Any], _choice: Any, _config: Any) -> Any:
        called = sum(message.role == "tool" for message in messages)
        if called < CALLS:
            output = api.ModelOutput.for_tool_call(AGENT, tools[called % len(tools)].name, {"nonsense": 1})
        else:
            output = api.ModelOutput.from_content(AGENT, "Done.")
        output.usage = api.ModelUsage(input_tokens=1000, output_tokens=100, total_tokens=1100)
        return output

    return answer


if __name__ == "__main__":
    main(prog_name="python -m bench.studies")
