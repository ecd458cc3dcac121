"""The nouns: a call, a clause, a contract, a violation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Call", "Clause", "Contract", "Encoder", "Mode", "Profile", "Violation"]

Profile = Literal["full", "paper"]
"""What mining learns: all kinds of clause at every depth, or what the paper does."""
Mode = Literal["shadow", "advise"]
"""Whether agents are told: in `shadow` every result is checked and nobody is told."""
Encoder = Literal["v1", "v2", "v3", "generic", "stripped", "text"]
"""The forms of a receipt."""

Json = Any  # a decoded JSON value: None, bool, int, float, str, list or dict with string keys


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call and what came back: a line of a trace file."""

    tool: str
    arguments: Mapping[str, Json]
    result: Json
    task: str | None = None
    """Calls of one task must not be split between mining and evaluation."""
    session: str | None = None
    """Calls of one run, in order."""
    error: bool = False
    """The call failed openly; such calls are not mined."""
    tools: tuple[str, ...] | None = None
    """What the agent could call at that point, where the trace says so."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Every other key of the line, kept and ignored."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One property that a result does not have."""

    code: str
    """What sort of property: a row of the table of codes."""
    path: str
    """Where in the result."""
    expected: Json
    observed: Json
    detail: str
    """The same in a sentence."""
    tasks: int = 0
    """In how many distinct tasks, or records of a database, the property was seen to hold; of a schema 0."""
    closest: Json = None
    """The clean value that is most like the observed one, where one can be named (`rules.Kind.closest`)."""

    def to_json(self) -> dict[str, Json]:
        """Return the five fields that files, events and other programs know a violation by."""
        return {
            "code": self.code,
            "path": self.path,
            "expected": self.expected,
            "observed": self.observed,
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class Clause:
    """One property that results of a tool have, as data: no clause can run code.

    `kind` names the rule that gives it meaning (a row of `rules.KINDS`), `path` the place in the result it speaks of
    (`values.paths`), `params` the rest.
    """

    kind: str
    path: str
    params: Mapping[str, Json]
    samples: int
    """How many results the clause was seen to hold on."""
    tasks: int
    """In how many distinct tasks."""
    source: str
    """Where it comes from: `traces`, `schema:<file>`, `database:<file>`."""


@dataclass(frozen=True, slots=True)
class Contract:
    """All that is known of one tool's results."""

    tool: str
    clauses: tuple[Clause, ...]
