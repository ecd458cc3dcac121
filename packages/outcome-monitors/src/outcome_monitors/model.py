"""The nouns: a call, a clause, a contract, a violation, an outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

Profile = Literal["full", "paper"]
"""What mining learns: all kinds of clause at every depth, or what the paper does."""
Mode = Literal["shadow", "advise"]
"""Whether agents are told: in `shadow` every result is checked and nobody is told."""
Encoder = Literal["note", "v1", "v2", "generic", "stripped", "text"]
"""The forms of a receipt."""

Listing = Literal["published", "safe"]
"""Which tools receipts offer (`recovery.relations`)."""

BUDGET = 0.01
"""The share of right results that may be flagged, and told, unless another is asked for."""

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
    about: int | None = field(default=None, repr=False)
    """The number of the earlier call in the session that it is about, from 0; None where it is about this result."""

    def to_json(self) -> dict[str, Json]:
        """Return the fields that files, events and other programs know a violation by; `about` only where it is another call's."""
        fields: dict[str, Json] = {
            "code": self.code,
            "path": self.path,
            "expected": self.expected,
            "observed": self.observed,
            "detail": self.detail,
        }
        return fields if self.about is None else {**fields, "about": self.about}


@dataclass(frozen=True, slots=True)
class Clause:
    """One property that results of a tool have, as data: no clause can run code.

    `kind` names the rule that gives it meaning (a row of `rules.KINDS`), `path` the place in the result it speaks of
    (`jsonvalue.paths`), `params` the rest.
    """

    kind: str
    path: str
    params: Mapping[str, Json]
    samples: int
    """How many results the clause was seen to hold on."""
    tasks: int
    """In how many distinct tasks."""
    source: str
    """Where it comes from: `traces`, `schema:<file>`, `database:<file>`, `built-in`."""


class ClauseName(NamedTuple):
    """What a clause is called (`contracts.identity`)."""

    id: str
    """The name that it keeps when it is mined again."""
    address: str
    """Where it is, as people read it and commands take it: `get_order.total/positive#f3e21b`."""


@dataclass(frozen=True, slots=True)
class Contract:
    """All that is known of one tool's results."""

    tool: str
    clauses: tuple[Clause, ...]


Broken = tuple[tuple[Clause, Violation], ...]
"""Each broken clause with its violation."""

Unchecked = Literal[
    "",  # it was checked
    "no contract",
    "no clause",  # there is a contract, and it says nothing
    "failed inside",  # at least one clause could not be checked, or the memory of the session failed
    "no result",  # there was nothing that could be checked
    "an open failure",  # the call says itself that it failed
    "too large",
    "took too long",
]
"""Why a result was not checked."""

Untold = Literal[
    "",  # it was told
    "nothing broken",
    "nobody asked",  # a check alone
    "in shadow",  # nobody is told in this mode
    "not proven",  # what is broken is still on trial
    "no receipt",  # it could not be written
    "a change",  # what breaks it has become usual, and is for people to accept
    "slight",  # too little speaks for a fault
    "another form",  # all first results are of another type than the contract knows
    "muted",  # a person has said that it is not to be told
    "called wrong",  # people have called it wrong in several tasks
]
"""Why the agent is not told."""

Verdict = Literal["clean", "flagged", "not_covered", "not_checked", "failed"]
"""An outcome in a word."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one tool result: whether it was checked, what it breaks, and what the agent is told."""

    tool: str
    why: Unchecked = ""
    """Why it was not checked, or not in full; empty where it was."""
    broken: Broken = ()
    """The most telling first."""
    failures: tuple[str, ...] = ()
    """What went wrong inside, in words; they may hold values of the result."""
    proven: Broken = ()
    """Those of the broken clauses that agents may be told of, whatever the mode."""
    untold: Untold = "nothing broken"
    """Why the agent is not told; empty where it is."""
    receipt: Json = None
    """What to hand to the agent beside the result; None where it is not told."""
    recovery: tuple[str, ...] = ()
    """The tools that the receipt can offer, the flagged one first."""
    suspended: tuple[str, ...] = ()
    """The addresses of the broken clauses that nobody is told of, since what breaks them has become usual."""
    odds: float | None = None
    """The odds that the result is wrong, where they were weighed."""
    since: str = ""
    """Of a tool that gives no answer: from when on."""
    seconds: float = 0.0
    """How long it took, receipt included; 0 where that was not measured."""

    def timed(self, seconds: float) -> "Outcome":
        """Return the same with the time that it took."""
        return replace(self, seconds=seconds)

    @property
    def checked(self) -> bool:
        """Whether it was checked, and in full."""
        return not self.why

    @property
    def told(self) -> bool:
        """Whether the agent is alerted; a receipt of a clean result only says how to get the rest of it."""
        return self.receipt is not None and bool(self.broken)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What it breaks, the most telling first."""
        return tuple([violation for _, violation in self.broken])

    @property
    def verdict(self) -> Verdict:
        """The same in a word."""
        return "flagged" if self.broken else _VERDICTS.get(self.why, "not_checked")


_VERDICTS: Mapping[Unchecked, Verdict] = {
    "": "clean",
    "no contract": "not_covered",
    "failed inside": "failed",
}
