"""Substitutes by what the interfaces say: the same verb, on the same thing, with arguments that the call can give.

No model, nothing to train. Only tools that share rare words are compared, found by an inverted index: never all pairs. What can never
be listed comes first: a write for a read, the reverse of an action. Then the things are compared, and each doubt (another source,
another part, another time, arguments that nobody has) takes its share away.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from math import prod

from outcome_monitors.recovery.arguments import slots
from outcome_monitors.recovery.relations import Relation
from outcome_monitors.recovery.tools import Parameter, Tool

from .reading import KEYS, LISTS, VIEW, Interface, contrasting, cosine, hollow, stems

LEAST = 0.5
"""What two tools must score to be listed; the measure is in docs/guides/relations.md."""
THING, THINGS, TEXT = 0.5, 0.3, 0.2
"""What the thing itself is worth, all things that are spoken of, and the description."""
SOME_THING = 0.8
"""What it is worth where only the descriptions have the thing in common."""
SLIGHT, SOME, GREAT = 0.85, 0.7, 0.5
"""What doubts leave: of another verb, or one for all of them; of another source or perhaps another time; of another owner or part."""
LACKING, EASY = 0.5, 0.2
"""What it takes away that an argument has no place in the other call, and how much of that where a model can make it up."""
MADE_UP = frozenset(("ask", "easy", "number", "day"))
"""Roles of arguments that a model can make up."""


def _score(one: Interface, other: Interface) -> float:
    """Say how far the other tool can stand in for the one, from 0 to 1."""
    alike = one.verb == other.verb or (not one.writes and bool(one.verbs & other.verbs))
    differ = {one.verb, other.verb} - LISTS["picking"] - {""}
    if (not alike and (differ or one.writes is not False)) or opposed(one, other):
        return 0.0
    thing = 1.0 if one.thing and one.thing == other.thing else SOME_THING * bool(one.things & other.things)
    about = THING * thing + THINGS * cosine(one.weights, other.weights)
    score = (about + TEXT * cosine(one.text, other.text)) * (1.0 if alike else SLIGHT)
    # Doubts only take away: most pairs are told apart by the cheapest question.
    if score < LEAST:
        return 0.0
    doubts = (_source, _part, _time, _arguments, _one_of_all)
    return score * prod(doubt(one, other) for doubt in doubts)


def opposed(one: Interface, other: Interface) -> bool:
    """Say whether one can on no account stand in for the other: a write for a read, the reverse, another of a kind."""
    if one.writes is not other.writes and not (one.writes is None and other.writes is False):
        return True
    return contrasting(one.marks, other.marks)


def _source(one: Interface, other: Interface) -> float:
    """Doubt what comes from another source, unless it is a fact of the world or a thing on this machine."""
    if one.server == other.server or not (one.owner and other.owner) or one.owner & other.owner:
        return 1.0
    if one.thing in LISTS["owned"] and other.thing in LISTS["owned"]:
        return GREAT
    return 1.0 if one.things & LISTS["common"] and other.things & LISTS["common"] else SOME


def _part(one: Interface, other: Interface) -> float:
    """Doubt what gives another part: the comments of an issue, or what is said of a file and not the file."""
    parts = {one.part, other.part}
    if len(parts) == 1 or parts <= {VIEW, ""}:
        told = not one.marks.isdisjoint(LISTS["containing"]), not other.marks.isdisjoint(LISTS["containing"])
        if {one.thing, other.thing} & LISTS["containers"] and told[0] is not told[1]:
            return GREAT
        return 1.0 if len(parts) == 1 else 0.95
    # A view of what has a price shows it.
    return SLIGHT if parts == {"price", VIEW} else GREAT


def _time(one: Interface, other: Interface) -> float:
    if one.times and other.times and one.times != other.times:
        return GREAT
    return SOME if {"past", "future"} & (one.times ^ other.times) else 1.0


def _arguments(one: Interface, other: Interface) -> float:
    """Doubt a call that lacks what must be given, or has no place for what was."""
    missing, lost = _unpaired(other.roles, one.roles), _unpaired(one.roles, other.roles)
    return max(0.0, 1 - LACKING * missing) * max(0.0, 1 - LACKING * lost)


Roles = Sequence[tuple[Parameter, str]]


def _unpaired(needed: Roles, given: Roles) -> float:
    """Return what the required arguments cost that take the value of none of the others."""
    return sum(
        EASY if role in MADE_UP else 1.0
        for one, role in needed
        if one.required and not any(_same(one, role, other, theirs) for other, theirs in given)
    )


def _same(one: Parameter, role: str, other: Parameter, theirs: str) -> bool:
    alike = one.form == other.form and one.form.startswith(("pattern:", "enum:"))
    return alike or bool(role and role == theirs)


def _one_of_all(one: Interface, other: Interface) -> float:
    """Doubt a list of all things for one that must be told which of them."""
    listing, picking = (one, other) if one.verb == "list" else (other, one)
    needs = any(argument.required and role not in MADE_UP for argument, role in picking.roles)
    return SLIGHT if listing.verb == "list" != picking.verb and needs else 1.0


MOST = 6
NEAREST = 60
"""Candidates that are looked at closely for each tool."""
MOST_SHARED = 150
"""Tools that may share a word before it no longer tells where to look, as long as rarer ones do."""


def signatures(tools: Sequence[Interface]) -> dict[str, list[Relation]]:
    """Return the substitutes of each tool that its interface speaks for, best first."""
    found: dict[str, list[Relation]] = {}
    for frame, others in zip(tools, _neighbours(tools), strict=True):
        scored = [(score, other) for other in others if (score := _score(frame, other)) >= LEAST]
        scored.sort(key=lambda pair: (-pair[0], pair[1].tool.name))
        if scored:
            found[frame.tool.name] = [_relation(frame, other, score) for score, other in scored[:MOST]]
    return found


def _relation(one: Interface, other: Interface, score: float) -> Relation:
    pairs = [
        (mine, theirs)
        for mine, role in one.roles
        for theirs, their_role in other.roles
        if theirs.required and role not in LOOSE and _same(mine, role, theirs, their_role)
    ]
    shared = [word for word in one.weights if word in other.weights and not hollow(word)]
    ranked = sorted(shared, key=lambda word: (-one.weights[word] * other.weights[word], word))[:3]
    what = ", ".join(word.removeprefix("to ") for word in ranked) or "the same arguments"
    return Relation(
        other.tool.name,
        round(min(score, 0.95), 2),
        "signature",
        f"its interface is alike: {what}",
        mapping(one.tool, other.tool, pairs),
    )


def _neighbours(frames: Sequence[Interface]) -> Iterator[list[Interface]]:
    """Yield, for each tool, those that share its words, most alike first."""
    index: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for number, frame in enumerate(frames):
        for word, weight in frame.weights.items():
            index[word].append((number, weight))
    for number, frame in enumerate(frames):
        scores: defaultdict[int, float] = defaultdict(float)
        for word, weight in sorted(frame.weights.items(), key=lambda key: (len(index[key[0]]), key[0])):
            if len(index[word]) > MOST_SHARED and len(scores) > NEAREST:
                break
            for other, theirs in index[word]:
                scores[other] += weight * theirs
        scores.pop(number, None)
        ranked = nsmallest(NEAREST, scores, key=lambda other: (-scores[other], frames[other].tool.name))
        yield [frames[other] for other in ranked]


LOOSE = frozenset(("day", "place", "easy", "number"))
"""Roles that several arguments of one call play: a start and an end, an origin and a destination."""
ALIKE, LIKELY, PERHAPS = 1.0, 0.6, 0.5


def mapping(one: Tool, other: Tool, known: Iterable[tuple[Parameter, Parameter]] = ()) -> dict[str, str]:
    """Return how the arguments of a call become those of another: the surest pairs first, each argument once.

    `known` are pairs that play the same role, whatever they are called.
    """
    sure = [
        (-likely, mine.name, theirs.name, mine, theirs)
        for mine in one.parameters
        for theirs in other.parameters
        if (likely := _likeness(mine, theirs)) > PERHAPS
    ]
    sure += [
        (-PERHAPS, mine.name, theirs.name, mine, theirs)
        for mine, theirs in known
        if fits(mine.type, theirs.type)
    ]
    found: dict[str, str] = {}
    for _, name, target, mine, theirs in sorted(sure, key=lambda pair: pair[:3]):
        if name not in names_of(found) and target not in names_of(found.values()):
            found[written(mine, theirs)] = written(theirs, mine)
    return found


def _likeness(one: Parameter, other: Parameter) -> float:
    keyed = bool(KEYS & set(stems(one.name)))
    if not fits(one.type, other.type) or (keyed and one.required != other.required):
        return 0.0
    # The words of an enumeration, or the pattern of an id, say what a value is; a date is a date to many tools.
    if other.form.startswith(("pattern:", "enum:")) or (one.form and other.form):
        if one.form != other.form:
            return 0.0
        if one.form.startswith(("pattern:", "enum:")):
            return ALIKE
    if stems(one.name) == stems(other.name):
        return ALIKE
    return LIKELY if one.form and one.form == other.form else 0.0


def fits(one: str, other: str) -> bool:
    """Say whether a value of one type can be given as another."""
    plain = {"integer": "number", "number[]": "integer[]"}
    first, second = plain.get(one, one), plain.get(other, other)
    if "any" in (first, second):
        return True
    # The only item of a list of texts is a text; a list of objects is never one object that something else takes.
    return first.removesuffix("[]") == second.removesuffix("[]") and (
        first.endswith("[]") == second.endswith("[]") or first.removesuffix("[]") == "string"
    )


def written(one: Parameter, other: Parameter) -> str:
    """Write an argument, with `[]` where it is a list and its partner is not."""
    return f"{one.name}[]" if one.type.endswith("[]") and not other.type.endswith("[]") else one.name


def names_of(sides: Iterable[str]) -> set[str]:
    """Return the arguments that a mapping's side names."""
    return {name for side in sides for name in (slots(side) or (side.removesuffix("[]"),))}
