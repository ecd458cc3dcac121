"""An episode as an agent meets it: calls go to the episode, results through the arm, and everything is noted."""

from collections.abc import Callable, Mapping

from outcome_monitors.model import Json
from outcome_monitors.receipts.carriers import envelope, text_beside

from ._json import differences, written
from ._plugin_loading import plugin_errors
from .arms import Arm, Bench, Delivery, Detecting
from .environments.environment import Episode, Served
from .world.agents import listed_tools

SCHEMA_VERSIONS = {"v2": "tool_property_path_expected_observed_first_v2"}
"""What the paper's ledgers call a form of receipts; others go by the name of their encoder."""


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
            entry |= self._delivered(delivery, served.seen)
        return delivery.content

    def before(self, tool: str, arguments: Mapping[str, Json], so_far: Callable[[], str]) -> Json | None:
        """Return what the arm tells the agent in place of a call's result, if anything; `so_far` is the conversation as text."""
        if type(self.arm).before is Arm.before:
            return None
        with plugin_errors(self.arm):
            instead = self.arm.before(tool, arguments, so_far())
        if instead is not None:
            rejected = {"tool": tool, "arguments": dict(arguments), "by": "agent", "executed": False}
            self.calls.append({**rejected, "delivered": written(instead)})
        return instead

    def after(self, answer: str) -> str | None:
        """Return what the arm tells the agent after its last words."""
        with plugin_errors(self.arm):
            return self.arm.after(answer)

    def _called_by_the_arm(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        served, entry = self._served(tool, arguments)
        self.calls.append({**entry, "delivered": written(served.seen), "by": "arm"})
        return served.seen

    def _served(self, tool: str, arguments: Mapping[str, Json]) -> tuple[Served, dict[str, Json]]:
        with plugin_errors(self._episode):
            served = self._episode.call(tool, arguments)
            return served, self._entry(tool, arguments, served)

    def _entry(self, tool: str, arguments: Mapping[str, Json], served: Served) -> dict[str, Json]:
        entry = {"tool": tool, "arguments": dict(arguments), "raw": served.raw, "by": "agent"}
        if served.injected:
            entry["injection"] = list(differences(served.raw, served.seen))
            entry["fault"] = served.fault
            entry["covered"] = self.arm.covers(tool)
        return entry

    def _delivered(self, delivery: Delivery, seen: Json) -> dict[str, Json]:
        found: dict[str, Json] = {"delivered": written(delivery.content)}
        if delivery.violations:
            found["violations"] = [
                {"code": violation.code, "path": violation.path} for violation in delivery.violations
            ]
        if delivery.receipt is not None:
            form = getattr(self.arm, "encoder", "")
            whole = (envelope(seen, delivery.receipt), text_beside(written(seen), delivery.receipt))
            found |= {
                "receipt": delivery.receipt,
                "receipt_schema_version": SCHEMA_VERSIONS.get(form, form),
                "listed": listed_tools(delivery.receipt),
                "intact": found["delivered"] in map(written, whole),
            }
        return found
