"""What is wrong with a contract file as it stands: little behind a clause, or what should not be in a file that is shared."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from outcome_monitors.contracts.identity import about, identify
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.owners import owned
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Clause
from outcome_monitors.records.feature import Feature
from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.base.record import is_feature
from outcome_monitors.values.paths import parse, render

from .personal_data import looks_personal, looks_secret, masked, names_person, names_secret

__all__ = ["LEAST_TASKS", "RULES", "Remark", "lint"]

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


_Text = tuple[str, str]
"""A path, and a text that a clause holds of it."""


def lint(registry: Registry, overrides: Overrides | None = None, least: int = LEAST_TASKS) -> list[Remark]:
    """Return what is wrong with contracts, tool by tool, then shape by shape; what was accepted is left alone."""
    decided = (Overrides() if overrides is None else overrides).on(registry)
    accepted = decided.named("accept")
    remarks: list[Remark] = []
    for tool, all_of_it in owned(registry).items():
        clauses = [(name, clause) for clause in all_of_it if (name := identify(tool, clause)) not in accepted]
        remarks.extend(_weak(tool, len(all_of_it), [clause for _, clause in clauses], least))
        for name, clause in clauses:
            remarks.extend(Remark(rule, tool, name, message) for rule, message in _private(clause))
    return [*remarks, *_stale(registry, decided)]


def _weak(tool: str, number: int, clauses: Iterable[Clause], least: int) -> Iterator[Remark]:
    weak = [clause for clause in clauses if clause.source == "traces" and clause.tasks < least]
    if weak:
        most = max(clause.tasks for clause in weak)
        share = f"{len(weak)} of {number} clauses"
        told = f"{share} rest on fewer than {least} tasks ({most} at most): record more traces of it, or mute them"
        yield Remark("weak-support", tool, "", told, len(weak))


def _private(clause: Clause) -> Iterator[tuple[str, str]]:
    """Yield what is private about a clause: the rule, and the message."""
    texts = list(_texts(clause))
    secret = _first(texts, looks_secret)
    named = next((path for path in _paths(clause) if names_secret(path)), "")
    if secret:
        yield "secret", f"{_where(secret)} is {secret[2]}: mute the clause, mine again, and change the secret"
    elif named:
        yield "secret", f"it is about {named}, which is secret by its name ({_words(clause)}): mute it"
    personal = _first(texts, looks_personal)
    people = [text for path, text in texts if names_person(path)]
    if personal:
        yield "personal-data", f"{_where(personal)} is {personal[2]}: mute the clause and mine again"
    elif people:
        number = f"{len(people)} text{'' if len(people) == 1 else 's'}"
        yield (
            "personal-data",
            f"it holds {number} of a field that is personal by its name, such as {masked(people[0])}",
        )


def _words(clause: Clause) -> str:
    # What a clause lists is what must not be shown.
    return clause.kind if next(_texts(clause), None) else explain(clause)


def _where(found: tuple[str, str, str]) -> str:
    path, text, _ = found
    return f"the text {masked(text)} at {path or 'the result'}"


def _first(texts: Iterable[_Text], looks: Callable[[str], str]) -> tuple[str, str, str] | None:
    return next(((path, text, what) for path, text in texts if (what := looks(text))), None)


def _paths(clause: Clause) -> Iterator[str]:
    """Yield the path of a clause, and those of what it relates."""
    yield clause.path
    for value in about(clause).values():
        for feature in value if isinstance(value, list) else [value]:
            if isinstance(feature, str):
                yield _path(clause.path, feature)


def _path(base: str, feature: str) -> str:
    """Return where a feature stands; of an argument its own path."""
    named = Feature.parse(feature) if is_feature(feature) else None
    try:
        # What names no feature is the name of a field.
        steps = parse(feature if named is None else named.path)
    except ValueError:
        return base
    return render(steps if named is not None and named.sort.of_call else [*parse(base), *steps])


def _texts(clause: Clause) -> Iterator[_Text]:
    """Yield the texts that a clause has learned, each with the path that it is of."""
    for feature, text in KINDS[clause.kind].texts(clause.params):
        yield "" if feature is None else _path(clause.path, feature), text


def _stale(registry: Registry, overrides: Overrides) -> Iterator[Remark]:
    there = {identify(tool, clause) for tool, clauses in owned(registry).items() for clause in clauses}
    for entry in overrides.in_order():
        # A muted clause is left out on purpose, and a pinned one is put back.
        if entry.decision in {"", "accept"} and entry.id not in there:
            told = f"the clause of kind {entry.kind} at {entry.path or 'the result'} is no longer there: review --undo {entry.id}"
            yield Remark("stale-override", entry.tool, entry.id, told)
