"""Substitutes by what traces show: asked about the same things, two tools say the same.

Two tools agree where they were asked about the same things and a field of one has the value of a field of the other, more
often than when they were asked about different things. Chance agreement (two orders both "sent") is told from real agreement
by that comparison alone.

A tool also stands in for another where runs went on with it, asked with the same values, after the other had failed or was flagged.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from outcome_monitors.model import Call

from .steps import CallStep, halves

__all__ = ["Agreement", "agreements", "failed", "recoveries"]

Names = tuple[str, ...]
MOST_STEPS = 30
"""Steps of one kind that are kept for each thing asked about."""
MOST_THINGS = 40
"""Questions about which two kinds of steps are compared."""
MOST_OF_ONE = 3
"""Pairs of steps of one question."""
LEAST_PAIRS = 2
MANY = 3
LEAST_SHARE = 0.55
"""Share of pairs in which a field must agree: writes between the calls of a run may change it."""


@dataclass(slots=True)
class Agreement:
    """How two kinds of steps agree."""

    one: Names
    other: Names
    pairs: list[tuple[CallStep, CallStep]] = field(default_factory=list)
    """Steps that were asked about the same things."""
    fields: list[tuple[str, str]] = field(default_factory=list)
    """Paths that agree."""
    entities: int = 0
    """Distinct things they were both asked about."""

    @property
    def covered(self) -> float:
        """The share of what the first says that the other says too."""
        said = {path for one, _ in self.pairs for path in one.said if not path.endswith("*")}
        return len({path for path, _ in self.fields if not path.endswith("*")}) / len(said) if said else 0.0


def agreements(steps: Iterable[CallStep], comparable: frozenset[str]) -> Iterator[Agreement]:
    """Yield how each two kinds of steps agree that were asked about the same things; both directions are one."""
    by_kind: defaultdict[Names, list[CallStep]] = defaultdict(list)
    for step in steps:
        if step.keys and set(step.tools) <= comparable:
            by_kind[step.tools].append(step)
    for (one, other), pairs in sorted(_matched(by_kind).items()):
        found = Agreement(one, other, pairs)
        found.entities = len({frozenset(a.keys & b.about | b.keys & a.about) for a, b in pairs})
        if found.entities >= LEAST_PAIRS:
            found.fields = _agreeing(pairs, by_kind[other])
        yield found


def _matched(
    by_kind: Mapping[Names, Sequence[CallStep]],
) -> dict[tuple[Names, Names], list[tuple[CallStep, CallStep]]]:
    index: defaultdict[str, defaultdict[Names, list[CallStep]]] = defaultdict(lambda: defaultdict(list))
    for kind, steps in sorted(by_kind.items()):
        for step in steps:
            for atom in step.about:
                kept = index[atom][kind]
                if len(kept) < MOST_STEPS:
                    kept.append(step)
    pairs: defaultdict[tuple[Names, Names], dict[frozenset[str], list[tuple[CallStep, CallStep]]]] = (
        defaultdict(dict)
    )
    for atom in sorted(index):
        for one, other in combinations(sorted(index[atom]), 2):
            if not set(one) & set(other) and len(pairs[one, other]) < MOST_THINGS:
                _pair(pairs[one, other], index[atom][one], index[atom][other])
    return {
        kinds: [pair for same in found.values() for pair in same] for kinds, found in pairs.items() if found
    }


def _pair(
    found: dict[frozenset[str], list[tuple[CallStep, CallStep]]],
    ones: Sequence[CallStep],
    others: Sequence[CallStep],
) -> None:
    """Pair steps that were asked the same, a few for each question."""
    for one in ones:
        for other in others:
            question = one.keys | other.keys
            kept = found.get(question, ())
            if len(kept) < MOST_OF_ONE and (one, other) not in kept and _same_question(one, other):
                found.setdefault(question, []).append((one, other))


def _same_question(one: CallStep, other: CallStep) -> bool:
    """Say whether all that tells something in the shorter question is in the other."""
    short, long = (one, other) if len(one.keys) <= len(other.keys) else (other, one)
    return all(key in long.about or _part_of(key, long) for key in short.keys)


def _part_of(key: str, step: CallStep) -> bool:
    """Say whether a value is put together of what a question was asked with: a pair of its halves."""
    parts = halves(key)
    return len(parts) > 1 and all(part in step.about for part in parts)


def _agreeing(
    pairs: Sequence[tuple[CallStep, CallStep]], others: Sequence[CallStep]
) -> list[tuple[str, str]]:
    """Return the fields that agree about the same things, and not as often about different ones."""
    same, seen, values = _equal(pairs)
    chance, tried, _ = _equal(_mismatched(pairs, others))
    found = []
    for fields, times in same.items():
        share = times / seen[fields]
        by_chance = chance[fields] / tried[fields] if tried[fields] else 0.0
        if (
            seen[fields] >= LEAST_PAIRS
            and share >= LEAST_SHARE
            and share >= 2 * by_chance
            and len(values[fields]) > 1
        ):
            found.append(fields)
    # Two counts are soon the same: one field by itself must have many values, or long ones.
    weak = (
        len(found) == 1 and len(values[found[0]]) < MANY and all(len(text) < 3 for text in values[found[0]])
    )
    return [] if weak else sorted(found)


Fields = tuple[str, str]


def _equal(
    pairs: Iterable[tuple[CallStep, CallStep]],
) -> tuple[Counter[Fields], Counter[Fields], dict[Fields, set[str]]]:
    equal: Counter[Fields] = Counter()
    seen: Counter[Fields] = Counter()
    values: defaultdict[Fields, set[str]] = defaultdict(set)
    for one, other in pairs:
        asked = one.about | other.about
        mine, theirs = _by_place(one, asked), _by_place(other, asked)
        for path, said in mine.items():
            for place, told in theirs.items():
                seen[path, place] += 1
                common = said & told
                # Of two lists most must be the same; one value may stand in a list.
                if common and 2 * len(common) >= min(len(said), len(told)):
                    equal[path, place] += 1
                    values[path, place] |= common
    return equal, seen, values


def _by_place(step: CallStep, asked: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return what a step says, by path; a key that was asked about is no name of a field."""
    found: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for path, values in step.said.items():
        place = ".".join("*" if part.casefold() in asked else part for part in path.split("."))
        told = values - asked
        if told:
            found[place] |= told
    return found


