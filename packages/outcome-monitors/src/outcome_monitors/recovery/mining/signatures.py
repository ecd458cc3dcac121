"""Substitutes by what the interfaces say: names, descriptions and arguments. No model, nothing to train.

Only tools that share rare words are compared, found by an inverted index: never all pairs. What can never be listed comes first: a
write for a read, the reverse of an action, another of a kind. Then the things are compared, and each doubt (another source, another
facet, another time, arguments that nobody has) takes its share away.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import NamedTuple

from outcome_monitors.recovery.effects import Effect
from outcome_monitors.recovery.relations import Relation
from outcome_monitors.recovery.tools import Tool

from .frames import Frame, Vector, read_frames
from .lexicon import contrasting, hollow, kin, named
from .reading import VIEW
from .roles import Burden, burden, mapping

__all__ = ["nearest", "opposed", "signatures"]

LEAST = 0.5
"""What two tools must score to be listed; the measure is in docs/guides/relations.md."""
THING, THINGS, TEXT = 0.5, 0.3, 0.2
"""What the thing itself is worth, all things that are spoken of, and the description."""
OF_SIBLINGS, OF_OTHERS, OTHER_NAMES = (0.6, 0.5), (0.4, 0.3), 0.75
"""What it takes away to lack an argument, and to lose one."""
OTHER_OWNER, OTHER_SOURCE, OTHER_KIND, NARROWER, OTHER_SIBLING = 0.45, 0.75, 0.6, 0.95, 0.7
OTHER_TIME, SOME_TIME = 0.45, 0.7
OTHER_MODE = {
    frozenset(("ask", "all")): 0.85,
    frozenset(("one", "ask")): 0.55,
    frozenset(("one", "all")): 0.5,
}
LEAST_KIN, LEAST_KIN_OF_WRITES = 0.6, 0.8
SOME_VERB, NO_VERB = 0.5, 0.7
DESCRIBED = 0.9
"""What a verb of the description counts for."""


class Likeness(NamedTuple):
    """How far a tool can stand in, and what its call takes."""

    score: float
    burden: Burden


def compare(one: Frame, other: Frame) -> Likeness | None:
    """Say how far the other tool can stand in for the one; None where it cannot, whatever the rest says."""
    near = _verbs(one, other)
    if near < (LEAST_KIN_OF_WRITES if _writes(one) else LEAST_KIN):
        return None
    # Doubts only take away: most pairs are told apart by the cheapest question.
    alike = _things(one, other) * (0.5 + 0.5 * near)
    if alike < LEAST or opposed(one, other):
        return None
    weighed = burden(one.arguments, other.arguments, _keyed(one), _keyed(other))
    doubts = _source(one, other) * _kind(one, other) * _facet(one, other) * _time(one, other)
    doubts *= _given(one, other, weighed)
    doubts *= _mode(one, other)
    return Likeness(alike * doubts, weighed)


def opposed(one: Frame, other: Frame) -> bool:
    """Say whether one can on no account stand in for the other."""
    if _writes(one) is not _writes(other) and not (_writes(one) is None and _writes(other) is False):
        return True
    return contrasting(one.marks, other.marks)


def _writes(frame: Frame) -> bool | None:
    """Say whether a tool writes; where nobody knows, one of which a verb reads is compared with reads."""
    if frame.effect is not None:
        return frame.effect.writes
    return False if named("reads") & set(frame.verbs) else None


def _keyed(frame: Frame) -> frozenset[str]:
    """Return what a bare id of a tool may be the id of."""
    return frame.covers | frame.objects if frame.nameless else frozenset()


def _siblings(one: Frame, other: Frame) -> bool:
    return bool(one.name.server) and one.name.server == other.name.server


def _verbs(one: Frame, other: Frame) -> float:
    known = bool(one.verb), bool(other.verb)
    near = kin(one.verb, other.verb) if all(known) else SOME_VERB if any(known) else NO_VERB
    if _writes(one):
        return near
    return max(near, *(DESCRIBED * kin(mine, theirs) for mine in one.verbs for theirs in other.verbs), 0.0)


def _things(one: Frame, other: Frame) -> float:
    spoken_of, described = cosine(one.weights, other.weights), cosine(one.text, other.text)
    return THING * _thing(one, other) + THINGS * spoken_of + TEXT * described


def _thing(one: Frame, other: Frame) -> float:
    """Say how far two tools are about the same thing."""
    if one.entity and one.entity == other.entity:
        return 1.0
    if one.entity in other.covers or other.entity in one.covers:
        return 0.85
    common = bool(one.entities & other.entities)
    if common and (one.nameless or other.nameless):
        return 0.9
    if _same_act(one, other) and not _siblings(one, other):
        return 0.85
    return 0.75 if common else 0.0


def _same_act(one: Frame, other: Frame) -> bool:
    """Say whether both do the same, and the verb alone tells what: to translate, but not to get."""
    return one.verb == other.verb and one.verb in named("telling")


def _source(one: Frame, other: Frame) -> float:
    """Doubt what comes from another source, unless it is a fact of the world or a thing on this machine."""
    if _siblings(one, other) or not (one.name.sources and other.name.sources):
        return 1.0
    if one.name.sources & other.name.sources:
        return 1.0
    if _owned(one) and _owned(other):
        return OTHER_OWNER
    return 1.0 if _common(one) and _common(other) else OTHER_SOURCE


def _owned(frame: Frame) -> bool:
    """Say whether a thing is somebody's: an issue, or a file of a project."""
    return frame.entity in named("owned") or bool((frame.objects | frame.rest) & named("owners"))


