"""An episode: a few needs in a row that serve one wish, in the words of a user; and the templates they are made from.

A template names what is drawn, in the order of the draws (`_parameters`), what the user says, what that asks for, and what a
summary of it reports:

    "drawn": {"order": {"record": "orders"}},
    "says": "Cancel order {order.id} and tell the refund.",
    "asks": [["cancelled", "cancellation", {"order": "$order.id", "reason": "changed_mind"}]],
    "report": {"refund": "$cancelled.refund"}

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

__all__ = ["Ask", "DrawnEpisode", "EpisodeTemplate", "episode_from_json", "episodes_from_json"]

Json = Any
Template = Any


@dataclass(frozen=True, slots=True)
class Ask:
    """One need of an episode; later templates find its facts under `name`."""

    name: str
    need: str
    want: Mapping[str, Template]


@dataclass(frozen=True, slots=True)
class DrawnEpisode:
    """What the user says, what that needs, and what a summary of it tells."""

    sentence: str
    asks: tuple[Ask, ...]
    report: Mapping[str, Template]


@dataclass(frozen=True, slots=True)
class EpisodeTemplate:
    """What episodes of one sort have in common."""

    drawn: Mapping[str, Drawing]
    says: str
    asks: tuple[Ask, ...]
    report: Mapping[str, Template]

    def episode(self, draw: Draw, **given: Json) -> DrawnEpisode:
        """Draw an episode; what is given stands beside what is drawn."""
        scope = {"today": TODAY, **given}
        for name, each in self.drawn.items():
            scope[name] = each(draw, scope)
        asks = tuple(Ask(ask.name, ask.need, bind(ask.want, scope)) for ask in self.asks)
        return DrawnEpisode(fill(self.says, scope), asks, self.report)


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
    report = fields.object("report")
    check(report, {ask.name for ask in asks}, place.below("report"))
    fields.end()
    return EpisodeTemplate(drawn, says, asks, report)


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
