"""Substitutes by what the interfaces say: names, descriptions, arguments and result fields. No model, nothing to train.

Only tools that share rare words are compared, found by an inverted index: never all pairs.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest

from outcome_monitors.recovery.effects import Effect
from outcome_monitors.recovery.relations import Relation
from outcome_monitors.recovery.tools import Tool

from .frames import Frame, read_frames
from .likeness import LEAST, Likeness, compare, opposed
from .parameters import mapping
from .vocabulary import hollow

__all__ = ["nearest", "signatures", "substitutes"]

NEAR_THE_BEST = 0.6
"""What a substitute must score beside the best one."""
MOST = 6
NEAREST = 60
"""Candidates that are looked at closely for each tool."""
MOST_SHARED = 400
"""Tools that may share a word before it no longer tells where to look, as long as rarer ones do."""
TEXT = 0.5
"""What a word of the description counts for beside a thing."""


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
        best = ranked[0][1].score if ranked else 0.0
        listed = [pair for pair in ranked if pair[1].score >= max(LEAST, NEAR_THE_BEST * best)]
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
        for word, weight in _keys(frame).items():
            index[word].append((number, weight))
    for number, frame in enumerate(frames):
        scores: defaultdict[int, float] = defaultdict(float)
        for word, weight in sorted(_keys(frame).items(), key=lambda key: (len(index[key[0]]), key[0])):
            if len(index[word]) > MOST_SHARED and len(scores) > NEAREST:
                break
            for other, theirs in index[word]:
                scores[other] += weight * theirs
        scores.pop(number, None)
        ranked = nsmallest(NEAREST, scores, key=lambda other: (-scores[other], frames[other].tool.name))
        yield [frames[other] for other in ranked]


def _keys(frame: Frame) -> dict[str, float]:
    forms = {f"form {p.form}": TEXT for p in frame.tool.required if p.form.startswith(("pattern:", "enum:"))}
    words = {f"word {word}": TEXT * weight for word, weight in frame.text.items()}
    return {**frame.weights, **words, **forms}
