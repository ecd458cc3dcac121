"""Substitutes by what the interfaces say: names, descriptions and arguments. No model, nothing to train.

Only tools that share rare words are compared, found by an inverted index: never all pairs. What can never be listed comes first: a
write for a read, the reverse of an action. Then the things are compared, and each doubt (another source, another part, another time,
arguments that nobody has) takes its share away.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest

from outcome_monitors.recovery.effects import Effect
from outcome_monitors.recovery.relations import Relation
from outcome_monitors.recovery.tools import Parameter, Tool

from .reading import KEY, KEYS, VIEW, Frame, Vector, contrasting, hollow, named, read_frames, stems

__all__ = ["mapping", "names_of", "opposed", "signatures"]

LEAST = 0.5
"""What two tools must score to be listed; the measure is in docs/guides/relations.md."""
THING, THINGS, TEXT = 0.5, 0.3, 0.2
"""What the thing itself is worth, all things that are spoken of, and the description."""
SOME_THING, SOME_VERB = 0.8, 0.7
"""What it is worth where only the descriptions have the thing in common, and where the verbs differ."""
MISSING, LOST = 0.5, 0.4
"""What it takes away to lack an argument, and to lose one."""
ONE_OF_ALL = 0.85
"""What is left where one gives a single thing and the other all of them, or those that answer a question."""
OTHER_OWNER, OTHER_SOURCE, OTHER_PART, OTHER_TIME, SOME_TIME, NARROWER = 0.45, 0.75, 0.5, 0.45, 0.7, 0.95


def _score(one: Frame, other: Frame) -> float:
    """Say how far the other tool can stand in for the one, from 0 to 1."""
    alike = one.verb == other.verb or (not _writes(one) and bool(one.verbs & other.verbs))
    differ = {one.verb, other.verb} - named("picking") - {""}
    if (not alike and (differ or _writes(one))) or opposed(one, other):
        return 0.0
    thing = 1.0 if one.entity and one.entity == other.entity else 0.0
    thing = thing or SOME_THING * bool(one.entities & other.entities)
    about = THING * thing + THINGS * _cosine(one.weights, other.weights)
    score = (about + TEXT * _cosine(one.text, other.text)) * (1.0 if alike else (1 + SOME_VERB) / 2)
    # Doubts only take away: most pairs are told apart by the cheapest question.
    if score < LEAST:
        return 0.0
    doubts = _source(one, other) * _part(one, other) * _time(one, other) * _given(one, other)
    return score * doubts * (ONE_OF_ALL if _one_of_all(one, other) else 1.0)


def opposed(one: Frame, other: Frame) -> bool:
    """Say whether one can on no account stand in for the other."""
    if _writes(one) is not _writes(other) and not (_writes(one) is None and _writes(other) is False):
        return True
    return contrasting(one.marks, other.marks)


def _writes(frame: Frame) -> bool | None:
    """Say whether a tool writes; where nobody knows, one of which a verb reads is compared with reads."""
    if frame.effect is not None:
        return frame.effect.writes
    return False if named("reads") & frame.verbs else None


def _source(one: Frame, other: Frame) -> float:
    """Doubt what comes from another source, unless it is a fact of the world or a thing on this machine."""
    siblings = one.server and one.server == other.server
    if siblings or not (one.sources and other.sources) or one.sources & other.sources:
        return 1.0
    if _owned(one) and _owned(other):
        return OTHER_OWNER
    return 1.0 if _common(one) and _common(other) else OTHER_SOURCE


def _owned(frame: Frame) -> bool:
    """Say whether a thing is somebody's: an issue, or a file of a project."""
    return frame.entity in named("owned") or bool(frame.spoken & named("owners"))


def _common(frame: Frame) -> bool:
    return bool(({frame.entity} if frame.entity else frame.entities) & named("common"))


def _part(one: Frame, other: Frame) -> float:
    """Doubt what gives another part: the comments of an issue, or what is said of a file and not the file."""
    parts = {one.part, other.part}
    if parts <= {VIEW, ""} or parts == {"metadata"}:
        contained = {one.entity, other.entity} & named("containers")
        if contained and _describes(one) is not _describes(other):
            return OTHER_PART
        return 1.0 if one.part == other.part else NARROWER
    if len(parts) == 1:
        return 1.0
    # A view of what has a price shows it.
    return 0.85 if parts == {"price", VIEW} else OTHER_PART


def _describes(frame: Frame) -> bool:
    """Say whether a tool tells about a file and does not give it."""
    return bool(named("containing") & frame.marks)


