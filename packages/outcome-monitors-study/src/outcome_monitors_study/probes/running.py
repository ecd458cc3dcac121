"""`study probe run`: what is still to be asked, of which model, for how much."""

from collections import deque
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors_study.batches import read_answers
from outcome_monitors_study.generation import model_arguments, refuse_generation
from outcome_monitors_study.models import Budget, made_model
from outcome_monitors_study.prices import price_of, prices_for
from outcome_monitors_study.run import Effort, Progress

from .plan import Plan, requests

__all__ = ["run_probes"]


def run_probes(
    plan: Plan,
    output: Path,
    name: str,
    *,
    settings: Mapping[str, Json],
    effort: Effort,
    max_cost: float | None = None,
    tell: Callable[[Progress], object] = lambda _: None,
    model: Any = None,
) -> Progress:
    """Ask a model all that a file does not answer yet, and add its answers to the file.

    `model` is a model of inspect_ai in place of the one that the name says.
    """
    if find_spec("inspect_ai") is None:
        raise MissingExtra("asking a model", "inspect-ai", "models", "outcome-monitors-study")
    refuse_generation([name], settings)
    own = settings.get("prices") or {}
    prices_for([name], own)
    price = price_of(name, own)
    if max_cost is not None and price is None:
        raise OutcomeMonitorsError(
            f"--max-cost needs a price, and none is known for {name}; give --prices FILE"
        )
    asked = list(requests(plan, name))
    done = _answered(output, {request["custom_id"] for request in asked}, name)
    left = deque(request for request in asked if request["custom_id"] not in done)
    asking = import_module(f"{__package__}.asking")
    made = made_model(name, model_arguments(name, settings)) if model is None else model
    with output.open("ab+") as file:
        _end_line(file)
        # What earlier runs came to is not known here: the limit is this run's.
        budget = Budget(0, 0.0 if price is not None else None, max_cost)
        run = asking.ProbeRun(name, left, len(done), file, price, budget, tell)
        progress: Progress = asking.ask_probes(run, made, settings, effort)
    return progress


def _answered(output: Path, known: set[str], name: str) -> set[str]:
    """Return the requests that a file answers; raise where another model did."""
    if not output.exists():
        return set()
    found = read_answers([output], known.__contains__)
    others = sorted(found.models - {name})
    if others:
        raise OutcomeMonitorsError(f"{output} holds answers of {others[0]}; take another file for {name}")
    return set(found.by_request)


def _end_line(file: Any) -> None:
    """End a line that a crash cut off, so that the next is one of its own."""
    if file.tell() and (file.seek(-1, 2), file.read(1))[1] != b"\n":
        file.write(b"\n")
