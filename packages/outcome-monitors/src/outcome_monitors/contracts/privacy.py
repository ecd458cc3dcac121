"""What a clause may keep of the data: nothing that is private by its form or by the name of its field.

What a clause says of one key at a time, it goes on to say of the others; of a list that is whole, nothing can be taken without making
it false, and such a clause is refused. A hash is kept where what it stands for cannot be found by guessing: never of what holds something
private, since e-mail addresses, card and telephone numbers are few enough to be tried one by one. Mining knows from the evidence what
a hash stands for (`guessable_in`).
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache, partial

from outcome_monitors.features.feature import Feature, is_hashed
from outcome_monitors.jsonvalue.paths import below, parse
from outcome_monitors.jsonvalue.private_data import is_opaque, looks_private, names_private, private_among
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules import KINDS, Candidate
from outcome_monitors.rules.base.record import is_feature, learned_at
from outcome_monitors.rules.base.traits import strings_in
from outcome_monitors.rules.evidence.evidence import Evidence

from .identity import about

LEAST_TELLING = 100
"""Smaller numbers are how many or how long, and tell nobody from another."""

Guessable = Callable[[str], bool]
"""Says of a feature that is known by its hash whether what it stands for holds something private; without it, any may."""


def public_part(clause: Clause, guessable: Guessable | None = None) -> tuple[Clause, str]:
    """Return a clause without what is private, and why it has nothing left to say, where it has not."""
    paths = list(paths_of(clause))
    what = next(filter(None, map(_private_step, [*paths, *_named(clause)])), "")
    if what:
        return clause, f"a name on its path is {what}"
    private = private_texts(clause, guessable)
    numbers = [number for number in _numbers(_learned(clause)) if abs(number) >= LEAST_TELLING]
    if numbers and any(map(names_private, paths)):
        return clause, "it is about what is private by its name"
    private.update((str(number), "a payment card") for number in numbers if _is_private_number(number))
    if numbers:
        # What numbers are kept of an argument, by its name.
        private.update((key, "private by its name") for key in _keys(clause) if _is_private_name(key))
    return (clause, "") if not private else _without(clause, private)


def private_texts(clause: Clause, guessable: Guessable | None = None) -> dict[str, str]:
    """Return the texts that a clause has learned and should not show, each with what it is."""
    fields: dict[str, list[str]] = {}
    private: dict[str, str] = {}
    for feature, text in KINDS[clause.kind].texts(clause.params):
        if not is_hashed(text):
            fields.setdefault(learned_at(clause.path, feature), []).append(text)
        elif feature and (guessable is None or guessable(feature)):
            private[text] = "a hash that can be guessed"
    for path, texts in fields.items():
        named = names_private(path)
        private.update(
            dict.fromkeys(texts, f"{named} by its field's name") if named else private_among(texts)
        )
        private.update((text, "an identifier") for text in texts if text not in private and is_opaque(text))
    return private


def texts_of(clause: Clause) -> Iterator[tuple[str, str]]:
    """Yield the texts that a clause has learned, each with the path that it is of."""
    for feature, text in KINDS[clause.kind].texts(clause.params):
        yield learned_at(clause.path, feature), text


def paths_of(clause: Clause) -> Iterator[str]:
    """Yield the path of a clause, and those of what it relates."""
    yield clause.path
    for value in about(clause).values():
        for feature in value if isinstance(value, list) else [value]:
            if isinstance(feature, str):
                yield learned_at(clause.path, feature)


def _named(clause: Clause) -> Iterator[str]:
    """Yield the paths of features that stand in what a clause has learned, as in the pieces of a pattern."""
    if not KINDS[clause.kind].traits.own_words:
        learned = (value for value in _learned(clause).values() if isinstance(value, list))
        yield from (Feature.parse(text).path for text in strings_in([*learned]) if is_feature(text))


@lru_cache(maxsize=16384)
def _private_step(path: str) -> str:
    try:
        steps = parse(path)
    except ValueError:
        # A text that only looks like the name of a feature.
        steps = (path,)
    return next((what for step in steps if isinstance(step, str) and (what := looks_private(step))), "")


def _learned(clause: Clause) -> dict[str, Json]:
    kind = KINDS[clause.kind]
    return {name: value for name, value in clause.params.items() if name not in kind.identity}


def _numbers(value: Json) -> Iterator[float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)


def _keys(clause: Clause) -> Iterator[str]:
    for value in _learned(clause).values():
        yield from value if isinstance(value, dict) else ()


def _is_private_name(key: str) -> bool:
    return bool(names_private(below("", key)))


def _is_private_number(number: float) -> bool:
    return isinstance(number, int) and 10**13 <= number < 10**19 and bool(looks_private(str(number)))


def _without(clause: Clause, private: Mapping[str, str]) -> tuple[Clause, str]:
    """Take from what a clause says of each key what is private; anything else cannot lose a part and stay true."""
    refused = f"it lists {next(iter(private.values()))}"
    left: dict[str, Json] = dict(clause.params)
    for name, value in _learned(clause).items():
        if not _holds(value, private):
            continue
        kept = (
            {k: v for k, v in value.items() if not _holds([k, v], private)} if isinstance(value, dict) else {}
        )
        if not kept:
            return clause, refused
        left[name] = kept
    return replace(clause, params=left), ""


def _holds(value: Json, private: Collection[str]) -> bool:
    if isinstance(value, dict):
        return any(_holds([key, item], private) for key, item in value.items())
    if isinstance(value, list):
        return any(_holds(item, private) for item in value)
    return value is not None and not isinstance(value, bool) and str(value) in private


def without_private(candidate: Candidate, guessable: Guessable | None = None) -> Candidate:
    """Return a suggested clause without what is private, or refused where it has nothing else to say."""
    if candidate.refused:
        return candidate
    clause = candidate.clause
    left, refused = public_part(clause, guessable)
    if left is clause and not refused:
        return candidate
    return replace(candidate, clause=left, refused=refused, private=True)


def guessable_in(evidence: Evidence) -> Callable[[str], Guessable]:
    """Return, for each path, what says of the features of records there whether their hashes can be guessed."""

    @cache
    def guessable(path: str, feature: str) -> bool:
        name = Feature.parse(feature)
        return (
            _has_private_arguments(evidence, path)
            if name.sort.of_call
            else _has_private_values(evidence, name.within(path))
        )

    return lambda path: partial(guessable, path)


def _has_private_arguments(evidence: Evidence, path: str) -> bool:
    """Say whether an argument of the calls is private: all of them are hashed together."""
    table = evidence.table(path) if path in evidence.records else None
    arguments = {} if table is None else {n: c for n, c in table.columns.items() if n.sort.of_call}
    return any(
        names_private(name.path)
        or any(isinstance(value, str) and looks_private(value) for value in column.values)
        for name, column in arguments.items()
    )


def _has_private_values(evidence: Evidence, place: str) -> bool:
    """Say whether something private stands at a place or below."""
    inside = [path for path in evidence.places if path.startswith(place)]
    return any(
        (len(evidence.places[path].texts) and names_private(path))
        or any(looks_private(text) for text, _ in evidence.places[path].texts.items())
        for path in inside
    )
