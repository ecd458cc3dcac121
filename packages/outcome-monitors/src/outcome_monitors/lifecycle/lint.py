"""What is wrong with a contract file as it stands: little behind a clause, or what should not be in a file that is shared."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from outcome_monitors.contracts.identity import identify
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.privacy import paths_of, texts_of
from outcome_monitors.contracts.registry import Registry, owned
from outcome_monitors.jsonvalue.private_data import (
    looks_secret,
    masked,
    names_private,
    private_among,
)
from outcome_monitors.model import Clause
from outcome_monitors.rules import explain

LEAST_TASKS = 5
"""What fewer tasks show may be chance."""

RULES: Mapping[str, str] = {
    "weak-support": "Few tasks stand behind the clause.",
    "personal-data": "The clause holds personal data.",
    "secret": "The clause holds a secret, or is about one.",
    "stale-override": "A decision is about a clause that is no longer there.",
}


class Remark(NamedTuple):
    """One thing to look at."""

    rule: str
    """One of `RULES`."""
    tool: str
    id: str
    """The clause; empty where it is about the tool."""
    message: str
    clauses: int = 1
    """How many clauses it is about."""


def lint(registry: Registry, overrides: Overrides | None = None) -> list[Remark]:
    """Return what is wrong with contracts, tool by tool, then shape by shape; what was accepted is left alone."""
    decided = (Overrides() if overrides is None else overrides).on(registry)
    accepted = decided.named("accept")
    remarks: list[Remark] = []
    for tool, all_of_it in owned(registry).items():
        clauses = [(name, clause) for clause in all_of_it if (name := identify(tool, clause)) not in accepted]
        remarks.extend(_weak(tool, len(all_of_it), [clause for _, clause in clauses]))
        for name, clause in clauses:
            remarks.extend(Remark(rule, tool, name, message) for rule, message in _private(clause))
    return [*remarks, *_stale(registry, decided)]


def _weak(tool: str, number: int, clauses: Iterable[Clause]) -> Iterator[Remark]:
    weak = [clause for clause in clauses if clause.source == "traces" and clause.tasks < LEAST_TASKS]
    if weak:
        most = max(clause.tasks for clause in weak)
        share = f"{len(weak)} of {number} clauses"
        message = f"{share} rest on fewer than {LEAST_TASKS} tasks ({most} at most): record more traces of it, or mute them"
        yield Remark("weak-support", tool, "", message, len(weak))


def _private(clause: Clause) -> Iterator[tuple[str, str]]:
    """Yield what is private about a clause: the rule, and the message, which shows little of it."""
    texts = [*texts_of(clause)]
    secrets = [(path, text, what) for path, text in texts if (what := looks_secret(text))]
    named = [path for path in paths_of(clause) if names_private(path) == "secret"]
    if secrets:
        yield "secret", f"{_where(*secrets[0])}: mute the clause, mine again, and change the secret"
    elif named:
        # What a clause lists is what must not be shown.
        words = clause.kind if texts else explain(clause)
        yield "secret", f"it is about {named[0]}, which is secret by its name ({words}): mute it"
    # Whether numbers are personal is decided by all values of a field together.
    fields: dict[str, list[str]] = {}
    for path, text in texts:
        if not looks_secret(text):
            fields.setdefault(path, []).append(text)
    personal = [
        (path, text, what) for path, held in fields.items() for text, what in private_among(held).items()
    ]
    people = [text for path, text in texts if names_private(path) == "personal"]
    if personal:
        yield "personal-data", f"{_where(*personal[0])}: mute the clause and mine again"
    elif people:
        number = f"{len(people)} text{'' if len(people) == 1 else 's'}"
        yield (
            "personal-data",
            f"it holds {number} of a field that is personal by its name, such as {masked(people[0])}",
        )


def _where(path: str, text: str, what: str) -> str:
    return f"the text {masked(text)} at {path or 'the result'} is {what}"


def _stale(registry: Registry, overrides: Overrides) -> Iterator[Remark]:
    there = {identify(tool, clause) for tool, clauses in owned(registry).items() for clause in clauses}
    for entry in overrides.in_order():
        # A muted clause is left out on purpose, and a pinned one is put back.
        if entry.decision in {"", "accept"} and entry.id not in there:
            message = f"the clause of kind {entry.kind} at {entry.path or 'the result'} is no longer there: review --undo {entry.id}"
            yield Remark("stale-override", entry.tool, entry.id, message)
