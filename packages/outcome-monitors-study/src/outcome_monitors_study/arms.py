"""The arms of a study: how results and receipts are put before the agent. Each differs from another in one thing.

All arms see the same results and the same system prompt. A new one is a row of `arms.json`, with a class if need be, or a plugin.
"""

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Encoder, Json, Listing, Violation
from outcome_monitors.receipts.carriers import envelope, text_beside
from outcome_monitors.receipts.encoders import ENCODERS, Finding
from outcome_monitors.recovery.arguments import arguments_for
from outcome_monitors.recovery.relations import Relations, actions

from ._json import resource
from ._plugin_loading import plugin

PROMPTS = resource("prompts.json")
MOST_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Delivery:
    """What the agent is given for a result, and why."""

    content: Json
    receipt: Json = None
    violations: Sequence[Violation] = ()
    """What the detector found, delivered or not."""


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
    monitors: dict[tuple[str, str, str, bool], Monitor] = field(default_factory=dict)
    """Kept from episode to episode: a contract is compiled once."""

    def monitor(self, encoder: Encoder, detector: str, listing: Listing, substitutes: bool) -> Monitor:
        """Return the monitor with an encoder and a list, on the learned contracts or on the public schemas."""
        kind = (encoder, detector, listing, substitutes)
        if kind not in self.monitors:
            registry = self.registry if detector == "learned" else self.schemas
            relations = self.relations if substitutes else Relations()
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
    summary: ClassVar[str] = ""
    interface: ClassVar[Sequence[str]] = ()
    """The columns of the paper's Table 1, as `INTERFACE` names them."""
    lists: ClassVar[bool] = False
    """What the agent is given names tools that it could call."""
    needs_model: ClassVar[bool] = False
    """It speaks with the agent, or asks a second model: scripts can do neither."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def covers(self, tool: str) -> bool | None:
        """Say whether a detector has a contract for a tool; None where the arm has none."""
        return None

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
    substitutes: ClassVar[bool] = True
    """Whether receipts know of other tools than the one that was called."""
    listing: ClassVar[Listing] = "published"
    """Which tools its receipts offer: the paper's arms those of Algorithm 1, ours those that are safe to call."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._monitor = bench.monitor(self.encoder, self.detector, self.listing, self.substitutes)
        self._session = self._monitor.session()

    def covers(self, tool: str) -> bool | None:
        """Say whether there is a contract for a tool."""
        return self._monitor.covers(tool)

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result, or the envelope with a receipt."""
        receipt, violations = self.check(tool, arguments, result)
        content = result if receipt is None else envelope(result, receipt)
        return Delivery(content, receipt, violations)

    def check(
        self, tool: str, arguments: Mapping[str, Json], result: Json
    ) -> tuple[Json, tuple[Violation, ...]]:
        """Return the receipt, None where the result is consistent, and the violations behind it."""
        outcome = self._session.judge(tool, arguments, result, self.bench.tools)
        return outcome.receipt, outcome.violations


# Arms that advise: they differ in what the receipt says, or in what the detector knows.


class AdvisoryText(Detecting):
    """The paragraph that the paper appends to results that are text, as in AppWorld and tau-bench."""

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result, or its text with the receipt after it."""
        receipt, violations = self.check(tool, arguments, result)
        if receipt is None:
            return Delivery(result)
        raw = result if isinstance(result, str) else json.dumps(result)
        return Delivery(text_beside(raw, receipt), receipt, violations)


# Arms that vary when a fixed warning comes: always, or just not when it should.


class AlwaysWarn(Arm):
    """The fixed caution with recovery tools on every result."""

    encoder: ClassVar[str] = "generic"

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the envelope, whatever the result is."""
        receipt = self.bench.warning(self.encoder, tool)
        return Delivery(envelope(result, receipt), receipt)


class MatchedPlacebo(Detecting):
    """As many warnings as `generic` gives, at the wrong time.

    At a violation the warning is held back and the result passes raw; each warning held back is delivered at the next result
    that is consistent.
    """

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._held: deque[Json] = deque()

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result raw where it is suspect, and a warning that is due where it is not."""
        receipt, violations = self.check(tool, arguments, result)
        if receipt is not None:
            self._held.append(receipt)
            return Delivery(result, None, violations)
        if not self._held:
            return Delivery(result)
        due = self._held.popleft()
        return Delivery(envelope(result, due), due)


