"""Substitutes by what traces show: asked about the same things, two tools say the same.

Two tools agree where they were asked about the same things and a field of one has the value of a field of the other, more often than
when they were asked about different things. Chance agreement (two orders both "sent") is told from real agreement by that comparison
alone.

A write is seldom done twice, so its results say little. What it is called with does: two tools that do the same kind of thing to the
same kinds of things, and need nothing more, can stand in for each other.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from outcome_monitors.model import Json
from outcome_monitors.recovery.effects import action
from outcome_monitors.recovery.relations import Relation
from outcome_monitors.recovery.tools import Tool

from .reading import Interface
from .signatures import fits, names_of, opposed
from .values import CallStep, Domains, halves

Names = tuple[str, ...]
MOST_STEPS = 30
"""Steps of one kind that are kept for each thing asked about."""
MOST_THINGS = 40
"""Questions about which two kinds of steps are compared."""
MOST_OF_ONE = 3
"""Pairs of steps of one question."""
CONTRADICTED = 3
"""Things about which two tools must have said nothing alike before their interfaces are no longer believed."""
ENOUGH = 0.5
"""Share of what a tool says that another must say too where it cannot be asked all that the tool was asked."""
MOST_NAMED = 3
LEAST_PAIRS = 2
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
    def single(self) -> bool:
        """Whether each of both is one call."""
        return len(self.one) == len(self.other) == 1

    @property
    def denied(self) -> bool:
        """Whether two tools were asked about the same things often enough, and said nothing alike."""
        return self.single and self.entities >= CONTRADICTED and not self.fields

    @property
    def turned(self) -> "Agreement":
        """The same, seen from the other."""
        pairs, fields = [(b, a) for a, b in self.pairs], [(b, a) for a, b in self.fields]
        return Agreement(self.other, self.one, pairs, fields, self.entities)

    @property
    def covered(self) -> float:
        """The share of what the first says that the other says too."""
        said = {path for one, _ in self.pairs for path in one.content if not path.endswith("*")}
        return len({path for path, _ in self.fields if not path.endswith("*")}) / len(said) if said else 0.0


def agreeing(compared: Sequence[Agreement], tools: Iterable[Tool]) -> dict[str, list[Relation]]:
    """Return the tools that say the same, where what was asked of one can be asked of the other.

    Of a path of two calls it is the first tool of the other path, where no single tools of the paths explain that they agree.
    """
    must = {tool.name: {parameter.name for parameter in tool.required} for tool in tools}
    alone = {frozenset((*both.one, *both.other)) for both in compared if both.fields and both.single}
    found: defaultdict[str, list[Relation]] = defaultdict(list)
    for both in compared:
        explained = not both.single and frozenset((both.one[-1], both.other[-1])) in alone
        for each in (both, both.turned) if both.fields and not explained else ():
            relation, first = _relation(each), each.one[0]
            lost = must[first] - names_of(relation.arguments)
            unknown = must[relation.tool] - names_of(relation.arguments.values())
            if not each.single or not (unknown or (lost and each.covered < ENOUGH)):
                found[first].append(relation)
                # The others of a path were asked something else.
                for tool in each.one[1:]:
                    found[tool].append(replace(relation, arguments={}))
    return found


def _relation(both: Agreement) -> Relation:
    sure = 1 - 1 / (2 + both.entities)
    names = list(dict.fromkeys(path.rpartition(".")[2].removesuffix("[]") for path, _ in both.fields))
    names = [name for name in names if name != "*"] or ["values"]
    told = ", ".join(names[:MOST_NAMED]) + " ..." * (len(names) > MOST_NAMED)
    path = "" if len(both.other) == 1 else f", followed by {both.other[1]}"
    return Relation(
        both.other[0],
        round(sure * (0.85 + 0.15 * both.covered), 2),
        "behaviour" if both.single else "chain",
        f"asked about the same {both.entities} things{path}, it gave the same {told}",
        _mapping_of(both.pairs, both.one[0], both.other[0]),
    )


def agreements(steps: Iterable[CallStep], comparable: Collection[str]) -> Iterator[Agreement]:
    """Yield how each two kinds of steps agree that were asked about the same things; both directions are one."""
    by_kind: defaultdict[Names, list[CallStep]] = defaultdict(list)
    for step in steps:
        if step.keys and all(tool in comparable for tool in step.tools):
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
    return sorted(found)


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
    for path, values in step.content.items():
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


MOSTLY = 0.8
"""Share of the pairs in which two arguments must be the same."""
JOINTS = ("/", ", ", ",", " ", "-", ":", "_")
"""What stands between the parts of a value."""

Pair = tuple[Mapping[str, Json], Mapping[str, Json]]


def _mapping_of(pairs: Iterable[tuple[CallStep, CallStep]], tool: str, other: str) -> dict[str, str]:
    """Return how the arguments of one tool become those of the other, as pairs of steps about the same things show it."""
    asked = [(_own(one, tool), _own(step, other)) for one, step in pairs]
    counted: Counter[tuple[str, str]] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    values: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for mine, theirs in asked:
        for name in mine:
            seen.update((name, target) for target in theirs)
        for found, value in _written(mine, theirs):
            counted[found] += 1
            values[found].add(repr(value))
    return _chosen(counted, seen, values)


def _own(step: CallStep, tool: str) -> dict[str, Json]:
    """Return the arguments of one call of a step, under their own names."""
    if step.tools[0] == tool:
        return {name: value for name, value in step.asked.items() if "." not in name}
    return {
        name.removeprefix(f"{tool}."): value
        for name, value in step.asked.items()
        if name.startswith(f"{tool}.")
    }


def _written(mine: Mapping[str, Json], theirs: Mapping[str, Json]) -> Iterator[tuple[tuple[str, str], Json]]:
    """Yield each way in which an argument of one call could be made from those of the other."""
    for name, value in mine.items():
        for target, wanted in theirs.items():
            if _same(value, wanted):
                yield (name, target), wanted
            elif _same([value], wanted):
                yield (name, f"{target}[]"), value
            elif _same(value, [wanted]):
                yield (f"{name}[]", target), wanted
    for whole, value in mine.items():
        yield from (((whole, template), value) for template in _templates(value, theirs))
    for target, wanted in theirs.items():
        yield from (((template, target), wanted) for template in _templates(wanted, mine))


def _templates(whole: Json, parts: Mapping[str, Json]) -> Iterator[str]:
    """Yield how a text is put together of two others: `{city}, {country}`."""
    if not isinstance(whole, str):
        return
    texts = {name: part for name, part in parts.items() if isinstance(part, str) and part and part != whole}
    for first, start in texts.items():
        if whole.startswith(start):
            for second, end in texts.items():
                joint = whole[len(start) : len(whole) - len(end)]
                if second != first and whole == f"{start}{joint}{end}" and joint in JOINTS:
                    yield f"{{{first}}}{joint}{{{second}}}"


def _same(one: Json, other: Json) -> bool:
    return type(one) is type(other) and one == other and one not in ("", [], None)


def _chosen(
    counted: Counter[tuple[str, str]],
    seen: Counter[tuple[str, str]],
    values: Mapping[tuple[str, str], set[str]],
) -> dict[str, str]:
    """Return the surest pairs, each argument once."""
    mapping: dict[str, str] = {}
    used: set[str] = set()
    given: set[str] = set()

    def rank(found: tuple[str, str]) -> tuple[int, bool, tuple[str, str]]:
        return (-counted[found], len(values[found]) < 2, found)

    for found in sorted(counted, key=rank):
        source, target = found
        sources, targets = names_of([source]), names_of([target])
        tried = max(seen[name, goal] for name in sources for goal in targets)
        # Where only one value was ever seen, it must have been the same every time.
        sure = counted[found] >= (MOSTLY * tried if len(values[found]) > 1 else tried)
        if sure and not sources & used and not targets & given:
            mapping[source] = target
            used |= sources
            given |= targets
    return mapping


def writers(tools: Sequence[Interface], domains: Domains) -> dict[str, list[Relation]]:
    """Return, for each tool that writes, those that write the same."""
    writing = [one for one in tools if action(one.tool) not in (None, "read", "run")]
    found: dict[str, list[Relation]] = {}
    for one in writing:
        others = (other for other in writing if other is not one and not opposed(one, other))
        related = filter(None, (_writes_the_same(one.tool, other.tool, domains) for other in others))
        ranked = sorted(related, key=lambda relation: (-relation.confidence, relation.tool))
        found |= {one.tool.name: ranked} if ranked else {}
    return found


def _writes_the_same(one: Tool, other: Tool, domains: Domains) -> Relation | None:
    """Pair all required arguments, those of one kind of thing first; None where some have no partner."""
    if len(one.required) != len(other.required):
        return None
    mapping: dict[str, str] = {}
    specific: list[str] = []
    for sure, (mine, theirs) in product((True, False), [*product(one.required, other.required)]):
        if mine.name in mapping or theirs.name in mapping.values() or not fits(mine.type, theirs.type):
            continue
        first, second = domains.argument(one.name, mine.name), domains.argument(other.name, theirs.name)
        # Where neither is of one kind, a day goes with a day, a text with a text.
        vague = not (sure or first.specific or second.specific)
        if first.same(second) if sure else vague and (mine.type != "string" or first.forms & second.forms):
            mapping[mine.name] = theirs.name
            specific += [mine.name] if sure else []
    if not specific or len(mapping) < len(one.required):
        return None
    why = f"it takes the same values: {', '.join(sorted(specific))}"
    return Relation(other.name, round(0.7 + 0.2 * len(specific) / len(mapping), 2), "behaviour", why, mapping)
