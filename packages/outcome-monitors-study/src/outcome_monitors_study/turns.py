"""Whole episodes in lock-step, for models that answer files: one request of OpenAI's batch form an episode and turn.

Episodes give the same results for the same calls, so nothing is kept between turns but the answers: each episode is played
again from its start with all that was answered so far, up to the next question or to its end.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors.values.files import FilePath

from ._entry_points import PluginFault, blamed
from ._ledger import Ledger
from ._recorder import EpisodeRecorder
from .arms import Arm, Bench, arm_class
from .batches import AnswersGiven, ModelAnswer, batch_request, listed_tool, read_answers
from .environments import Conversing, Episode, Offering
from .generation import system_prompt
from .manifest import Planned
from .prices import cost_of
from .run import Running, benches, note_failure, record, running
from .scripted import is_scripted

__all__ = ["StudyTurn", "turn"]

MOST_TOKENS = 1000


class StudyTurn(NamedTuple):
    """What is to be asked next, and how far the study is."""

    requests: list[Json]
    done: int
    planned: int
    answers: AnswersGiven
    """What came back, and what was wrong with it."""
    faults: tuple[str, ...] = ()
    """What plugins raised; each cost an episode."""


def turn(folder: Path, answers: Iterable[FilePath], model: str) -> StudyTurn:
    """Take all batch responses so far, write the episodes that have ended to the ledger, and return the next requests.

    A response that is missing, failed or unreadable is asked for again.
    """
    now = running(folder)
    known = {planned.name for planned in now.study.episodes()}
    read = read_answers(answers, lambda name: name.rpartition("|")[0] in known)
    left = [planned for planned in now.left if not is_scripted(planned.agent)]
    bench, specs = benches(now), {spec["name"]: spec for spec in now.place.specs()}
    requests: list[Json] = []
    faults: list[str] = []
    done = now.done
    with Ledger.opened(now.study.ledger, now.done) as ledger:
        for planned in left:
            try:
                with blamed(now.place):
                    played = _Played(now, planned, bench(planned.cell.task), specs, read.by_request)
                if played.asked is None:
                    ledger.append(played.ended())
                    done += 1
                else:
                    requests.append(_request(played, model, now.study.manifest["settings"]))
            except PluginFault as fault:
                note_failure(now.study, planned, {"error": str(fault), "usage": {"cost": 0.0}})
                faults.append(str(fault))
    return StudyTurn(requests, done, now.done + len(now.left), read, tuple(faults))


def _request(played: "_Played", model: str, settings: Mapping[str, Json]) -> Json:
    assert played.asked is not None
    return batch_request(
        played.asked,
        model,
        played.messages,
        [listed_tool(spec) for spec in played.offered],
        temperature=settings["temperature"],
        max_tokens=settings.get("max_tokens") or MOST_TOKENS,
    )


class _Played:
    """An episode, played as far as the answers go."""

    def __init__(
        self,
        now: Running,
        planned: Planned,
        bench: Bench,
        specs: Mapping[str, Json],
        given: Mapping[str, ModelAnswer],
    ) -> None:
        settings, arm = now.study.manifest["settings"], arm_class(planned.arm)
        self._now, self._planned = now, planned
        self._episode: Episode = now.place.open(planned.cell)
        if isinstance(self._episode, Conversing | Offering) or arm.before is not Arm.before:
            raise OutcomeMonitorsError(
                f"{planned.arm} in {now.study.manifest['environment']['environment']} needs an endpoint that answers"
                " at once; use `study run`"
            )
        self.offered = [specs[tool] for tool in self._episode.tools]
        self._recorder = EpisodeRecorder(self._episode, arm, bench)
        self.messages: list[Json] = [
            {"role": "system", "content": system_prompt(settings, now.place)},
            {"role": "user", "content": self._episode.query},
        ]
        self.usage: Counter[str] = Counter(calls=0, input_tokens=0, output_tokens=0, malformed=0)
        self._said = ""
        self.asked = next(self._turns(settings["most_steps"], given), None)
        """The request that is not answered yet; None where the episode has ended."""

    def _turns(self, most: int, given: Mapping[str, ModelAnswer]) -> Iterator[str]:
        """Play turn by turn, and stop at the first that is not answered."""
        for number in range(most):
            name = f"{self._planned.name}|{number}"
            if name not in given:
                yield name
                return
            if not self._heard(given[name]):
                return

    def _heard(self, answer: ModelAnswer) -> bool:
        """Take a model's answer in, and say whether it is to be asked again."""
        self.usage["input_tokens"] += int(answer.usage.get("prompt_tokens") or 0)
        self.usage["output_tokens"] += int(answer.usage.get("completion_tokens") or 0)
        content, calls = answer.message.get("content"), answer.message.get("tool_calls") or []
        self._said = content if isinstance(content, str) else ""
        self.messages.append(
            {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})}
        )
        for call in calls:
            result = self._result(call)
            text = result if isinstance(result, str) else json.dumps(result)
            self.messages.append({"role": "tool", "tool_call_id": str(_of(call, "id")), "content": text})
        more = None if calls else self._recorder.after(self._said)
        if more is not None:
            self.messages.append({"role": "user", "content": more})
        return bool(calls) or more is not None

    def _result(self, call: Json) -> Json:
        self.usage["calls"] += 1
        function = _of(call, "function")
        try:
            arguments = json.loads(_of(function, "arguments") or "{}")
        except (ValueError, TypeError, RecursionError):
            arguments = None
        if not isinstance(arguments, dict):
            self.usage["malformed"] += 1
            return {"error": "The call could not be read: arguments are no object."}
        tool = str(_of(function, "name"))
        if tool not in self._episode.tools:
            return {"error": f"There is no tool {tool}."}
        return self._recorder(tool, arguments)

    def ended(self) -> dict[str, Json]:
        """Return the ledger's line."""
        prices = self._now.study.manifest["settings"].get("prices", {})
        usage: dict[str, Json] = {**self.usage, "cost": cost_of(prices.get(self._planned.agent), self.usage)}
        with blamed(self._episode):
            verdict = self._episode.judge(self._said)
        return record(self._now.study, self._planned, self._recorder, verdict, self._said, usage)


def _of(value: Any, field: str) -> Any:
    return value.get(field) if isinstance(value, dict) else None