def _mismatched(
    pairs: Sequence[tuple[CallStep, CallStep]], others: Sequence[CallStep]
) -> Iterator[tuple[CallStep, CallStep]]:
    """Pair each first step with one that was asked about something else."""
    for number, (one, _) in enumerate(pairs):
        for turn in range(len(others)):
            other = others[(number * 7 + turn) % len(others)]
            if not _same_question(one, other):
                yield one, other
                break


SOON = 3
"""Calls within which the other tool must follow."""


def failed(call: Call) -> bool:
    """Say whether a call failed openly, or came back with a receipt."""
    return call.error or (
        isinstance(call.result, dict) and {"tool_result", "outcome_contract"} <= call.result.keys()
    )


def recoveries(
    sessions: Iterable[list[Call]], flagged: Callable[[Call], bool]
) -> dict[tuple[str, str], list[tuple[CallStep, CallStep]]]:
    """Return, for each tool and the one called after it failed, the pairs of calls, one a run at most."""
    found: defaultdict[tuple[str, str], list[tuple[CallStep, CallStep]]] = defaultdict(list)
    for calls in sessions:
        seen: set[tuple[str, str]] = set()
        for place, call in enumerate(calls):
            if not (failed(call) or flagged(call)):
                continue
            for later in range(place + 1, min(place + 1 + SOON, len(calls) - 1)):
                other = calls[later]
                key = (call.tool, other.tool)
                if other.tool == call.tool or key in seen or failed(other) or flagged(other):
                    continue
                one, step = (CallStep((each.tool,), each.arguments, None) for each in (call, other))
                if one.keys and step.keys and (one.keys <= step.about or step.keys <= one.about):
                    found[key].append((one, step))
                    seen.add(key)
    return dict(found)
