"""Runs a study's model episodes through inspect_ai, which brings providers, retries and logs; the ledger stays ours.

Plain questions to a model go the same way.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError
from outcome_monitors.model import Json

from ._ledger import Ledger
from ._plugin_loading import PluginFault
from .manifest import Planned
from .prices import cost_of, total
from .run import Effort, OnProgress, Progress, Running, note_failure
from .sent import sent_to

USER = "user"
"""The role, as inspect_ai calls it, of the model that plays the user."""
MOST_RETRIES = 3
"""Of an episode that an endpoint broke off; it is counted, and never a failure of the task."""
REFUSALS = {401: "the key is not accepted", 402: "there is no money left", 403: "it is not allowed"}
"""What no further request will change."""
WORTH_REPEATING = frozenset({408, 409, 425, 429})
"""Of the answers that blame the request, those that another try may help."""
LONGEST = 400


def refusal(error: BaseException) -> str | None:
    """Say why an endpoint will refuse every other request too; None where it may not."""
    found = root(error)
    reason = REFUSALS.get(_status(found))
    return None if reason is None else f"{_status(found)}, {reason}: {error_line(found)}"


def is_rejected(error: BaseException) -> bool:
    """Say whether an endpoint does not take this very request: it would not take it the next time either."""
    status = _status(root(error))
    return 400 <= status < 500 and status not in WORTH_REPEATING


def error_line(error: BaseException) -> str:
    """Return what an error came of, in one line: what it was wrapped in may hold the whole request."""
    found = root(error)
    said = " ".join(str(found).split())
    # Where an error quotes a whole request, the reason stands at its end.
    return f"{type(found).__name__}: {said if len(said) <= LONGEST else '... ' + said[-LONGEST:]}"


def root(error: BaseException) -> BaseException:
    """Return the error of the HTTP answer behind an error, or else what it came of first."""
    chain = origins(error, contexts=False)
    return next((each for each in reversed(chain) if _status(each)), chain[-1])


def origins(error: BaseException, *, contexts: bool = True) -> list[BaseException]:
    """Return an error and all that it came of, named as its cause or, if wanted, not."""
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in found:
        found.append(at)
        at = at.__cause__ or (at.__context__ if contexts else None)
    return found


def _status(error: BaseException) -> int:
    """Return the status of an HTTP answer: clients of all providers keep it under one of two names."""
    found = getattr(error, "status_code", None) or getattr(error, "code", None)
    return found if isinstance(found, int) else 0


@dataclass(slots=True)
class Budget:
    """What may be spent, and what has been, broken-off tries included."""

    done: int
    """Episodes in the ledger when the run began."""
    spent: float | None
    most: float | None
    ended: int = 0
    under_way: int = 0

    @property
    def exhausted(self) -> bool:
        """Say whether another episode, at the mean cost of all so far, could pass the limit."""
        if self.most is None or self.spent is None:
            return False
        return self.spent + (self.mean or 0.0) * (self.under_way + 1) > self.most

    @property
    def mean(self) -> float | None:
        """What an episode has cost so far; None where that is not known."""
        episodes = self.done + self.ended
        return self.spent / episodes if self.spent is not None and episodes else None

    def add(self, cost: float | None) -> None:
        """Take a cost in; an unknown one makes the sum unknown."""
        self.spent = None if cost is None or self.spent is None else self.spent + cost


@dataclass(slots=True)
class EpisodeWriter:
    """Takes finished episodes, one after the other, and broken-off tries."""

    now: Running
    ledger: Ledger
    budget: Budget
    effort: Effort
    on_progress: OnProgress
    failures: int = 0
    stopped: OutcomeMonitorsError | None = None
    """What makes it pointless to go on: it is no endpoint's fault, and another try would cost the same money again."""
    began: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        """Say whether no further episode is to begin."""
        return self.stopped is not None or self.budget.exhausted

    def append(self, episode: dict[str, Json]) -> None:
        """Write an episode to the ledger, and say how far the run is."""
        try:
            self.ledger.append(episode)
        except OSError as error:
            self.stopped = OutcomeMonitorsError(
                f"cannot write {self.now.study.ledger}: {error.strerror or error};"
                " finished episodes are kept, run it again"
            )
            return
        self.budget.ended += 1
        self.budget.add(episode["usage"]["cost"])
        self.on_progress(self.progress)

    def failed(self, planned: Planned, error: Exception, usage: Mapping[str, int]) -> None:
        """Note a try that broke off, with what it cost; what no other try can help ends the run."""
        self.failures += 1
        cost = self.cost(planned.agent, usage)
        self.budget.add(cost)
        fault = isinstance(error, PluginFault)
        said = str(error) if fault else error_line(error)
        note_failure(self.now.study, planned, {"error": said, "usage": {**usage, "cost": cost}})
        refused = refusal(error)
        if refused is None and is_rejected(error) and not (self.budget.ended or any(usage.values())):
            refused = f"it does not take the first request: {said}"
        if fault:
            self.on_progress(replace(self.progress, fault=said))
        elif refused:
            self.stopped = OutcomeMonitorsError(
                f"{planned.agent} cannot be asked ({refused}); finished episodes are kept, run it again"
            )
        else:
            again = "is left to the next run" if is_rejected(error) else "is tried again later"
            self.trouble(f"{said}; the episode {again}")

    def trouble(self, what: str) -> None:
        """Say at once that an endpoint failed in something."""
        self.on_progress(replace(self.progress, trouble=what))

    def sent_again(self, planned: Planned, requests: int) -> None:
        """Note that requests of an episode had to be sent again before they were answered."""
        if requests:
            note_failure(self.now.study, planned, {"sent again": requests})

    def cost(self, agent: str, usage: Mapping[str, int]) -> float | None:
        """Return what the tokens of an agent, and of the model that plays the user, cost at the frozen prices."""
        settings = self.now.study.manifest["settings"]
        prices, user = settings.get("prices", {}), settings.get("user_model")
        costs = [cost_of(prices.get(agent), usage)]
        if user:
            its = {kind.removeprefix("user_"): n for kind, n in usage.items() if kind.startswith("user_")}
            costs.append(cost_of(prices.get(user), its))
        return total(costs)

    @property
    def progress(self) -> Progress:
        """How far the run is."""
        budget, left = self.budget, len(self.now.left) - self.budget.ended
        seconds = (time.monotonic() - self.began) / budget.ended * left if budget.ended else None
        return Progress(
            self.now.done + budget.ended,
            self.now.done + len(self.now.left),
            budget.spent,
            seconds,
            None if budget.mean is None else budget.mean * left,
            self.now.failures + self.failures,
        )


