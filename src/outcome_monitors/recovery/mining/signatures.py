"""Substitutes by what the interfaces say: names, descriptions, arguments and result fields. No model, nothing to train.

Two tools are alike where rare words of their names and descriptions are the same, the arguments of one can be made from those
of the other, and their results have the same fields. What can never be listed comes first: another kind of action, the
reverse of this one, a tool that must be told what nobody here knows.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

from outcome_monitors.recovery.effects import action
from outcome_monitors.recovery.relations import Relation
from outcome_monitors.recovery.tools import Tool, last_name
from outcome_monitors.values.verbs import action_of, verb_of
from outcome_monitors.values.words import words

from .parameters import Alignment, align, subject
from .vocabulary import OPPOSITES, stems, stop, text_stems

__all__ = ["Profile", "another_thing", "opposed", "read_profiles", "signatures"]

LEAST = 0.5
"""What two tools must score to be listed; the measure is in docs/guides/relations.md."""
SAME_THING = 0.6
"""What it is worth that two names are about the same thing."""
LEAST_TEXT = 0.35
"""How alike descriptions must be where the names do not name the same thing."""
MOST = 6
NEIGHBOURS = 40
"""Candidates that are looked at closely for each tool."""
A_NAMESPACE = 3
"""Tools that must share a first word before it is taken for the name of their server."""
GENERIC = frozenset(
    """
    text content detail info information data metadata list listing tree result option item request
    """.split()  # noqa: SIM905 - words read better as words
)
"""Last words that say nothing of what a tool is about."""
ENDS = frozenset("with by for in of from to on at and or".split())  # noqa: SIM905 - as words
"""Words after which a name only adds to what it has said."""

ASPECTS = frozenset("info information metadata status schema permission media".split())  # noqa: SIM905 - as words
"""Nouns that turn a thing into something said about it."""
REVERSED = frozenset(("reverse", "back", "undo"))
"""Words that turn an action round by themselves."""

_CAPITAL = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][A-Za-z]*[a-z][A-Za-z]*\b")
_SMALL = re.compile(r"\b[a-z]+\b")
_MEANS = re.compile(r"\b(?:using|via|with|by|from|through)\s+(?:the\s+)?(?:[A-Z][\w.-]*(?:'s)?\s*)+")

Vector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Profile:
    """A tool, read."""

    tool: Tool
    action: str | None
    verbs: frozenset[str]
    space: str
    """The name of its server, where its own name begins with one."""
    nouns: tuple[str, ...]
    marks: frozenset[str]
    """All words of the name, for what is the reverse of what."""
    owners: frozenset[str]
    """Whose things it is about, by the proper names in its description."""
    rarity: Vector
    """How much each word of the description and the name tells."""
    text: Vector
    named: Vector
    fields: frozenset[str]
    head: str
    """What the tool is about: the last noun of its name that tells anything, else what it must be given."""


def signatures(tools: Sequence[Tool]) -> dict[str, list[Relation]]:
    """Return the substitutes of each tool that its interface speaks for, best first."""
    profiles = read_profiles(tools)
    found: dict[str, list[Relation]] = {}
    for profile, others in zip(profiles, _neighbours(profiles), strict=True):
        relations = (related for other in others if (related := _relation(profile, other)) is not None)
        ranked = sorted(relations, key=lambda relation: (-relation.confidence, relation.tool))
        if ranked:
            found[profile.tool.name] = ranked[:MOST]
    return found


def _relation(one: Profile, other: Profile) -> Relation | None:
    if opposed(one, other) or another_thing(one, other):
        return None
    aligned = align(one.tool, other.tool)
    if aligned.missing or aligned.lost or (aligned.asked and one.head != other.head):
        return None
    score = _score(one, other, aligned)
    if score < LEAST:
        return None
    return Relation(
        other.tool.name, round(min(score, 0.95), 2), "signature", _why(one, other), aligned.mapping
    )


def opposed(one: Profile, other: Profile) -> bool:
    """Say whether one can on no account stand in for the other."""
    if one.action is None or one.action != other.action:
        return True
    if one.action == "run" and not one.verbs & other.verbs:
        return True
    if one.owners and other.owners and not one.owners & other.owners:
        return True
    return _reverse(one, other)


def _reverse(one: Profile, other: Profile) -> bool:
    mine, theirs = one.marks - other.marks, other.marks - one.marks
    turned = any(frozenset((word, opposite)) in OPPOSITES for word in mine for opposite in theirs)
    return turned or bool(REVERSED & (mine | theirs))


def another_thing(one: Profile, other: Profile) -> bool:
    """Say whether the names say that it is something else: the same verb, or the same server, on another noun."""
    if ASPECTS & (set(one.nouns) ^ set(other.nouns)):
        return True
    if not one.head or not other.head or one.head == other.head:
        return False
    return bool(one.verbs & other.verbs) or bool(one.space and one.space == other.space)


def _score(one: Profile, other: Profile, aligned: Alignment) -> float:
    text, named = _told(one, other), _named(one, other)
    if text < LEAST_TEXT and (named or 0.0) < SAME_THING:
        return 0.0
    parts = [(0.3, text), (0.25, _arguments(one, aligned)), (0.1, float(bool(one.verbs & other.verbs)))]
    if named is not None:
        parts.append((0.35, named))
    if one.fields and other.fields:
        parts.append((0.25, len(one.fields & other.fields) / len(one.fields | other.fields)))
    weight = sum(part for part, _ in parts)
    return sum(part * likeness for part, likeness in parts) / weight


def _named(one: Profile, other: Profile) -> float | None:
    """Say how alike the names are: about the same thing, with the same qualifiers; None where they name nothing."""
    if not one.head and not other.head:
        return None
    if one.head == other.head:
        return max(cosine(one.named, other.named), SAME_THING)
    # A name may name nothing, or something else by another word; then the descriptions must speak of it.
    crossed = [head in side.text for head, side in ((one.head, other), (other.head, one)) if head]
    return SAME_THING * sum(crossed) / len(crossed)


def _told(one: Profile, other: Profile) -> float:
    """Say how alike the descriptions are; a short one may be contained in a long one."""
    common = one.rarity.keys() & other.rarity.keys()
    shared = sum(one.rarity[word] for word in common)
    least = min(sum(one.rarity.values()), sum(other.rarity.values()))
    return 0.5 * min(1.0, 1.4 * cosine(one.text, other.text)) + 0.5 * (shared / least if least else 0.0)


def _arguments(one: Profile, aligned: Alignment) -> float:
    if not one.tool.parameters:
        return 0.5
    return 0.6 if aligned.asked else aligned.covered


def _why(one: Profile, other: Profile) -> str:
    shared = [
        word for word in dict.fromkeys((*one.nouns, *one.text)) if word in other.named or word in other.text
    ]
    ranked = sorted(shared, key=lambda word: (-one.text.get(word, one.named.get(word, 0.0)), word))[:3]
    what = ", ".join(ranked) if ranked else "the same arguments"
    return f"its interface is alike: {what}"


def read_profiles(tools: Sequence[Tool]) -> list[Profile]:
    """Read all tools; how rare a word is among them says how much it tells."""
    spaces, brands = _namespaces(tools), _brands(tools)
    owners = brands & {owner for tool in tools for owner in _owners(tool.about)}
    names = [_nouns(tool, spaces, brands) for tool in tools]
    texts = [[word for word in text_stems(tool.about) if word not in brands] for tool in tools]
    rare_names = _rarity(names)
    rare_texts = _rarity([(*text, *name) for text, name in zip(texts, names, strict=True)])
    return [
        Profile(
            tool=tool,
            action=action(tool),
            verbs=frozenset(word for word in words(tool.name) if action_of(word)),
            space=next((word for word in words(tool.name)[:1] if word in spaces), ""),
            nouns=nouns,
            marks=frozenset(words(tool.name)),
            owners=frozenset((*_owners(tool.about), *words(tool.name)[:1])) & owners,
            rarity=(rarity := {word: rare_texts[word] for word in (*text, *nouns)}),
            text=_unit(rarity),
            named=_unit({word: rare_names[word] for word in nouns}),
            fields=frozenset("_".join(stems(last_name(path))) for path in tool.fields),
            head=_head(tool, nouns),
        )
        for tool, nouns, text in zip(tools, names, texts, strict=True)
    ]


def _head(tool: Tool, nouns: Sequence[str]) -> str:
    given = (subject(parameter) for parameter in tool.required)
    return next((noun for noun in (*reversed(nouns), *given) if noun and noun not in GENERIC), "")


def _namespaces(tools: Sequence[Tool]) -> frozenset[str]:
    firsts = Counter(found[0] for tool in tools if (found := words(tool.name)))
    return frozenset(word for word, times in firsts.items() if times >= A_NAMESPACE and not action_of(word))


def _brands(tools: Sequence[Tool]) -> frozenset[str]:
    """Return the proper names of the descriptions: words that are never written small."""
    capital = Counter(name for tool in tools for name in {*_proper(tool.about)})
    small = {word for tool in tools for word in _SMALL.findall(tool.about)}
    named = {word for tool in tools for word in words(tool.name)}
    return frozenset(
        name
        for name, times in capital.items()
        if name not in small and (times >= A_NAMESPACE or name in named)
    )


def _proper(about: str) -> list[str]:
    return [word.lower() for word in _CAPITAL.findall(about)]


def _owners(about: str) -> list[str]:
    # "using the X API" names a means; what is found by it is not X's own.
    return _proper(_MEANS.sub(" ", about))


def _nouns(tool: Tool, spaces: frozenset[str], brands: frozenset[str]) -> tuple[str, ...]:
    found = [
        word
        for place, word in enumerate(words(tool.name))
        if word not in brands and (place or word not in spaces)
    ]
    verb = verb_of(tuple(found))
    end = next((place for place, word in enumerate(found) if place and word in ENDS), len(found))
    kept = [word for place, word in enumerate(found) if place != verb and place < end]
    return tuple(dict.fromkeys(noun for word in kept for noun in stems(word) if not stop(noun)))


def _rarity(bags: Sequence[Iterable[str]]) -> dict[str, float]:
    times = Counter(word for bag in bags for word in set(bag))
    return {word: 1.0 + log(len(bags) / count) for word, count in times.items()}


def _unit(vector: Mapping[str, float]) -> Vector:
    length = sqrt(sum(value * value for value in vector.values()))
    return {word: value / length for word, value in vector.items()} if length else {}


def cosine(one: Vector, other: Vector) -> float:
    """Return how alike two unit vectors are, from 0 to 1."""
    if len(other) < len(one):
        one, other = other, one
    return sum(value * other[word] for word, value in one.items() if word in other)


def _neighbours(profiles: Sequence[Profile]) -> list[list[Profile]]:
    """Return, for each tool, those that share its words or the forms of its arguments, most alike first."""
    index: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for number, profile in enumerate(profiles):
        for word, weight in _keys(profile).items():
            index[word].append((number, weight))
    near = []
    for number, profile in enumerate(profiles):
        scores: defaultdict[int, float] = defaultdict(float)
        for word, weight in _keys(profile).items():
            for other, theirs in index[word]:
                scores[other] += weight * theirs
        scores.pop(number, None)
        ranked = sorted(scores, key=lambda other: (-scores[other], profiles[other].tool.name))
        near.append([profiles[other] for other in ranked[:NEIGHBOURS]])
    return near


def _keys(profile: Profile) -> dict[str, float]:
    forms = {f"form {p.form}": 0.5 for p in profile.tool.required if p.form.startswith(("pattern:", "enum:"))}
    return {**profile.text, **forms}
