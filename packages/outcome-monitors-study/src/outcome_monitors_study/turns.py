"""Whole episodes in lock-step, for models that answer files: one request of OpenAI's batch form an episode and turn.

Episodes give the same results for the same calls, so nothing is kept between turns but the answers: each episode is played
again from its start with all that was answered so far, up to the next question or to its end.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath
from outcome_monitors.model import Json

from ._entry_points import PluginFault, plugin_errors
from ._ledger import Ledger
from .arms import Arm, Bench, arm_class
from .batches import AnswersGiven, ModelAnswer, batch_request, listed_tool, read_answers
from .conversation import Client, EpisodeRecorder, ModelTurn, ToolRequest, converse
from .design import system_prompt
from .environments.environment import Conversing, Episode, Offering
from .manifest import Planned
from .prices import cost_of
from .run import Running, benches, note_failure, record, running
from .scripted import is_scripted

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
    bench, specs = benches(now), {spec["name"]: spec for spec in now.environment.specs()}
    requests: list[Json] = []
    faults: list[str] = []
    done = now.done
    with Ledger.opened(now.study.ledger, now.done) as ledger:
        for planned in left:
            try:
                ended, client = _played(now, planned, bench(planned.cell.task), read.by_request)
                if ended is None:
                    requests.append(_request(client, model, specs, now.study.manifest["settings"]))
                else:
                    ledger.append(ended)
                    done += 1
            except PluginFault as fault:
                note_failure(now.study, planned, {"error": str(fault), "usage": {"cost": 0.0}})
                faults.append(str(fault))
    return StudyTurn(requests, done, now.done + len(now.left), read, tuple(faults))


def _played(
    now: Running, planned: Planned, bench: Bench, given: Mapping[str, ModelAnswer]
) -> tuple[dict[str, Json] | None, "_BatchClient"]:
    """Play an episode as far as the answers go; return the ledger's line where it has ended."""
    settings, arm = now.study.manifest["settings"], arm_class(planned.arm)
    with plugin_errors(now.environment):
        episode: Episode = now.environment.open(planned.cell)
    if isinstance(episode, Conversing | Offering) or arm.before is not Arm.before:
        raise OutcomeMonitorsError(
            f"{planned.arm} in {now.study.manifest['environment']['environment']} needs an endpoint that answers"
            " at once; use `study run`"
        )
    recorder = EpisodeRecorder(episode, arm, bench)
    client = _BatchClient(planned.name, episode.tools, given)
    try:
        said = converse(
            episode, recorder, client, system_prompt(settings, now.environment), settings["most_steps"]
        )
    except _Waiting:
        return None, client
    cost = cost_of(settings.get("prices", {}).get(planned.agent), client.usage)
    with plugin_errors(episode):
        verdict = episode.judge(said)
    return record(now.study, planned, recorder, verdict, said, {**client.usage, "cost": cost}), client


def _request(
    client: "_BatchClient", model: str, specs: Mapping[str, Json], settings: Mapping[str, Json]
) -> Json:
    return batch_request(
        client.asked,
        model,
        client.messages,
        [listed_tool(specs[tool]) for tool in client.tools],
        temperature=settings["temperature"],
        max_tokens=settings.get("max_tokens") or MOST_TOKENS,
    )


class _Waiting(Exception):  # noqa: N818 - it ends a conversation that is not at its end
    """What comes next has not been answered yet."""


class _BatchClient(Client):
    """Answers from batch files, as far as they go."""

    def __init__(self, name: str, tools: Sequence[str], given: Mapping[str, ModelAnswer]) -> None:
        super().__init__(tools, Counter(calls=0, input_tokens=0, output_tokens=0, malformed=0))
        self.asked = name
        self._name, self._given, self._turns = name, given, itertools.count()

    def message(self, role: str, text: str, call: ToolRequest | None = None) -> Json:
        """Return a message of OpenAI's form."""
        return {"role": role, **({} if call is None else {"tool_call_id": call.id}), "content": text}

    def ask(self) -> ModelTurn:
        """Return the next answer that was given."""
        self.asked = f"{self._name}|{next(self._turns)}"
        answer = self._given.get(self.asked)
        if answer is None:
            raise _Waiting
        self.usage["input_tokens"] += int(answer.usage.get("prompt_tokens") or 0)
        self.usage["output_tokens"] += int(answer.usage.get("completion_tokens") or 0)
        turn = {"role": "assistant", "content": answer.message.get("content")}
        if answer.calls:
            turn["tool_calls"] = answer.message["tool_calls"]
        return ModelTurn(turn, answer.said, answer.calls)
