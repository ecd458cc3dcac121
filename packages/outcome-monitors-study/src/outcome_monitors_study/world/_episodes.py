"""An episode: a few needs in a row that serve one wish, in the words of a user; and the templates they are made from.

A template names what is drawn, in the order of the draws (`_parameters`), what the user says, what that needs, what the
user wants to be told, and what a message to somebody else must hold:

    "drawn": {"order": {"record": "orders"}},
    "says": "Cancel order {order.id} and tell the refund.",
    "asks": [["cancelled", "cancellation", {"order": "$order.id", "reason": "changed_mind"}]],
    "report": {"refund": "$cancelled.refund", "open": ["$after.count", "open", "left"]},
    "letters": {"told": ["$date", "$slot.start"]}

The words after a fact are those near which a small number is looked for: `3` stands in many a sentence.
What refers to a draw is filled in when the episode is made; what refers to an ask, when its facts are known.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ._needs import Need
from ._parameters import Draw, Drawing, drawing
from ._state import TODAY
from ._templates import bind, check, fill
from .data import FieldPlace, Fields

__all__ = ["Ask", "AskedFact", "DrawnEpisode", "EpisodeTemplate", "episode_from_json", "episodes_from_json"]

Json = Any
Template = Any


@dataclass(frozen=True, slots=True)
class Ask:
    """One need of an episode; later templates find its facts under `name`."""

    name: str
    need: str
    want: Mapping[str, Template]


@dataclass(frozen=True, slots=True)
class AskedFact:
    """A fact that somebody wants to be told."""

    name: str
    fact: Template
    near: tuple[str, ...] = ()
    """Beginnings of words of which one stands near, where the fact is a small number."""


@dataclass(frozen=True, slots=True)
class DrawnEpisode:
    """What the user says, what that needs, and what is to be told to whom."""

    sentence: str
    asks: tuple[Ask, ...]
    report: tuple[AskedFact, ...]
    letters: Mapping[str, tuple[AskedFact, ...]]
    """What the message that an ask sends must hold; its other words are free."""


@dataclass(frozen=True, slots=True)
class EpisodeTemplate:
    """What episodes of one sort have in common."""

    drawn: Mapping[str, Drawing]
    says: str
    asks: tuple[Ask, ...]
    report: tuple[AskedFact, ...]
    letters: Mapping[str, tuple[Template, ...]]

    def episode(self, draw: Draw, **given: Json) -> DrawnEpisode:
        """Draw an episode; what is given stands beside what is drawn."""
        scope = {"today": TODAY, **given}
        for name, each in self.drawn.items():
            scope[name] = each(draw, scope)
        asks = tuple(Ask(ask.name, ask.need, bind(ask.want, scope)) for ask in self.asks)
        letters = {
            ask: tuple(AskedFact(str(place), fact) for place, fact in enumerate(bind(facts, scope), 1))
            for ask, facts in self.letters.items()
        }
        return DrawnEpisode(fill(self.says, scope), asks, self.report, letters)


def episodes_from_json(
    content: Json, needs: Mapping[str, Need], words: Mapping[str, Json], file: str
) -> Iterator[EpisodeTemplate]:
    """Yield the episodes of a tasks.json."""
    for _, value, place in Fields(content, FieldPlace(file)).parts("episodes"):
        yield episode_from_json(value, needs, words, place)


def episode_from_json(
    content: Json, needs: Mapping[str, Need], words: Mapping[str, Json], place: FieldPlace
) -> EpisodeTemplate:
    """Return the template that an object states; no reference in it may lead nowhere."""
    fields = Fields(content, place)
    known = {"today", *fields.texts("given")}
    drawn: dict[str, Drawing] = {}
    for name, value, where in fields.parts("drawn"):
        check(value, known, where)
        drawn[name] = drawing(value, words, where)
        known.add(name)
    says = fields.text("says")
    check(says, known, place.below("says"))
    asks = tuple(_asks(fields.rows("asks"), needs, known))
    names = {ask.name for ask in asks}
    report = tuple(_asked(*part, names) for part in fields.parts("report"))
    letters = {name: _letter(name, facts, known, where) for name, facts, where in fields.parts("letters")}
    fields.end()
    return EpisodeTemplate(drawn, says, asks, report, letters)


def _asked(name: str, value: Json, place: FieldPlace, names: set[str]) -> AskedFact:
    """Read a fact that is to be told: `"$after.count"`, or a list of it and of words that stand near."""
    match value:
        case [str(fact), *near] if all(isinstance(word, str) for word in near):
            asked = AskedFact(name, fact, tuple(near))
        case str(fact):
            asked = AskedFact(name, fact)
        case _:
            raise place.wrong("is neither a fact nor a list of a fact and of words")
    check(asked.fact, names, place)
    return asked


def _letter(name: str, facts: Json, known: set[str], place: FieldPlace) -> tuple[Template, ...]:
    if name not in known:
        raise place.wrong("is no ask of this episode")
    if not isinstance(facts, list):
        raise place.wrong("is not a list of facts")
    check(facts, known, place)
    return tuple(facts)


def _asks(rows: list[tuple[Json, FieldPlace]], needs: Mapping[str, Need], known: set[str]) -> Iterator[Ask]:
    for row, place in rows:
        match row:
            case [str(name), str(need), dict(want)] if need in needs:
                check(want, known, place)
                _check_want(want, needs[need], place)
            case _:
                raise place.wrong("is not a name, a need and what is wanted of it")
        if name in known:
            raise place.wrong(f"gives the name {name} a second time")
        known.add(name)
        yield Ask(name, need, want)


def _check_want(want: Mapping[str, Template], need: Need, place: FieldPlace) -> None:
    wants = need.wants
    odd = want.keys() - wants.keys() or {name for name, must in wants.items() if must} - want.keys()
    if odd:
        raise place.wrong(f"does not fit what {need.name} wants: {', '.join(sorted(odd))}")
