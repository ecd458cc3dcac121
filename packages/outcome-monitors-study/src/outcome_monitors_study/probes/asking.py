"""`study probe run`: asks a model through inspect_ai, and writes its answers in the form of batch responses, each as it comes."""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from inspect_ai.model import GenerateConfig, ModelOutput, messages_from_openai, messages_to_openai
from inspect_ai.tool import ToolInfo

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors_study.batches import read_answers
from outcome_monitors_study.design import generation, refuse_generation
from outcome_monitors_study.inspect_task import PatientModel, listed, tokens
from outcome_monitors_study.models import Budget, error_line, made_model, refusal
from outcome_monitors_study.prices import cost_of, price_of, prices_for
from outcome_monitors_study.run import Effort, Progress

from .plan import MOST_TOKENS, Plan, requests


def run_probes(
    plan: Plan,
    output: Path,
    name: str,
    *,
    settings: Mapping[str, Json],
    effort: Effort,
    max_cost: float | None = None,
    on_progress: Callable[[Progress], object] = lambda _: None,
    model: Any = None,
) -> Progress:
    """Ask a model all that a file does not answer yet, and add its answers to the file.

    `model` is a model of inspect_ai in place of the one that the name says.
    """
    refuse_generation(settings)
    own = settings.get("prices") or {}
    prices_for([name], own)
    price = price_of(name, own)
    if max_cost is not None and price is None:
        raise OutcomeMonitorsError(
            f"--max-cost needs a price, and none is known for {name}; give --prices FILE"
        )
    asked = list(requests(plan, name))
    done = _answered(output, {request["custom_id"] for request in asked}, name)
    left: deque[Mapping[str, Json]] = deque(request for request in asked if request["custom_id"] not in done)
    made = made_model(name, settings) if model is None else model
    with output.open("ab+") as file:
        _end_line(file)
        # What earlier runs came to is not known here: the limit is this run's.
        budget = Budget(0, 0.0 if price is not None else None, max_cost)
        return _ask(
            _ProbeRun(name, left, len(done), file, price, budget, on_progress), made, settings, effort
        )


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


@dataclass(slots=True)
class _ProbeRun:
    """A run under way: what is left, what was spent, and where answers go."""

    name: str
    left: deque[Mapping[str, Json]]
    before: int
    """Requests that earlier runs have had answered."""
    file: IO[bytes]
    price: Mapping[str, Json] | None
    budget: Budget
    on_progress: Callable[[Progress], object]
    failures: int = 0
    stopped: OutcomeMonitorsError | None = None

    planned: int = 0

    def __post_init__(self) -> None:
        self.planned = self.before + len(self.left)

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return Progress(
            self.before + self.budget.ended, self.planned, self.budget.spent, None, None, self.failures
        )

    def next(self) -> Mapping[str, Json] | None:
        """Return a request that is to be asked; None where there is none, or where the money is spent."""
        if not self.left or self.stopped is not None or self.budget.exhausted:
            return None
        self.budget.under_way += 1
        return self.left.popleft()

    def answered(self, request: Mapping[str, Json], output: ModelOutput, message: Json) -> None:
        """Write an answer."""
        self.budget.add(cost_of(self.price, tokens(output.usage)))
        try:
            self.file.write(json.dumps(_response(request, output, message, self.name)).encode() + b"\n")
            self.file.flush()
        except OSError as error:
            self.stopped = OutcomeMonitorsError(f"cannot write the answers: {error.strerror or error}")
            return
        self.budget.ended += 1
        self.on_progress(self.progress)

    def failed(self, error: Exception) -> None:
        """Count a request that was not answered; it is asked again by the next run. What no request can help ends this one."""
        self.failures += 1
        why = refusal(error)
        if why:
            self.stopped = OutcomeMonitorsError(
                f"{self.name} cannot be asked ({why}); answers so far are kept"
            )
        else:
            self.trouble(error_line(error))

    def trouble(self, what: str) -> None:
        """Say at once that the endpoint failed in something."""
        self.on_progress(replace(self.progress, trouble=what))


def _ask(run: _ProbeRun, model: Any, settings: Mapping[str, Json], effort: Effort) -> Progress:
    """Ask what is left, several at once; raise where the endpoint refuses."""
    config = GenerateConfig(
        **{**generation(settings), "max_tokens": settings.get("max_tokens") or MOST_TOKENS},
        attempt_timeout=effort.timeout,
        max_retries=0,
        max_connections=effort.concurrency,
    )
    asked = PatientModel(model, config, effort, run.trouble)
    with asyncio.Runner() as runner:
        runner.run(_all(run, asked, effort.concurrency))
    if run.stopped is not None:
        raise run.stopped
    return run.progress


async def _all(run: _ProbeRun, asked: PatientModel, at_once: int) -> None:
    await asyncio.gather(*(_one_by_one(run, asked) for _ in range(at_once)))


async def _one_by_one(run: _ProbeRun, asked: PatientModel) -> None:
    while (request := run.next()) is not None:
        body = request["body"]
        try:
            messages = await messages_from_openai(body["messages"])
            output = await asked(messages, list(map(_tool, body["tools"])))
        except Exception as error:  # noqa: BLE001 - whatever a provider raises: the next run asks again
            run.failed(error)
        else:
            if output.error or not output.choices:
                run.failed(RuntimeError(f"the model gave no answer: {output.error or 'it was none'}"))
            else:
                [message] = await messages_to_openai([output.message])
                run.answered(request, output, message)
        finally:
            run.budget.under_way -= 1


def _tool(tool: Mapping[str, Json]) -> ToolInfo:
    function = tool["function"]
    return listed(function["name"], function["description"], function["parameters"])


def _response(request: Mapping[str, Json], output: ModelOutput, message: Json, name: str) -> dict[str, Json]:
    """Return an answer as OpenAI's batch endpoint writes it."""
    counted = tokens(output.usage)
    usage = {
        "prompt_tokens": counted.get("input_tokens", 0),
        "completion_tokens": counted.get("output_tokens", 0),
    }
    body = {"model": name, "choices": [{"index": 0, "message": message}], "usage": usage}
    return {"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}
