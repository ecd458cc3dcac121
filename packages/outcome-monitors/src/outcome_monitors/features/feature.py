"""The named facts of an object that relations speak of.

A record is the result itself, or the JSON in a text of it, or an item of a list, or a value of an object whose keys are data. Its
features are

    .status            a scalar field; fields of plain inner objects count too (.address.city)
    ~content           how many characters a long text has
    #items             how many items a list has, or values an object whose keys are data
    +items[].price     the sum of a number over the items
    =items             all of a list, known by its hash
    |items             what names each item of a list, or the keys of an object whose keys are data
    %items[].id        how the rows stand: "u" all different, "a" ascending, "d" descending
    <items[].id        a text of the first row; >items[].id of the last one, where there are more
    $                  the key under which the record stands, where keys are data
    @limit             an argument of the call; @ all arguments, known by their hash
    @:lines[].sku      what stands deeper in the arguments: one scalar, or a list's column
    @#ids, @+ids       how many items an argument has, and the sum of its numbers; @=ids all of it, known by its hash
    @~expression       the number that an argument like "2 * (3 + 4)" comes to

so that "the count equals the number of rows", "the total is the sum of the prices" and "the id is the one asked for" are all
one thing: two features that are equal. `Feature` is such a name: a text, taken apart by `Feature.parse` and put together by `Sort.of`
alone. `Features` are those of one record: `extraction` finds all of them, and `reader` reads one by its name.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple, Self

from outcome_monitors.jsonvalue.paths import ROOT, InText, Step, is_in_text, parse, render
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.jsonvalue.types import Hidden

from .limits import RECORD_FEATURES, TEXT_LENGTH

MOST_NAMES = 65536
"""Names of one sort that are held, so that there is one object for all records that have the feature."""


class Follows(Enum):
    """What stands behind a sigil."""

    NOTHING = "nothing"
    PATH = "a path"
    NAME = "the name of an argument"


class Sort(Enum):
    """What can be told of a record: the sigil, what follows it, and how the feature stands in a sentence."""

    FIELD = ".", Follows.PATH, "{}"
    LENGTH = "~", Follows.PATH, "the length of {}"
    NUMBER = "#", Follows.PATH, "the number of {}"
    SUM = "+", Follows.PATH, "the sum of {}"
    WHOLE = "=", Follows.PATH, "{}"
    MEMBERS = "|", Follows.PATH, "the members of {}"
    ORDER = "%", Follows.PATH, "the order of {}"
    FIRST = "<", Follows.PATH, "the first {}"
    LAST = ">", Follows.PATH, "the last {}"
    KEY = "$", Follows.NOTHING, "its key"
    ARGUMENTS = "@", Follows.NOTHING, "the arguments"
    ARGUMENT = "@", Follows.NAME, "the argument {}"
    ARGUMENT_INSIDE = "@:", Follows.PATH, "the argument {}"
    ARGUMENT_NUMBER = "@#", Follows.NAME, "the number of items in the argument {}"
    ARGUMENT_SUM = "@+", Follows.NAME, "the sum of the argument {}"
    ARGUMENT_WORTH = "@~", Follows.NAME, "the worth of the argument {}"
    ARGUMENT_WHOLE = "@=", Follows.NAME, "the argument {}"

    sigil: str
    follows: Follows
    words: str
    of_call: bool
    """It is of the call, not of the record."""
    of_answer: bool
    """It stands at a path of the record."""
    of: Callable[..., "Feature"]
    """Return the feature of this sort at a path, or of an argument; raise ValueError where it would read as another."""

    def __init__(self, sigil: str, follows: Follows, words: str) -> None:
        self.sigil, self.follows, self.words = sigil, follows, words
        self.of_call = sigil.startswith("@")
        self.of_answer = follows is Follows.PATH and not self.of_call
        self.of = lru_cache(maxsize=MOST_NAMES)(self._of)

    # There is one of each: what stands in the sets of sorts need not be compared by name.
    __hash__ = object.__hash__

    def _of(self, path: str = "") -> "Feature":
        if _sort_of(self.sigil + path) is not self or (path and self.follows is Follows.NOTHING):
            raise ValueError(f"{self.sigil + path!r} does not read as {self.name.lower()}")
        return Feature(self, path)

    @property
    def is_argument(self) -> bool:
        """It is one argument, or stands in one, rather than something made of it, or all of them."""
        return self in (Sort.ARGUMENT, Sort.ARGUMENT_INSIDE)

    @property
    def is_end(self) -> bool:
        """It is of the first row or the last."""
        return self in (Sort.FIRST, Sort.LAST)


class Feature(str):
    """A feature's name: a text that knows its sort, and what follows its sigil.

    As a text it is hashed, compared and sorted at the speed of texts, which is what mining and memory do with it most.
    """

    __slots__ = ("path", "sort")

    sort: Sort
    path: str

    def __new__(cls, sort: Sort, path: str = "") -> Self:
        """Return the name; `Sort.of` is the way to it, which tells whether there is one."""
        made = super().__new__(cls, sort.sigil + path)
        made.sort, made.path = sort, path
        return made

    @staticmethod
    def parse(text: str) -> "Feature":
        """Read a name; raise ValueError where it is none."""
        return text if isinstance(text, Feature) else _parse(text)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The path in steps; none of what has no path."""
        return parse(self.path) if self.sort.follows is Follows.PATH else ()

    @property
    def described(self) -> str:
        """The feature as it stands in a sentence."""
        return self.sort.words.format(self.path or ("(the result)" if self.sort.of_answer else ""))

    def within(self, place: str) -> str:
        """Return the path of the feature of the record at a place; of what has none there, the place."""
        if not self.path or not self.sort.of_answer:
            return place
        return render([*parse(place), *self.steps])

    def __reduce__(self) -> tuple[Any, ...]:
        return Feature.parse, (str(self),)


