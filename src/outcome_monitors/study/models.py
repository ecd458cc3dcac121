"""Runs a study's model episodes through inspect_ai, which brings providers, retries and logs; the ledger stays ours."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .._model import Json
from ..exceptions import MissingExtra, OutcomeMonitorsError
from ._ledger import Ledger
from ._run import Progress, Running, Tell

__all__ = ["USER", "Budget", "Writer", "run_models"]

USER = "user"
"""The role, as inspect_ai calls it, of the model that plays the user."""
MOST_RETRIES = 3
"""Of an episode that an endpoint broke off; it is counted, and never a failure of the task."""


@dataclass(slots=True)
class Budget:
    """What may be spent, and what an episode has cost so far."""

    spent: float
    most: float | None
    ended: int = 0
    added: float = 0.0

    @property
    def exhausted(self) -> bool:
        """Say whether another episode, at the mean cost so far, would pass the limit."""
        return self.most is not None and self.spent + self.added + self.mean > self.most

    @property
    def mean(self) -> float:
        """What an episode of this run costs."""
        return self.added / self.ended if self.ended else 0.0


@dataclass(slots=True)
class Writer:
    """Takes finished episodes, one after the other."""

    now: Running
    ledger: Ledger
    budget: Budget
    tell: Tell
    began: float = field(default_factory=time.monotonic)

    def append(self, episode: dict[str, Json]) -> None:
        """Write an episode to the ledger, and say how far the run is."""
        self.ledger.append(episode)
        self.budget.ended += 1
        self.budget.added += episode["usage"].get("cost") or 0.0
        self.tell(self.progress)

    @property
    def progress(self) -> Progress:
        """How far the run is."""
        budget, left = self.budget, len(self.now.left) - self.budget.ended
        seconds = (time.monotonic() - self.began) / budget.ended * left if budget.ended else None
        return Progress(
            self.now.done + budget.ended,
            self.now.done + len(self.now.left),
            budget.spent + budget.added,
            seconds,
            budget.mean * left if budget.ended else None,
        )


def run_models(
    now: Running, max_cost: float | None, tell: Tell, models: Mapping[str, Any] | None = None
) -> Progress:
    """Run what is left, agent by agent; `models` gives an agent another model of inspect_ai than its name says."""
    if find_spec("inspect_ai") is None:
        raise MissingExtra("running models", "inspect-ai", "study")
    settings = now.study.manifest["settings"]
    prices, user = settings.get("prices", {}), settings.get("user_model")
    agents = list(dict.fromkeys(planned.agent for planned in now.left))
    unpriced = [agent for agent in (*agents, *([user] if user else [])) if agent not in prices]
    if max_cost is not None and unpriced:
        raise OutcomeMonitorsError(
            f"--max-cost needs the price of {unpriced[0]}; freeze the study with --prices"
        )
    inspect_ai, tasks = import_module("inspect_ai"), import_module(f"{__package__}.inspect_task")
    with Ledger.opened(now.study.ledger, now.done) as ledger:
        writer = Writer(now, ledger, Budget(now.spent, max_cost), tell)
        for agent in agents:
            inspect_ai.eval(
                tasks.episodes(writer, agent),
                model=(models or {}).get(agent, agent),
                model_roles={USER: (models or {}).get(user, user)} if user else None,
                max_samples=1,
                retry_on_error=MOST_RETRIES,
                fail_on_error=False,
                display="none",
                log_dir=str(now.study.folder / "logs"),
            )
    return writer.progress
