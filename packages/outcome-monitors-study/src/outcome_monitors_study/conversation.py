"""An episode as an agent meets it: calls go to the episode, results through the arm, and everything is noted."""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from outcome_monitors.model import Json

from ._entry_points import plugin_errors
from ._json import differences
from .arms import Arm, Bench, Delivery, Detecting
from .environments.environment import Ask, Conversing, Episode, Guarded, Offering, Served
from .world.agents import listed_tools


class EpisodeRecorder:
    """One episode under one arm."""

    def __init__(self, episode: Episode, arm: type[Arm], bench: Bench) -> None:
        self.calls: list[dict[str, Json]] = []
        self._episode = episode
        bench.call = self._called_by_the_arm
        with plugin_errors(episode):
            bench.tools = episode.tools
            if isinstance(episode, Guarded):
                episode.go_by(bench.registry, bench.relations)
        with plugin_errors(arm):
            self.arm = arm(bench)

    def __call__(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool and return what the agent sees."""
        served, entry = self._served(tool, arguments)
        self.calls.append(entry)
        self.arm.bench.proxy_receipt = served.proxy_receipt
        spoken_of = not (served.failed and isinstance(self.arm, Detecting))
        with plugin_errors(self.arm):
            delivery = self.arm.deliver(tool, arguments, served.seen) if spoken_of else Delivery(served.seen)
            entry |= _delivered(delivery)
        return delivery.content

    def before(self, tool: str, arguments: Mapping[str, Json], so_far: Callable[[], str]) -> Json | None:
        """Return what the arm tells the agent in place of a call's result, if anything; `so_far` is the conversation as text."""
        if type(self.arm).before is Arm.before:
            return None
        with plugin_errors(self.arm):
            return self.arm.before(tool, arguments, so_far())

    def after(self, answer: str) -> str | None:
        """Return what the arm tells the agent after its last words."""
        with plugin_errors(self.arm):
            return self.arm.after(answer)

    def _called_by_the_arm(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        served, entry = self._served(tool, arguments)
        self.calls.append({**entry, "delivered": served.seen, "by": "arm"})
        return served.seen

    def _served(self, tool: str, arguments: Mapping[str, Json]) -> tuple[Served, dict[str, Json]]:
        with plugin_errors(self._episode):
            served = self._episode.call(tool, arguments)
            return served, _entry(tool, arguments, served)


def _entry(tool: str, arguments: Mapping[str, Json], served: Served) -> dict[str, Json]:
    entry = {"tool": tool, "arguments": dict(arguments), "raw": served.raw, "by": "agent"}
    if served.injected:
        entry["injection"] = list(differences(served.raw, served.seen))
        entry["fault"] = served.fault
    return entry


def _delivered(delivery: Delivery) -> dict[str, Json]:
    found: dict[str, Json] = {"delivered": delivery.content}
    if delivery.violations:
        found["violations"] = [
            {"code": violation.code, "path": violation.path} for violation in delivery.violations
        ]
    if delivery.receipt is not None:
        found |= {"receipt": delivery.receipt, "listed": listed_tools(delivery.receipt)}
    return found


class ToolRequest(NamedTuple):
    """A call that a model wants made."""

    id: str
    tool: str
    arguments: Mapping[str, Json] | None
    """None where they could not be read."""
    wrong: str = "arguments are no object"


class ModelTurn(NamedTuple):
    """What a model answered."""

    message: Any
    """As its client keeps it."""
    said: str
    calls: Sequence[ToolRequest]


class Client(ABC):
    """Asks a model, and writes messages in the form that it takes."""

    user: Ask | None = None
    """Asks the model that plays the user; None where the user is a script."""

    def __init__(self, tools: Collection[str], usage: Counter[str]) -> None:
        self.messages: list[Any] = []
        self.tools = tools
        """The names of those that the model is shown."""
        self.usage = usage

    @abstractmethod
    def message(self, role: str, text: str, call: ToolRequest | None = None) -> Any:
        """Return a message: of `system`, of `user`, or of `tool` in answer to a call."""

    @abstractmethod
    def ask(self) -> ModelTurn:
        """Ask for what comes next."""

    def so_far(self) -> str:
        """Return the conversation as a reviewer reads it."""
        return ""


def converse(episode: Episode, recorder: EpisodeRecorder, client: Client, system: str, most: int) -> str:
    """Talk until the model has said its last words, or has no steps left, and return them."""
    user = episode if isinstance(episode, Conversing) else None
    with plugin_errors(episode):
        query = episode.query if user is None else user.opening(client.user)
    client.messages += [client.message("system", system), client.message("user", query)]
    said = ""
    for _ in range(most):
        message, said, calls = client.ask()
        client.messages.append(message)
        for call in calls:
            content = _result(call, episode, recorder, client)
            text = content if isinstance(content, str) else json.dumps(content)
            client.messages.append(client.message("tool", text, call))
        with plugin_errors(episode):
            if user is not None and user.over:
                break
        if not calls:
            more = recorder.after(said)
            if more is None and user is not None:
                with plugin_errors(episode):
                    more = user.reply(said, client.user)
            if more is None:
                break
            client.messages.append(client.message("user", more))
    return said


def _result(call: ToolRequest, episode: Episode, recorder: EpisodeRecorder, client: Client) -> Json:
    client.usage["calls"] += 1
    if call.arguments is None:
        client.usage["malformed"] += 1
        return {"error": f"The call could not be read: {call.wrong}."}
    if call.tool not in client.tools:
        return {"error": f"There is no tool {call.tool}."}
    tool, arguments = call.tool, call.arguments
    if isinstance(episode, Offering):
        with plugin_errors(episode):
            tool, arguments = episode.named(tool, arguments)
    instead = recorder.before(tool, arguments, client.so_far)
    return recorder(tool, arguments) if instead is None else instead