def _time(one: Frame, other: Frame) -> float:
    if one.times == other.times:
        return 1.0
    if one.times and other.times:
        return OTHER_TIME
    return SOME_TIME if {"past", "future"} & (one.times | other.times) else 1.0


COSTS = {"ask": 0.25, "easy": 0.15, "number": 0.2, "day": 0.4}
"""What it costs to lack an argument that a model can make up; any other costs a whole point."""


def _given(one: Frame, other: Frame) -> float:
    """Doubt a call that lacks what must be given, or has no place for what was."""
    missing = _unpaired(other.roles, one.roles)
    lost = _unpaired(one.roles, other.roles)
    return max(0.0, 1 - MISSING * missing) * max(0.0, 1 - LOST * lost)


Roles = Sequence[tuple[Parameter, str]]


def _one_of_all(one: Frame, other: Frame) -> bool:
    """Say whether one tool lists all things, and the other must be told which of them."""
    listing, picking = (one, other) if one.verb == "list" else (other, one)
    needs = any(argument.required and role not in COSTS for argument, role in picking.roles)
    return listing.verb == "list" != picking.verb and needs


def _unpaired(needed: Roles, given: Roles) -> float:
    """Return what the required arguments cost that take the value of none of the others."""
    return sum(
        COSTS.get(role, 1.0)
        for one, role in needed
        if one.required and not any(_same(one, role, other, theirs) for other, theirs in given)
    )


def _same(one: Parameter, role: str, other: Parameter, theirs: str) -> bool:
    if one.form == other.form and one.form.startswith(("pattern:", "enum:")):
        return True
    return bool(role) and role.removeprefix(KEY) == theirs.removeprefix(KEY)


def _cosine(one: Vector, other: Vector) -> float:
    """Return how alike two unit vectors are, from 0 to 1."""
    if len(other) < len(one):
        one, other = other, one
    return sum(value * other[word] for word, value in one.items() if word in other)


MOST = 6
NEAREST = 60
"""Candidates that are looked at closely for each tool."""
MOST_SHARED = 150
"""Tools that may share a word before it no longer tells where to look, as long as rarer ones do."""


def signatures(
    tools: Sequence[Tool], effects: Mapping[str, Effect] | None = None
) -> dict[str, list[Relation]]:
    """Return the substitutes of each tool that its interface speaks for, best first."""
    frames = read_frames(tools, effects)
    found: dict[str, list[Relation]] = {}
    for frame, others in zip(frames, _neighbours(frames), strict=True):
        scored = [(score, other) for other in others if (score := _score(frame, other)) >= LEAST]
        scored.sort(key=lambda pair: (-pair[0], pair[1].tool.name))
        if scored:
            found[frame.tool.name] = [_relation(frame, other, score) for score, other in scored[:MOST]]
    return found


def _relation(one: Frame, other: Frame, score: float) -> Relation:
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


def _neighbours(frames: Sequence[Frame]) -> Iterator[list[Frame]]:
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
        if _fits(mine.type, theirs.type)
    ]
    found: dict[str, str] = {}
    for _, name, target, mine, theirs in sorted(sure, key=lambda pair: pair[:3]):
        if name not in names_of(found) and target not in names_of(found.values()):
            found[_written(mine, theirs)] = _written(theirs, mine)
    return found


def _likeness(one: Parameter, other: Parameter) -> float:
    keyed = bool(KEYS & set(stems(one.name)))
    if not _fits(one.type, other.type) or (keyed and one.required != other.required):
        return 0.0
    if one.form and other.form:
        # The words of an enumeration, or the pattern of an id, say what a value is; a date is a date to many tools.
        if one.form != other.form:
            return 0.0
        if one.form.startswith(("pattern:", "enum:")):
            return ALIKE
    if stems(one.name) == stems(other.name):
        return ALIKE
    return LIKELY if one.form and one.form == other.form else 0.0


def _fits(one: str, other: str) -> bool:
    plain = {"integer": "number", "number[]": "integer[]"}
    first, second = plain.get(one, one), plain.get(other, other)
    if "any" in (first, second):
        return True
    # The only item of a list of texts is a text; a list of objects is never one object that something else takes.
    return first.removesuffix("[]") == second.removesuffix("[]") and (
        first.endswith("[]") == second.endswith("[]") or first.removesuffix("[]") == "string"
    )


def _written(one: Parameter, other: Parameter) -> str:
    """Write an argument, with `[]` where it is a list and its partner is not."""
    return f"{one.name}[]" if one.type.endswith("[]") and not other.type.endswith("[]") else one.name


def names_of(sides: Iterable[str]) -> set[str]:
    """Return the plain names of a mapping's side."""
    return {name.removesuffix("[]") for name in sides}