_BY_SIGIL = {sort.sigil: sort for sort in Sort}


def _sort_of(text: str) -> Sort | None:
    """Return the sort that a text has by its sigil."""
    if text == Sort.ARGUMENTS.sigil:
        return Sort.ARGUMENTS
    return _BY_SIGIL.get(text[:2]) or _BY_SIGIL.get(text[:1])


@lru_cache(maxsize=MOST_NAMES)
def _parse(text: str) -> Feature:
    sort = _sort_of(text)
    if sort is None:
        raise ValueError(f"{text!r} is not a feature: it begins with none of {' '.join(_BY_SIGIL)}")
    path = text[len(sort.sigil) :]
    if sort.follows is Follows.NOTHING and path:
        raise ValueError(f"{text!r} is not a feature: nothing follows {sort.sigil}")
    if sort.follows is Follows.PATH:
        _demand_path(path, text)
    return sort.of(path)


def _demand_path(path: str, text: str) -> None:
    try:
        steps = parse(path)
    except ValueError as error:
        raise ValueError(f"{text!r} is not a feature: {error}") from None
    if InText.JSON in steps:
        raise ValueError(f"{text!r} is not a feature: what stands in a text is a record of its own")


class Features(NamedTuple):
    """The features of one record.

    `codes` has one letter a value: texts (s), numbers (n), booleans (b), null (z), lists (l), others (o). It tells apart
    what Python calls equal: 1 and true.
    """

    names: tuple[Feature, ...]
    codes: str
    values: tuple[Any, ...]

    def __repr__(self) -> str:
        """Write it as any tuple with names; samples are ordered by that, and many records have the same names."""
        return f"Features(names={_names_shown(self.names)}, codes={self.codes!r}, values={self.values!r})"


@lru_cache(maxsize=4096)
def _names_shown(names: tuple[Feature, ...]) -> str:
    return repr(names)


class _Absent:
    """Stands for a feature that is not there."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


def is_record(path: str) -> bool:
    """Say whether the objects at a path are records of their own rather than parts of one."""
    return is_answer(path) or path.endswith(("[]", "*"))


def is_answer(path: str) -> bool:
    """Say whether what stands at a path is an answer as a whole: the result, or the JSON in a text of it."""
    return path == ROOT or is_in_text(path)


def freeze(features: Mapping[Feature, Any]) -> Features:
    """Return features in the order of their names, and in the form in which they are kept; what is hidden is left out."""
    known = [pair for pair in features.items() if not isinstance(pair[1], Hidden)]
    found = sorted(known, key=_name)[:RECORD_FEATURES]
    return Features(
        _names(tuple([name for name, _ in found])),
        "".join([CODES.get(type(value), "o") for _, value in found]),
        tuple([normal_form(value) for _, value in found]),
    )


_name = itemgetter(0)


@lru_cache(maxsize=4096)
def _names(names: tuple[Feature, ...]) -> tuple[Feature, ...]:
    """Keep one copy of each list of names."""
    return names


def is_hashed(value: Any) -> bool:
    """Say whether a kept value is the hash of something longer, which says nothing to anyone."""
    return isinstance(value, str) and value.startswith("\0")


CODES: dict[type, str] = {str: "s", int: "n", float: "n", bool: "b", tuple: "l", type(None): "z"}
_AS_IT_IS = frozenset({int, bool, tuple})


def normal_form(value: Any) -> Any:
    """Return a value in the form in which a feature keeps it."""
    python = type(value)
    if python is str:
        return value if len(value) <= TEXT_LENGTH else f"\0{stable_hash(value):x}"
    if python in _AS_IT_IS:
        return value
    return _number(value) if python is float else None


def _number(value: float) -> float | str:
    # 1 and 1.0 are one value, whichever came first, and a NaN equals itself.
    if value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value if value == value else "nan"  # noqa: PLR0124 - NaN