def _common(frame: Frame) -> bool:
    return bool(({frame.entity} if frame.entity else frame.entities) & named("common"))


def _kind(one: Frame, other: Frame) -> float:
    """Doubt what is of another kind: `web page` and `wiki page`, or a sibling about something else."""
    mine = _own(one, other)
    theirs = _own(other, one)
    apart = (mine and theirs) or named("media") & (mine | theirs)
    doubt = OTHER_KIND if apart else NARROWER if mine or theirs else 1.0
    strangers = one.entity and other.entity and one.entity != other.entity and _thing(one, other) < 0.85
    return doubt * (OTHER_SIBLING if strangers and _siblings(one, other) else 1.0)


def _own(one: Frame, other: Frame) -> frozenset[str]:
    """Return the qualifiers that only one has; a proper name is a source, and facts of the world are of none."""
    own = one.qualifiers if _common(one) and _common(other) else one.modifiers
    return own - other.objects - other.name.selectors - other.rest


def _given(one: Frame, other: Frame, weighed: Burden) -> float:
    """Doubt a call that lacks what must be given; siblings call the same thing by the same name."""
    missing, lost = OF_SIBLINGS if one.name.server == other.name.server else OF_OTHERS
    given = max(0.0, 1 - missing * weighed.missing) * max(0.0, 1 - lost * weighed.lost)
    # What two servers click on, each calls by a name of its own.
    return max(given, OTHER_NAMES) if _same_act(one, other) and not _siblings(one, other) else given


def _mode(one: Frame, other: Frame) -> float:
    """Doubt a tool that picks otherwise: one thing and all of them are not the same answer."""
    return OTHER_MODE.get(frozenset((one.mode, other.mode)), 1.0)


def _facet(one: Frame, other: Frame) -> float:
    facets = {one.facet, other.facet}
    if facets <= {VIEW, ""} or facets == {"metadata"}:
        return _view(one, other)
    if len(facets) == 1:
        return 1.0
    if one.facet in other.withs or other.facet in one.withs:
        return 0.9
    if "price" in facets:
        # A view of what has a price shows it.
        return 0.85 if VIEW in facets else 0.7
    return 0.5


def _view(one: Frame, other: Frame) -> float:
    contained = {one.entity, other.entity} & named("containers")
    if contained and _describes(one) is not _describes(other):
        return 0.5
    return 1.0 if one.facet == other.facet else NARROWER


def _describes(frame: Frame) -> bool:
    """Say whether a tool tells about a file and does not give it."""
    return bool(named("containing") & {*frame.name.words, *frame.name.things})


def _time(one: Frame, other: Frame) -> float:
    if one.times == other.times or one.times & other.times:
        return 1.0
    if one.times and other.times:
        return OTHER_TIME
    return SOME_TIME if {"past", "future"} & (one.times | other.times) else 1.0


def cosine(one: Vector, other: Vector) -> float:
    """Return how alike two unit vectors are, from 0 to 1."""
    if len(other) < len(one):
        one, other = other, one
    return sum(value * other[word] for word, value in one.items() if word in other)


MOST = 6
NEAREST = 60
"""Candidates that are looked at closely for each tool."""
MOST_SHARED = 400
"""Tools that may share a word before it no longer tells where to look, as long as rarer ones do."""


def signatures(
    tools: Sequence[Tool], effects: Mapping[str, Effect] | None = None
) -> dict[str, list[Relation]]:
    """Return the substitutes of each tool that its interface speaks for, best first."""
    return substitutes(read_frames(tools, effects))


def substitutes(frames: Sequence[Frame]) -> dict[str, list[Relation]]:
    """Return those of each frame's tool."""
    found: dict[str, list[Relation]] = {}
    for frame, others in zip(frames, _neighbours(frames), strict=True):
        compared = [(other, like) for other in others if (like := compare(frame, other)) is not None]
        ranked = sorted(compared, key=lambda pair: (-pair[1].score, pair[0].tool.name))
        listed = [pair for pair in ranked if pair[1].score >= LEAST]
        if listed:
            found[frame.tool.name] = [_relation(frame, *pair) for pair in listed[:MOST]]
    return found


def nearest(
    tools: Sequence[Tool], effects: Mapping[str, Effect] | None, most: int
) -> Iterator[tuple[Tool, list[Tool]]]:
    """Yield each tool with those that share its words, most alike first, without any that must never be listed."""
    frames = read_frames(tools, effects)
    for frame, others in zip(frames, _neighbours(frames), strict=True):
        yield frame.tool, [other.tool for other in others if not opposed(frame, other)][:most]


def _relation(one: Frame, other: Frame, like: Likeness) -> Relation:
    return Relation(
        other.tool.name,
        round(min(like.score, 0.95), 2),
        "signature",
        _why(one, other),
        mapping(one.tool, other.tool, like.burden.pairs),
    )


def _why(one: Frame, other: Frame) -> str:
    shared = [word for word in one.weights if word in other.weights and not hollow(word)]
    ranked = sorted(shared, key=lambda word: (-one.weights[word] * other.weights[word], word))[:3]
    what = ", ".join(word.removeprefix("to ") for word in ranked) if ranked else "the same arguments"
    return f"its interface is alike: {what}"


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
