"""Arms that act: they call a second tool, keep a result back, or have a model look again. Contrasts, not recommendations."""

import json
from collections.abc import Mapping

from outcome_monitors.model import Json

from ._arm import Arm, Bench, Delivery, Detecting

__all__ = ["AlwaysVerify", "HardGuard", "ReviewerLoop", "SelfCritique"]

MOST_ROUNDS = 5


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
