"""Stands between an agent and its tools: calls go to the episode, results through the arm, and everything is noted."""

from collections.abc import Mapping

from outcome_monitors.model import Json

from ._entry_points import blamed
from ._json import differences
from .arms import Arm, Bench, Delivery, Detecting
from .environments import Episode, Guarded, Served
from .world.agents import listed_tools

__all__ = ["EpisodeRecorder"]


class EpisodeRecorder:
    """One episode under one arm."""

    def __init__(self, episode: Episode, arm: type[Arm], bench: Bench) -> None:
        self.calls: list[dict[str, Json]] = []
        self._episode = episode
        bench.call = self._called_by_the_arm
        with blamed(episode):
            bench.tools = episode.tools
            if isinstance(episode, Guarded):
                episode.go_by(bench.registry, bench.relations)
        with blamed(arm):
            self.arm = arm(bench)

    def __call__(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool and return what the agent sees."""
        served, entry = self._served(tool, arguments)
        self.calls.append(entry)
        self.arm.bench.told = served.told
        spoken_of = not (served.failed and isinstance(self.arm, Detecting))
        with blamed(self.arm):
            delivery = self.arm.deliver(tool, arguments, served.seen) if spoken_of else Delivery(served.seen)
            entry |= _delivered(delivery)
        return delivery.content

    def after(self, answer: str) -> str | None:
        """Return what the arm tells the agent after its last words."""
        with blamed(self.arm):
            return self.arm.after(answer)

    def _called_by_the_arm(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        served, entry = self._served(tool, arguments)
        self.calls.append({**entry, "delivered": served.seen, "by": "arm"})
        return served.seen

    def _served(self, tool: str, arguments: Mapping[str, Json]) -> tuple[Served, dict[str, Json]]:
        with blamed(self._episode):
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
