"""An episode as an agent meets it: calls go to the episode, results through the arm, and everything is noted."""

from collections.abc import Callable, Mapping

from outcome_monitors.model import Json

from ._json import differences
from ._plugin_loading import plugin_errors
from .arms import Arm, Bench, Delivery, Detecting
from .environments.environment import Episode, Served
from .world.agents import listed_tools


class EpisodeRecorder:
    """One episode under one arm."""

    def __init__(self, episode: Episode, arm: type[Arm], bench: Bench) -> None:
        self.calls: list[dict[str, Json]] = []
        self._episode = episode
        bench.call = self._called_by_the_arm
        with plugin_errors(episode):
            bench.tools = episode.tools
        with plugin_errors(arm):
            self.arm = arm(bench)

    def __call__(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool and return what the agent sees."""
        served, entry = self._served(tool, arguments)
        self.calls.append(entry)
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
