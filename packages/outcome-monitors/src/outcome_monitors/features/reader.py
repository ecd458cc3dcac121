"""What each sort of feature is made of, and how one is read of a record by its name.

The tables are the one definition: `reader` follows a path to what they take, and `extraction` comes by it on its walk.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from outcome_monitors.features.aggregates import worth
from outcome_monitors.jsonvalue.paths import Each, parse, render, values_at

from .aggregates import digest, members, standing, total
from .feature import ABSENT, Feature, Sort
from .limits import ARGUMENT_ITEMS, COUNTED_TEXT


def _scalar(value: Any) -> Any:
    return ABSENT if isinstance(value, (dict, list)) else value


def _extent(value: Any) -> Any:
    return len(value) if isinstance(value, str) and len(value) >= COUNTED_TEXT else ABSENT


def _size(value: Any) -> Any:
    return len(value) if isinstance(value, (list, dict)) else ABSENT


def _whole(value: Any) -> Any:
    return digest(value) if isinstance(value, (list, dict)) else ABSENT


def _or_absent(found: Any) -> Any:
    return ABSENT if found is None else found


OF_VALUE: Mapping[Sort, Callable[[Any], Any]] = {
    Sort.FIELD: _scalar,
    Sort.LENGTH: _extent,
    Sort.NUMBER: _size,
    Sort.WHOLE: _whole,
    Sort.MEMBERS: lambda value: _or_absent(members(value)),
}
"""What is made of a value of the record; ABSENT of one that it cannot be made of, as in all that follow."""


def _sum(column: list[Any]) -> Any:
    return _or_absent(total(column) if column else None)


def _standing(column: list[Any]) -> Any:
    return _or_absent(standing(column) if len(column) > 1 else None)


OF_COLUMN: Mapping[Sort, Callable[[list[Any]], Any]] = {Sort.SUM: _sum, Sort.ORDER: _standing}
"""What is made of a value of each row."""

OF_END: Mapping[Sort, int] = {Sort.FIRST: 0, Sort.LAST: -1}
"""Which row it is of: a single one has no last, which would show nothing of its own."""


def end_row(items: Any, index: int) -> Any:
    """Return the first row (0), or the last of several (-1)."""
    return items[index] if isinstance(items, list) and len(items) + index > 0 else ABSENT


OF_ARGUMENT: Mapping[Sort, Callable[[Any], Any]] = {
    Sort.ARGUMENT: lambda value: value,
    Sort.ARGUMENT_NUMBER: _size,
    Sort.ARGUMENT_SUM: lambda value: _sum(value) if isinstance(value, list) else ABSENT,
    Sort.ARGUMENT_WORTH: lambda value: _or_absent(worth(value)),
    Sort.ARGUMENT_WHOLE: lambda value: digest(value) if isinstance(value, list) else ABSENT,
}
"""What is made of an argument."""


def inside(arguments: Mapping[str, Any], path: str) -> Any:
    """Return the scalar at a path of the arguments, or the column, where the path leads through a list."""
    if Each.ITEM not in parse(path):
        return _scalar(_first(arguments, path))
    column = tuple(values_at(arguments, path))
    listed = 0 < len(column) <= ARGUMENT_ITEMS and all(type(item) in (str, int) for item in column)
    return column if listed else ABSENT


Reader = Callable[[Any, Mapping[str, Any], str], Any]
"""Takes a record, the call's arguments and the record's place; gives the feature's value or ABSENT."""


@lru_cache(maxsize=4096)
def reader(name: str) -> Reader:
    """Return the function that reads a feature of a record."""
    feature = Feature.parse(name)
    sort, path = feature.sort, feature.path
    if sort.of_answer:
        read = _reader_at(sort, path)
        return lambda record, _arguments, _place: read(record)
    if sort is Sort.KEY:
        return lambda _record, _arguments, place: _key(place)
    if sort is Sort.ARGUMENTS:
        return lambda _record, arguments, _place: digest(arguments)
    if sort is Sort.ARGUMENT_INSIDE:
        return lambda _record, arguments, _place: inside(arguments, path)
    made = OF_ARGUMENT[sort]
    return lambda _record, arguments, _place: made(arguments.get(path, ABSENT))


def _reader_at(sort: Sort, path: str) -> Callable[[Any], Any]:
    """Return the function that reads what stands at a path of the record."""
    if sort in OF_VALUE:
        of_value = OF_VALUE[sort]
        return lambda record: of_value(_first(record, path))
    steps = parse(path)
    if sort in OF_END:
        depth = steps.index(Each.ITEM) if Each.ITEM in steps else len(steps)
        rows, rest, index = render(steps[:depth]), render(steps[depth + 1 :]), OF_END[sort]
        return lambda record: _scalar(_first(end_row(_first(record, rows), index), rest))
    of_column = OF_COLUMN[sort]
    if sort is not Sort.SUM:
        return lambda record: of_column(values_at(record, path))
    depth = next((index for index, step in enumerate(steps) if isinstance(step, Each)), len(steps))
    row = render(steps[: depth + 1])

    def read(record: Any) -> Any:
        column = values_at(record, path)
        # A row without the number leaves no sum to speak of.
        return of_column(column if len(column) == len(values_at(record, row)) else [])

    return read


def _first(record: Any, path: str) -> Any:
    found = values_at(record, path)
    return found[0] if found else ABSENT


def _key(place: str) -> Any:
    last = parse(place)[-1:] or (ABSENT,)
    return last[0] if isinstance(last[0], str) else ABSENT
