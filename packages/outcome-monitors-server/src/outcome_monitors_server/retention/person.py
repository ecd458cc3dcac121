"""One person's values: where in a call, a clause or a violation they stand, and where else they are spoken of."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.exceptions import StateError
from outcome_monitors.features.feature import Feature
from outcome_monitors.jsonvalue.paths import Each, InText, parse
from outcome_monitors.jsonvalue.types import normalise
from outcome_monitors.rules.base.record import is_feature

__all__ = ["PersonValue"]

SHORTEST = 3
"""Characters of a value that is looked for in texts: a shorter one stands everywhere."""
_PLAIN = re.compile(r"[A-Za-z0-9_.@-]+")
"""What stands in JSON as it is, however often it was written."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PersonValue:
    """A value that names a person, and the field that it stands in: `customer_id` in any place, `customer.id` below any `customer`.

    Capitals count as small letters, since clauses keep some values so.
    `anywhere`, whatever speaks of the value is theirs, in whichever field or text.
    """

    path: str
    value: str
    anywhere: bool = False
    _names: Names = field(init=False)
    _word: re.Pattern[str] = field(init=False)
    sign: str = field(init=False)
    """A part of the value that every text has that speaks of it, to look for first; empty where there is none."""

    def __post_init__(self) -> None:
        names = _names_of(self.path)
        if not names or not self.value:
            raise StateError(
                f"--path {self.path!r} and its value name nobody; --path customer_id --value C-17 is an example"
            )
        object.__setattr__(self, "_names", names)
        object.__setattr__(self, "_word", re.compile(rf"(?<!\w){re.escape(self.value)}(?!\w)", re.IGNORECASE))
        object.__setattr__(self, "sign", max(_PLAIN.findall(self.value), key=len, default="").casefold())

    def in_value(self, value: Any) -> bool:
        """Say whether a JSON value has the person's in their field, or, where that is enough, anywhere."""
        if self.anywhere:
            return self.mentioned(value)
        return any(self._is_it(item) and self._is_field(names) for names, item in _leaves(value))

    def in_violation(self, violation: Mapping[str, Any]) -> bool:
        """Say whether a violation, or a part of a receipt, shows the person's value."""
        return self.mentioned(violation) and (self.anywhere or self._speaks_of_field(violation))

    def in_clause(self, clause: Any) -> bool:
        """Say whether a clause, in whatever form it is kept, has the value in it, and speaks of the field."""
        has = (
            self.mentioned(clause) if self.anywhere else any(self._is_it(item) for _, item in _leaves(clause))
        )
        return has and (self.anywhere or self._speaks_of_field(clause))

    def mentioned(self, value: Any) -> bool:
        """Say whether the value stands anywhere: as it is, or as a word of a text."""
        words = len(self.value) >= SHORTEST
        return any(
            self._is_it(item) or bool(words and isinstance(item, str) and self._word.search(item))
            for _, item in _leaves(value)
        )

    def may_be_in(self, text: str) -> bool:
        """Say whether a text may speak of the value: to look for a sign is much quicker than to read JSON."""
        return self.sign in text.casefold()

    def _is_field(self, names: Names) -> bool:
        return names[-len(self._names) :] == self._names

    def _speaks_of_field(self, value: Any) -> bool:
        """Say whether a path to the field stands in a value."""
        return any(isinstance(item, str) and self._is_field(_names_of(item)) for _, item in _leaves(value))

    def _is_it(self, item: Any) -> bool:
        return (
            item is not None and not isinstance(item, bool) and normalise(str(item)) == normalise(self.value)
        )


def _names_of(text: str) -> Names:
    """Return the fields that a path, or a feature of a clause, leads through; none where it is neither."""
    path = Feature.parse(text).path if is_feature(text) else text
    try:
        return tuple(step for step in parse(path) if not isinstance(step, int | Each | InText))
    except ValueError:
        return ()


def _leaves(value: Any) -> Iterator[tuple[Names, Any]]:
    """Yield what stands in a value, each with the names of the fields that lead there; the names of fields are values too."""
    waiting: list[tuple[Names, Any]] = [((), value)]
    while waiting:
        place, item = waiting.pop()
        if isinstance(item, Mapping):
            # An object by ids has the person's as a name.
            waiting += [(place, key) for key in item]
            waiting += [((*place, key), inner) for key, inner in item.items()]
        elif isinstance(item, list | tuple):
            waiting += [(place, inner) for inner in item]
        else:
            yield place, item
            if isinstance(item, str) and item[:1] in ("{", "["):
                waiting += [(place, inner) for inner in _in_text(item)]


def _in_text(text: str) -> list[Any]:
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        return []
