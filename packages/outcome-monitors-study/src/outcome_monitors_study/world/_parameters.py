"""What an episode is drawn from: the notation of `drawn`, which is worked through in its order.

    "$subject|first_word"                       no chance: a template over what is drawn so far
    {"look up": "customers", "id": "$order.customer_id"}    nor here: the record of an id
    {"if": "$on", "then": "on", "else": "off"}  nor here
    {"record": "orders", "where": {"status": ["pending", "processing"]}}    a record; its id stands under `id`
    {"records": "contacts", "count": 2}         different ones, as a list
    {"one of": [5, 10]}  {"one of": "tiers"}    an item of the list, or of a list of vocabulary.json
    {"some of": "tiers", "count": 2}            different ones
    {"whole": [1, 6], "over": 2, "digits": 2}   a whole number; divided; written with so many digits
    {"day": "$today", "after": [1, 14]}         a day so many days after or `before` another
    {"chance": 0.5}                             true as often as this
    {"made": "person"}  {"made": "address"}     a made-up name or address

In `where` a field holds a value, one of a list, or {"not": value}. `whose` looks at another table: its `first` records whose
field `by` holds the id must all fit.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any

from ._state import Record, Tables
from ._templates import fill
from ._world import first_tables
from .data import FieldPlace, Fields
from .draws import address, person, shift

__all__ = ["Draw", "Drawing", "drawing"]

Json = Any
Scope = Mapping[str, Json]
Pair = tuple[str, Record]


class Draw:
    """A source of chance, and the first records to choose among."""

    def __init__(self, rng: random.Random, seed: int) -> None:
        self.rng = rng
        self.tables: Tables = first_tables(seed)


Drawing = Callable[[Draw, Scope], Json]
Words = Mapping[str, Json]


def drawing(notation: Json, words: Words, place: FieldPlace) -> Drawing:
    """Return what a notation draws, or refuse it with its place."""
    if isinstance(notation, str):
        return lambda _, scope: fill(notation, scope)
    form = Fields(notation, place)
    kind = next((name for name in _FORMS if name in form), None)
    if kind is None:
        raise place.wrong(f"draws nothing; it has none of {', '.join(_FORMS)}")
    found = _FORMS[kind](form, words)
    form.end()
    return found


def _record(form: Fields, _: Words) -> Drawing:
    pairs = _pairs(form, "record")
    return lambda draw, scope: _with_id(draw.rng.choice(pairs(draw, scope)))


def _records(form: Fields, _: Words) -> Drawing:
    pairs, count = _pairs(form, "records"), _whole_number(form, "count")
    return lambda draw, scope: [_with_id(pair) for pair in draw.rng.sample(pairs(draw, scope), count)]


def _look_up(form: Fields, _: Words) -> Drawing:
    table, key = form.text("look up"), form.text("id")

    def draw_record(draw: Draw, scope: Scope) -> Json:
        found = fill(key, scope)
        return _with_id((found, draw.tables[table][found]))

    return draw_record


def _one_of(form: Fields, words: Words) -> Drawing:
    items, where = _items(form, "one of", words), _where(form)

    def draw_item(draw: Draw, scope: Scope) -> Json:
        wanted = fill(where, scope)
        return fill(draw.rng.choice([item for item in items if _fits(item, wanted)]), scope)

    return draw_item


def _some_of(form: Fields, words: Words) -> Drawing:
    items, count = _items(form, "some of", words), _whole_number(form, "count")
    return lambda draw, _: draw.rng.sample(items, count)


def _whole(form: Fields, _: Words) -> Drawing:
    low, high = _bounds(form, "whole")
    over, digits = (_whole_number(form, name) if name in form else None for name in ("over", "digits"))

    def draw_number(draw: Draw, _: Scope) -> Json:
        number = draw.rng.randint(low, high)
        if digits is not None:
            return f"{number:0{digits}d}"
        return number if over is None else number / over

    return draw_number


def _day(form: Fields, _: Words) -> Drawing:
    day, sign = form.text("day"), -1 if "before" in form else 1
    low, high = _bounds(form, "before" if sign < 0 else "after")
    return lambda draw, scope: shift(fill(day, scope), sign * draw.rng.randint(low, high))


def _chance(form: Fields, _: Words) -> Drawing:
    chance = form.take("chance")
    if not isinstance(chance, float) or not 0 < chance < 1:
        raise form.place.below("chance").wrong("is not a number between 0 and 1")
    return lambda draw, _: draw.rng.random() < chance


def _made(form: Fields, _: Words) -> Drawing:
    if form.word("made", ("person", "address")) == "address":
        return lambda draw, _: address(draw.rng)
    return lambda draw, _: person(draw.rng, set())[0]


def _if(form: Fields, _: Words) -> Drawing:
    condition, then, otherwise = form.text("if"), form.required("then"), form.required("else")
    return lambda _, scope: fill(then if fill(condition, scope) else otherwise, scope)


_FORMS: Mapping[str, Callable[[Fields, Words], Drawing]] = {
    "record": _record,
    "records": _records,
    "look up": _look_up,
    "one of": _one_of,
    "some of": _some_of,
    "whole": _whole,
    "day": _day,
    "chance": _chance,
    "made": _made,
    "if": _if,
}


def _pairs(form: Fields, field: str) -> Callable[[Draw, Scope], list[Pair]]:
    """Return what finds the records of a table that fit."""
    table, where = form.text(field), _where(form)
    related = Fields(form.object("whose"), form.place.below("whose")) if "whose" in form else None
    whose = _whose(related) if related else lambda _draw, _key: True

    def find(draw: Draw, scope: Scope) -> list[Pair]:
        wanted = fill(where, scope)
        rows = draw.tables[table].items()
        return [(key, record) for key, record in rows if _fits(record, wanted) and whose(draw, key)]

    return find


def _whose(form: Fields) -> Callable[[Draw, str], bool]:
    table, by, where = form.text("records"), form.text("by"), _where(form)
    first = _whole_number(form, "first")
    form.end()

    def holds(draw: Draw, key: str) -> bool:
        rows = [record for record in draw.tables[table].values() if record[by] == key]
        return all(_fits(record, where) for record in rows[:first])

    return holds


def _where(form: Fields) -> Mapping[str, Json]:
    where = form.object("where")
    for field, wanted in where.items():
        if isinstance(wanted, dict) and list(wanted) != ["not"]:
            raise (
                form.place.below("where")
                .below(field)
                .wrong('is neither a value, nor a list, nor {"not": value}')
            )
    return where


def _fits(record: Json, where: Mapping[str, Json]) -> bool:
    return all(_holds(record.get(field), wanted) for field, wanted in where.items())


def _holds(value: Json, wanted: Json) -> bool:
    if isinstance(wanted, dict):
        return bool(value != wanted["not"])
    return value in wanted if isinstance(wanted, list) else bool(value == wanted)


def _with_id(pair: Pair) -> Record:
    key, record = pair
    return {"id": key, **record}


def _items(form: Fields, field: str, words: Words) -> list[Json]:
    listed = form.required(field)
    found = list(words.get(listed, ())) if isinstance(listed, str) else listed
    if not isinstance(found, list) or not found:
        raise form.place.below(field).wrong("is neither a list nor the name of one in the vocabulary")
    return found


def _whole_number(form: Fields, field: str) -> int:
    value = form.required(field)
    if type(value) is not int or value < 1:
        raise form.place.below(field).wrong("is not a whole number from 1")
    return value


def _bounds(form: Fields, field: str) -> tuple[int, int]:
    match form.required(field):
        case [int(low), int(high)] if low <= high:
            return low, high
    raise form.place.below(field).wrong("is not a lowest and a highest whole number")