# Arms that act: they call a second tool, keep a result back, or have a model look again. Contrasts, not recommendations.


class AlwaysVerify(Arm):
    """After each read the first substitute is called, and its result stands beside the first."""

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result with a second opinion; writes, and reads without a substitute, pass as they are."""
        effect = self.bench.relations.effect(tool)
        other = self.bench.substitute(tool, arguments, result)
        if self.bench.call is None or other is None or effect.writes:
            return Delivery(result)
        name, made = other
        found = self.bench.call(name, made)
        content = {"tool_result": result, "verification": {"tool": name, "arguments": made, "result": found}}
        return Delivery(content)


class HardGuard(Detecting):
    """A result that breaks its contract is kept back, and an error stands in its place."""

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result, or an error."""
        receipt, violations = self.check(tool, arguments, result)
        if receipt is None:
            return Delivery(result)
        first = violations[0]
        said = f"The result of {tool} was withheld, it is inconsistent: {first.code} at {first.path or 'its root'}."
        return Delivery({"error": said}, receipt, violations)


class SelfCritique(Arm):
    """Before it ends, the agent is asked once to look at its own work."""

    needs_model = True
    REQUEST: ClassVar[str] = PROMPTS["self-critique"]

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._asked = False

    def after(self, answer: str) -> str | None:
        """Ask once."""
        asked, self._asked = self._asked, True
        return None if asked else self.REQUEST


class ReviewerLoop(Arm):
    """A second model looks at each call before it is made, and may send it back up to five times.

    It sees what was said, the calls that were made, and the tools there are. What it finds reaches the agent in one form.
    """

    needs_model = True
    REQUEST: ClassVar[str] = PROMPTS["reviewer"]

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._rounds = 0

    def before(self, tool: str, arguments: Mapping[str, Json], said: str) -> Json | None:
        """Return the reviewer's feedback; None where it approves, says nothing, or where five rounds are over."""
        if self.bench.ask is None or self._rounds >= MOST_ROUNDS:
            self._rounds = 0
            return None
        proposed = json.dumps({"tool": tool, "arguments": dict(arguments)})
        verdict = self.bench.ask(
            f"{self.REQUEST}\n\nTools:\n{self._tools()}\n\nSo far:\n{said}\n\nNext call:\n{proposed}"
        ).strip()
        if not verdict or verdict.upper().startswith("APPROVE"):
            self._rounds = 0
            return None
        self._rounds += 1
        return {"status": "not_executed", "review": {"property": "generic_feedback", "message": verdict}}

    def _tools(self) -> str:
        """Write the tools in sight, a line each, with what they say of themselves and what they take."""
        return "\n".join(
            json.dumps(
                {
                    "name": tool,
                    "description": self.bench.described.get(tool, ""),
                    "parameters": self.bench.inputs.get(tool, {}),
                }
            )
            for tool in self.bench.tools
        )


INTERFACE = ("trigger", "grounding", "witness", "restricts actions", "extra reads")


def _arms() -> Iterator[type[Arm]]:
    """Yield the arms of `arms.json`: each is a class of this module, but for what its row says."""
    for row in resource("arms.json"):
        base: type[Arm] = globals()[row.pop("class")]
        yield type(base.__name__, (base,), {"__module__": __name__, "__doc__": row["summary"], **row})


ARMS: dict[str, type[Arm]] = {arm.name: arm for arm in _arms()}


def arm_class(name: str) -> type[Arm]:
    """Return the arm of a name: one of ours, or the one at an import path."""
    if name in ARMS:
        return ARMS[name]
    if "." not in name:
        known = ", ".join(ARMS)
        raise OutcomeMonitorsError(
            f"there is no arm {name!r}: choose from {known}, or give the import path of a class"
        )
    found = plugin(name)
    if not (isinstance(found, type) and issubclass(found, Arm)):
        raise OutcomeMonitorsError(f"arm {name!r} is {found!r}, and no class that is derived from Arm")
    return found
