"""Every number that the demonstration shows, counted once: the terminal, the page and the file all draw on these."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass

from outcome_monitors.audit.faults import Fault
from outcome_monitors.model import Call, Clause, Json
from outcome_monitors.reports import Share
from outcome_monitors.rules import explain

from ._contracts import DemoContracts
from ._learning import Learning
from ._runs import Comparison, Ending
from ._settings import DemoSettings
from .examples import Example

__all__ = [
    "Caught",
    "Completed",
    "Figures",
    "Words",
    "as_json",
    "by_suite",
    "count_caught",
    "count_completed",
    "in_words",
]

VERSION = 1

Endings = tuple[Ending, Ending]
"""Of one task, without the monitor and with it."""

GROUPS: Mapping[str, Callable[[Comparison], bool]] = {
    "once, calling again is safe": lambda o: not o.case.permanent and o.case.repeatable,
    "once, calling again acts twice": lambda o: not o.case.permanent and not o.case.repeatable,
    "always, safe, another tool at hand": lambda o: o.case.permanent and o.case.repeatable and o.case.choice,
    "always, safe, no other tool": lambda o: o.case.permanent and o.case.repeatable and not o.case.choice,
    "always, calling again acts twice": lambda o: o.case.permanent and not o.case.repeatable,
}
"""How often a fault strikes, and what the agent can do about it."""


@dataclass(frozen=True, slots=True)
class Caught:
    """How many of a fault's runs had their first corrupted result flagged."""

    fault: str
    suite: str
    summary: str
    share: Share
    interval: tuple[float, float] | None
    """Wilson, 95%; no workflow counts twice."""


@dataclass(frozen=True, slots=True)
class Completed:
    """How many runs of a group ended as they should."""

    group: str
    without: Share
    monitored: Share
    rescued: int
    """Completed with the monitor alone."""
    broken: int
    """Completed without it alone."""


@dataclass(frozen=True, slots=True)
class Words:
    """A contract to be read: one clause of each kind."""

    tool: str
    clauses: tuple[Clause, ...]
    of: int
    """How many clauses the contract has."""


@dataclass(frozen=True, slots=True)
class Figures:
    """All of them."""

    settings: DemoSettings
    calls: int
    tools: int
    contracts: int
    clauses: int
    kinds: int
    contract: Words
    examples: tuple[Example, ...]
    faults: tuple[Caught, ...]
    without_place: tuple[str, ...]
    """Faults that could strike nowhere."""
    caught: Share
    """Over all runs; they share workflows, so there is no interval."""
    flagged_results: Share
    """Of clean results."""
    flagged_workflows: Share
    """With at least one of them."""
    flagged_interval: tuple[float, float] | None
    """Of the workflows; Wilson, 95%."""
    completed: tuple[Completed, ...]
    learning: tuple[Learning, ...]

    @property
    def overall(self) -> Completed:
        """The row of all faults."""
        return self.completed[-1]


def count_caught(faults: Sequence[Fault], outcomes: Sequence[Comparison]) -> Iterator[Caught]:
    """Yield a row for each fault that had a place somewhere."""
    for fault in faults:
        own = [outcome.caught for outcome in outcomes if outcome.case.fault.name == fault.name]
        if own:
            share = Share(sum(own), len(own))
            yield Caught(fault.name, fault.suite, fault.summary, share, share.interval)


def by_suite(rows: Sequence[Caught]) -> dict[str, list[Caught]]:
    """Return the rows of each suite, those caught most often first."""
    suites: dict[str, list[Caught]] = {row.suite: [] for row in rows}
    for row in sorted(rows, key=lambda row: (-(row.share.value or 0.0), row.fault)):
        suites[row.suite].append(row)
    return suites


def count_completed(outcomes: Sequence[Comparison], clean: Sequence[Endings]) -> Iterator[Completed]:
    """Yield a row for runs without a fault, and one for each group that has runs; the last is of all faults."""
    yield _completed("no fault", clean)
    for group, belongs in GROUPS.items():
        endings = [(outcome.without, outcome.monitored) for outcome in outcomes if belongs(outcome)]
        if endings:
            yield _completed(group, endings)
    yield _completed("all faults", [(outcome.without, outcome.monitored) for outcome in outcomes])


def _completed(group: str, endings: Sequence[Endings]) -> Completed:
    pairs = [(without.completed, monitored.completed) for without, monitored in endings]
    return Completed(
        group,
        Share(sum(without for without, _ in pairs), len(pairs)),
        Share(sum(monitored for _, monitored in pairs), len(pairs)),
        rescued=pairs.count((False, True)),
        broken=pairs.count((True, False)),
    )


def in_words(learned: DemoContracts, examples: Sequence[Example], calls: Sequence[Call]) -> Words:
    """Return the contract of the tool that the first example is of, else of the first call."""
    tool = examples[0].tool if examples else calls[0].tool
    clauses = learned.whole.contracts[tool].clauses
    first = {clause.kind: clause for clause in reversed(clauses)}
    return Words(tool, tuple(clause for clause in clauses if first[clause.kind] is clause), len(clauses))


def as_json(figures: Figures) -> Json:
    """Return the figures as JSON."""
    return {"version": VERSION, **_json(figures)}


def _json(value: Json) -> Json:
    if isinstance(value, Clause):
        return {"words": explain(value), "kind": value.kind, "samples": value.samples, "tasks": value.tasks}
    if isinstance(value, Share):
        return {"part": value.part, "whole": value.whole, "share": value.value}
    if is_dataclass(value):
        return {field.name: _json(getattr(value, field.name)) for field in fields(value)}
    return [_json(item) for item in value] if isinstance(value, tuple) else value
