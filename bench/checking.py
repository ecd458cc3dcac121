"""What a check costs, beside reading the same bytes as JSON, and beside validators with the same constraints."""

import json
import timeit
from collections.abc import Collection, Iterator, Mapping

from outcome_monitors import Call, Clause, Contract, Monitor, Registry, mine
from outcome_monitors.checking.session import Session
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Profile

from ._peers import PEERS, MissingPeer, Validator, needed
from ._report import Table
from ._results import ORDER, SEARCH, Subject
from ._same import refuse_the_unequal, same_constraints
from ._timing import ROUNDS, fastest, timer

__all__ = ["tables"]

TITLES = {ORDER: "order of 12 fields", SEARCH: "search of 200 rows"}
GOALS: dict[Profile, dict[Subject, float]] = {
    "paper": {ORDER: 1.2, SEARCH: 1.5},
    "full": {ORDER: 1.2, SEARCH: 1.2},
}
"""Times the cost of orjson.loads."""
BASE = "orjson.loads of the bytes"

Monitors = Mapping[str, Monitor]


def tables(subjects: Collection[Subject] = TITLES.keys(), rounds: int = ROUNDS) -> Iterator[Table]:
    """Measure, and yield each table when it is done."""
    others: list[tuple[str, ...]] = []
    for subject in subjects:
        registries: dict[str, Registry] = {profile: mine(subject.mined(), profile) for profile in GOALS}
        monitors: dict[str, Monitor] = {
            profile: Monitor(registry) for profile, registry in registries.items()
        }
        call = _longest_clean(subject, monitors.values())
        yield _clean_table(subject, call, registries, rounds)
        others += _other_rows(subject, call, monitors, rounds)
    yield _other_table(others)


def _longest_clean(subject: Subject, monitors: Collection[Monitor]) -> Call:
    """Return the longest of the calls that mining did not see and that no monitor flags."""
    clean = (
        call
        for call in subject.fresh()
        if not any(monitor.check(call.tool, call.arguments, call.result) for monitor in monitors)
    )
    longest = max(clean, key=lambda call: len(_bytes(call)), default=None)
    if longest is None:
        raise OutcomeMonitorsError(f"every fresh result of {subject.name} was flagged, so none can be timed")
    return longest


def _bytes(call: Call) -> bytes:
    return json.dumps(call.result, separators=(",", ":")).encode()


def _check(monitor: Monitor, call: Call) -> timeit.Timer:
    # The first check of a tool compiles its contract.
    monitor.check(call.tool, call.arguments, call.result)
    return timer(monitor.check, call.tool, call.arguments, call.result)


def _clean_table(subject: Subject, call: Call, mined: Mapping[str, Registry], rounds: int) -> Table:
    ours = {f"Monitor, profile {profile}": registry for profile, registry in mined.items()}
    ours["Monitor, same constraints"] = same_constraints(subject)
    goals = {f"Monitor, profile {profile}": f"{goal[subject]:.1f}" for profile, goal in GOALS.items()}
    clauses = {name: f"{len(registry.contracts[subject.name].clauses)}" for name, registry in ours.items()}
    validators, missing = _validators(subject)
    refuse_the_unequal(subject, call.result, Monitor(same_constraints(subject), built_in=False), validators)
    seconds = fastest(_statements(call, ours, validators), rounds)
    return Table(
        f"A clean {TITLES[subject]}, {len(_bytes(call)):,} bytes",
        ("what", ">clauses", ">us", ">x orjson.loads", ">goal"),
        tuple(
            (name, clauses.get(name, ""), _us(taken), f"{taken / seconds[BASE]:.2f}", goals.get(name, ""))
            for name, taken in seconds.items()
        ),
        (f"The result is not among the {subject.tasks} that were mined.", *_NOTES, *missing),
    )


_NOTES = (
    "Profile `paper` looks at the fields of the result alone, profile `full` at every row too.",
    "The same constraints are the peers': types, required fields and no others, categories, numbers above zero.",
    "Monitor and peers were seen to refuse the same damaged results.",
)


def _statements(
    call: Call, ours: Mapping[str, Registry], validators: Mapping[str, Validator]
) -> dict[str, timeit.Timer]:
    data = _bytes(call)
    return {
        BASE: timer(needed("orjson").loads, data),
        "json.loads of the bytes": timer(json.loads, data),
        # The peers have no built-in rules.
        **{
            name: _check(
                Monitor(registry, built_in=None if name.startswith("Monitor, profile") else False), call
            )
            for name, registry in ours.items()
        },
        **{name: timer(v.function, call.result, *v.further) for name, v in validators.items()},
    }


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:,.2f}"


def _validators(subject: Subject) -> tuple[dict[str, Validator], list[str]]:
    """Return the peers that are installed, and a line for each that is not."""
    found: dict[str, Validator] = {}
    missing: list[str] = []
    for name, make in PEERS.items():
        try:
            found[name] = make(subject.schema)
        except MissingPeer as error:
            missing.append(f"{name}: {error}")
    return found, missing


def _other_rows(subject: Subject, call: Call, monitors: Monitors, rounds: int) -> Iterator[tuple[str, ...]]:
    """Measure a result with one category that was never seen, and what a session adds to a clean one."""
    wrong = {**call.result, "currency": "never seen"}
    for profile, monitor in monitors.items():
        asked = (call.tool, call.arguments)
        seconds = fastest(
            {
                "clean": _check(monitor, call),
                "session": timer(monitor.session().check, *asked, call.result),
                "memory": timer(_remembering(monitor, call).check, *asked, call.result),
                "check": timer(monitor.check, *asked, wrong),
                "advise": timer(monitor.advise, *asked, wrong, (call.tool,)),
            },
            rounds,
        )
        added, remembered = (seconds[what] - seconds["clean"] for what in ("session", "memory"))
        yield (
            TITLES[subject],
            profile,
            *map(
                _us,
                (seconds["check"], seconds["advise"], seconds["clean"], added, remembered),
            ),
        )


def _remembering(monitor: Monitor, call: Call) -> Session:
    """Return a session whose contract has a clause that needs its memory."""
    says_again = Clause("memory", "", {"key": "@", "field": ".currency"}, 60, 40, "traces")
    own = Registry(
        {call.tool: Contract(call.tool, (*monitor.contracts.by_tool[call.tool].clauses, says_again))}
    )
    return Monitor(own).session()


def _other_table(rows: list[tuple[str, ...]]) -> Table:
    return Table(
        "A result that breaks its contract, and the memory of a session",
        ("result", "profile", ">check", ">advise", ">clean", ">session adds", ">with memory"),
        tuple(rows),
        (
            "Microseconds. One category was replaced by one never seen; `advise` also writes the receipt.",
            "The last two are what `Monitor.session` adds to the check of the clean result, checked before.",
            "Where no clause needs the session's memory, and where one does, so that what each result says is kept.",
        ),
    )
