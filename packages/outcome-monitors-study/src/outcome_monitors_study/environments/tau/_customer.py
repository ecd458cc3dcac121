"""The simulated user: a model that acts on the task's instruction, or, offline, a script that reads it out and leaves.

The turns are tau-bench's (`tau_bench/envs/user.py`) and tau2-bench's: the model hears a greeting, says one line at a time, and ends
with a mark. Its prompt is that of the checkout; without one, ours says the same in other words.
"""

from outcome_monitors_study.environments.environment import Ask

__all__ = ["PROMPT", "Customer", "prompted"]

GREETING = "Hi! How can I help you today?"
STOP = "###STOP###"
ENDS = (STOP, "###TRANSFER###", "###OUT-OF-SCOPE###")
"""The last two are tau2-bench's: the user was handed over, or has no answer."""

PROMPT = (
    "You play a customer who talks with a shop's assistant.",
    """
How to play:
- Write the customer's next message only, a single line.
- Give what the assistant needs for the step at hand, and not the whole instruction at once.
- Never invent what the instruction does not say: if you are asked for something that is not in it, say that you do not know it.
- Put things in your own words, in the temper that the instruction describes; do not recite it.
- Once all that the instruction wants is done, write ###STOP### and nothing else.""",
)
"""What stands before and after the instruction."""


def prompted(instruction: str, prompt: tuple[str, str] | None) -> str:
    """Return an instruction between the two parts of a prompt."""
    before, after = PROMPT if prompt is None else prompt
    return f"{before}\n\nInstruction: {instruction}\n{after}"


class Customer:
    """The user of one episode."""

    def __init__(self, instruction: str, prompt: str) -> None:
        self._instruction = instruction
        self._lines: list[tuple[str, str]] = [("system", prompt), ("user", GREETING)]
        self.left = False

    def opening(self, ask: Ask | None) -> str:
        """Return the first line."""
        return self._instruction if ask is None else self._say(ask)

    def reply(self, said: str, ask: Ask | None) -> str | None:
        """Return the answer; None where the user leaves. The script leaves at the agent's first words."""
        line = STOP
        if ask is not None and not self.left:
            self._lines.append(("user", said))
            line = self._say(ask)
        self.left = self.left or any(end in line for end in ENDS)
        return None if self.left else line

    def _say(self, ask: Ask) -> str:
        line = ask(self._lines)
        self._lines.append(("assistant", line))
        return line