def run_models(
    now: Running, max_cost: float | None, effort: Effort, on_progress: OnProgress, models: Mapping[str, Any]
) -> Progress:
    """Run what is left, agent by agent; `models` gives an agent another model of inspect_ai than its name says."""
    if find_spec("inspect_ai") is None:
        raise MissingExtra("running models", "inspect-ai", "models", "outcome-monitors-study")
    if max_cost is not None and now.study.unpriced:
        raise OutcomeMonitorsError(
            f"--max-cost needs a price, and none is known for {now.study.unpriced[0]}; freeze the study with --prices FILE"
        )
    settings = now.study.manifest["settings"]
    user = settings.get("user_model")
    _refuse_other_requests(now, models)
    at_once = min(effort.concurrency, now.environment.at_once or effort.concurrency)
    inspect_ai, tasks = import_module("inspect_ai"), import_module(f"{__package__}.inspect_run")

    def model_of(name: str) -> Any:
        return models[name] if name in models else made_model(name, settings)

    with Ledger.opened(now.study.ledger, now.done) as ledger:
        writer = EpisodeWriter(now, ledger, Budget(now.done, now.spent, max_cost), effort, on_progress)
        for agent in dict.fromkeys(planned.agent for planned in now.left):
            task = tasks.episodes(writer, agent)
            if writer.over:
                break
            if not len(task.dataset):
                # A plugin opened none of them; inspect_ai refuses to run nothing.
                continue
            inspect_ai.eval(
                task,
                model=model_of(agent),
                model_roles={USER: model_of(user)} if user else None,
                max_samples=at_once,
                max_connections=at_once,
                retry_on_error=MOST_RETRIES,
                fail_on_error=False,
                display="none",
                # Nobody watches the run in inspect's viewer: without this each event is written twice.
                log_realtime=False,
                # A run may be killed at any moment: what the ledger has, the log should have as well.
                log_buffer=1,
                score_display=False,
                log_dir=str(now.study.folder / "logs"),
            )
    if writer.stopped is not None:
        raise writer.stopped
    return writer.progress


def _refuse_other_requests(now: Running, models: Mapping[str, Any]) -> None:
    """Raise where a model would not be sent what was frozen: other versions of clients send other things."""
    frozen = {name: body for name, body in now.study.manifest["sent"].items() if name not in models}
    for name, body in sent_to(frozen, now.study.manifest["settings"]).items():
        if body != frozen[name]:
            raise OutcomeMonitorsError(
                f"{name} would be sent {json.dumps(body)}, and frozen is {json.dumps(frozen[name])}; install the versions that"
                " the manifest names, or disclose it with study amend"
            )


def made_model(name: str, settings: Mapping[str, Json]) -> Any:
    """Return a model of inspect_ai; raise, in a sentence, where there is none of that name, or no key for it."""
    try:
        return import_module("inspect_ai.model").get_model(name, **(settings.get("model_args") or {}))
    except Exception as error:
        # Whatever a provider raises: no key, no such model, an argument that it does not know.
        raise OutcomeMonitorsError(f"{name} cannot be asked: {error_line(error)}") from error
