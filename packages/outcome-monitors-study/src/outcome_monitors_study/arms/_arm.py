"""What an arm is: a way to put results before the agent. All arms see the same results and the same system prompt."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Encoder, Json, Listing, Violation
from outcome_monitors.receipts.carriers import envelope
from outcome_monitors.receipts.encoders import ENCODERS, Finding
from outcome_monitors.recovery.actions import actions
from outcome_monitors.recovery.arguments import arguments_for
from outcome_monitors.recovery.relations import Relations
from outcome_monitors_study.environments.environment import ProxyReceipt

__all__ = ["Arm", "Bench", "Delivery", "Detecting"]


@dataclass(frozen=True, slots=True)
class Delivery:
    """What the agent is given for a result, and why."""

    content: Json
    receipt: Json = None
    violations: Sequence[Violation] = ()
    """What the detector found, delivered or not."""
    asked: tuple[str, Mapping[str, Json], Json] | None = None
    """A call that the arm itself made: tool, arguments, result."""


@dataclass(slots=True)
class Bench:
    """All that an arm may use: contracts, relations, the tools in sight. No task, no fault, no score."""

    registry: Registry
    schemas: Registry
    relations: Relations
    inputs: Mapping[str, Json] = field(default_factory=dict)
    """The input schema of each tool."""
    described: Mapping[str, str] = field(default_factory=dict)
    """What each tool says of itself."""
    tools: tuple[str, ...] = ()
    call: Callable[[str, Mapping[str, Json]], Json] | None = None
    """Calls a tool as the agent would."""
    ask: Callable[[str], str] | None = None
    """Asks a second model; there is none for scripts."""
    told: ProxyReceipt | None = None
    """What a proxy added to the last result, where calls go through one and it did."""
    monitors: dict[tuple[str, str, str], Monitor] = field(default_factory=dict)
    """Kept from episode to episode: a contract is compiled once."""

    def monitor(self, encoder: Encoder, detector: str = "learned", listing: Listing = "published") -> Monitor:
        """Return the monitor with an encoder and a list, on the learned contracts or on the public schemas.

        Schemas come without relations, as in the paper: a receipt of theirs lists the tool itself.
        """
        kind = (encoder, detector, listing)
        if kind not in self.monitors:
            learned = detector == "learned"
            registry, relations = (self.registry, self.relations) if learned else (self.schemas, Relations())
            self.monitors[kind] = Monitor(registry, relations, encoder=encoder, listing=listing)
        return self.monitors[kind]

    def warning(self, encoder: str, tool: str) -> Json:
        """Return a receipt that names no violation, for any result of a tool."""
        offered = actions("published", tool, self.relations, self.tools)
        return ENCODERS[encoder](Finding(tool, (), tuple(action.tool for action in offered), actions=offered))

    def substitute(
        self, tool: str, arguments: Mapping[str, Json], result: Json
    ) -> tuple[str, Mapping[str, Json]] | None:
        """Return the first substitute in sight whose arguments are known."""
        for relation in self.relations.get(tool, ()):
            made = arguments_for(relation.arguments, arguments, result)
            made = self._shared(relation.tool, arguments) if made is None else made
            if relation.tool in self.tools and made is not None:
                return relation.tool, made
        return None

    def _shared(self, tool: str, arguments: Mapping[str, Json]) -> dict[str, Json] | None:
        """Return the arguments that a tool takes under the same names; None where it needs others."""
        schema = self.inputs.get(tool, {})
        if not schema.get("required") or not set(schema["required"]) <= arguments.keys():
            return None
        return {name: value for name, value in arguments.items() if name in schema.get("properties", {})}


class Arm:
    """The baseline: results as they come. Other arms change one thing each."""

    name: ClassVar[str] = "baseline"
    summary: ClassVar[str] = "Results as they come."
    lists: ClassVar[bool] = False
    """What the agent is given names tools that it could call."""
    needs_model: ClassVar[bool] = False
    """It speaks with the agent, or asks a second model: scripts can do neither."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def before(self, tool: str, arguments: Mapping[str, Json], said: str) -> Json | None:
        """Return what the agent is told in place of the call's result; None lets the call be made."""
        return None

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return what the agent is given for a result."""
        return Delivery(result)

    def after(self, answer: str) -> str | None:
        """Return what the agent is told after its last words; None ends the episode."""
        return None


class Detecting(Arm):
    """Arms with a detector: a receipt where a result breaks its contract."""

    lists = True
    encoder: ClassVar[Encoder] = "v2"
    detector: ClassVar[str] = "learned"
    listing: ClassVar[Listing] = "published"
    """Which tools its receipts offer: the paper's arms those of Algorithm 1, ours those that are safe to call."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._session = bench.monitor(self.encoder, self.detector, self.listing).session()

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result, or the envelope with a receipt."""
        receipt, violations = self.judged(tool, arguments, result)
        content = result if receipt is None else envelope(result, receipt)
        return Delivery(content, receipt, violations)

    def judged(
        self, tool: str, arguments: Mapping[str, Json], result: Json
    ) -> tuple[Json, tuple[Violation, ...]]:
        """Return the receipt, None where the result is consistent, and the violations behind it."""
        outcome = self._session.judge(tool, arguments, result, self.bench.tools)
        return outcome.receipt, outcome.violations
