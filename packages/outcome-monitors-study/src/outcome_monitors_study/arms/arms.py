"""The arms: how results and receipts are put before the agent. Each differs from another in one thing."""

import json
from collections import deque
from collections.abc import Mapping
from typing import Any, ClassVar

from outcome_monitors.model import Json, Violation
from outcome_monitors.receipts.carriers import envelope, text_beside

from ._arm import Arm, Bench, Delivery, Detecting

__all__ = ["ARMS"]

MOST_ROUNDS = 5


# Arms that advise: they differ in what the receipt says, or in what the detector knows.


class AdvisoryText(Detecting):
    """The paragraph that the paper appends to results that are text, as in AppWorld and tau-bench."""

    name = "advisory-text"
    lists = False
    summary = "A paragraph after the result where the learned contracts are broken."
    encoder = "text"

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result, or its text with the receipt after it."""
        receipt, violations = self.judged(tool, arguments, result)
        if receipt is None:
            return Delivery(result)
        raw = result if isinstance(result, str) else json.dumps(result)
        return Delivery(text_beside(raw, receipt), receipt, violations)


class ProxyAsItIs(Arm):
    """What a proxy in front of the tools adds, as it comes off the wire."""

    name = "proxy"
    lists = True
    summary = "What the proxy makes of results; in environments whose calls go through one (mcp)."

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result, or its text with what the proxy put behind it."""
        told = self.bench.told
        if told is None:
            return Delivery(result)
        named = told.receipt.get("violation") if isinstance(told.receipt, dict) else None
        named = named if isinstance(named, dict) else {}
        code, path = str(named.get("property", "receipt")), str(named.get("path", ""))
        found = Violation(code, path, named.get("expected"), named.get("observed"), told.text)
        return Delivery(told.text, told.receipt, (found,))


# Arms that vary when a fixed warning comes: always, or just not when it should.


class AlwaysWarn(Arm):
    """The fixed caution with recovery tools on every result."""

    name = "always-warn"
    lists = True
    summary = "A fixed caution with recovery tools on every result."
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

    name = "matched-placebo"
    summary = "The warnings of `generic`, each delayed to the next consistent result."
    encoder = "generic"

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._held: deque[Json] = deque()

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result raw where it is suspect, and a warning that is due where it is not."""
        receipt, violations = self.judged(tool, arguments, result)
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

    name = "always-verify"
    summary = "A substitute's result beside that of every read that has one."

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result with a second opinion; writes, and reads without a substitute, pass as they are."""
        effect = self.bench.relations.effect(tool)
        other = self.bench.substitute(tool, arguments, result)
        if self.bench.call is None or other is None or effect.writes:
            return Delivery(result)
        name, made = other
        found = self.bench.call(name, made)
        content = {"tool_result": result, "verification": {"tool": name, "arguments": made, "result": found}}
        return Delivery(content, asked=(name, made, found))


class HardGuard(Detecting):
    """A result that breaks its contract is kept back, and an error stands in its place."""

    name = "hard-guard"
    lists = False
    summary = "An error in place of a result that breaks the learned contracts."

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result, or an error."""
        receipt, violations = self.judged(tool, arguments, result)
        if receipt is None:
            return Delivery(result)
        return Delivery(
            {"error": f"The result of {tool} was withheld: it is inconsistent."}, receipt, violations
        )


class SelfCritique(Arm):
    """Before it ends, the agent is asked once to look at its own work."""

    name = "self-critique"
    summary = "The agent is asked once to check its own work before it ends."
    needs_model = True
    REQUEST = (
        "Before you finish, check your own work: look at every tool result that you relied on, and say whether it is"
        " coherent. Call tools again where you doubt one, then give your final answer."
    )

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

    name = "reviewer"
    summary = "A second model reviews each call before it is made, up to five rounds."
    needs_model = True
    REQUEST = (
        "You review the next tool call of an assistant before it is made. Consider whether the tool is the right one of those"
        " listed, whether its arguments are right and come from the conversation, and whether a call is called for at all."
        " If it is right, answer APPROVE alone. Otherwise say in one or two sentences what is wrong; do not make the call"
        " yourself."
    )

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


def _variant(base: type[Arm], name: str, summary: str, **changed: Any) -> type[Arm]:
    """Return an arm that is another one but for what is changed."""
    return type(base.__name__, (base,), {"name": name, "summary": summary, "__doc__": summary, **changed})


BROKEN = "where the learned contracts are broken."

ARMS: dict[str, type[Arm]] = {
    arm.name: arm
    for arm in (
        Arm,
        _variant(Detecting, "advisory-v1", f"Receipt v1 {BROKEN}", encoder="v1"),
        _variant(Detecting, "advisory-v2", f"Receipt v2 {BROKEN}"),
        _variant(
            AdvisoryText,
            "advisory-note",
            "A sentence after the result, with the safe list, where the learned contracts are broken.",
            lists=True,
            encoder="note",
            listing="safe",
        ),
        _variant(Detecting, "advisory-v2-safe", f"Receipt v2 with the safe list {BROKEN}", listing="safe"),
        AdvisoryText,
        ProxyAsItIs,
        _variant(
            Detecting,
            "schema-only",
            "Receipt v2 without substitutes where the public output schemas are broken.",
            detector="schemas",
        ),
        _variant(Detecting, "generic", f"A fixed caution with recovery tools, {BROKEN}", encoder="generic"),
        _variant(
            Detecting,
            "stripped",
            f"A fixed caution without recovery tools, {BROKEN}",
            lists=False,
            encoder="stripped",
        ),
        AlwaysWarn,
        _variant(
            AlwaysWarn,
            "always-warn-stripped",
            "A fixed caution without recovery tools on every result.",
            lists=False,
            encoder="stripped",
        ),
        MatchedPlacebo,
        AlwaysVerify,
        HardGuard,
        SelfCritique,
        ReviewerLoop,
    )
}
