"""What traces show of tools: calls made comparable, and what kind of thing an argument or a field holds.

A step is one call, or a chain of two in which the second takes what the first returned. Both are asked about the values that came from
outside, and say what the last result holds. An id tells by its form what it is the id of: ORD-10422 and ORD-7 name orders, wherever
they stand and whatever the field is called.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from outcome_monitors.jsonvalue.times import when
from outcome_monitors.model import Call, Json
from outcome_monitors.recovery.tools import Parameter, Tool

MOST_LEAVES = 300
DEEPEST = 12
_NAME = re.compile(r"[A-Za-z_]+\d{0,2}(?:[A-Za-z_ ]+\d{0,2})*")
"""A key that is a name; one with a hyphen or a number in it is data."""
_SEPARATORS = str.maketrans(dict.fromkeys("/,;|", "\n"))


@dataclass(frozen=True, eq=False)
class CallStep:
    """One call, or a chain of two, as something that was asked and answered."""

    tools: tuple[str, ...]
    asked: Mapping[str, Json]
    """The arguments that came from outside, by name; those of a second call carry its tool's name."""
    result: Json
    handed: Json = None
    """What the first call of a chain handed to the second."""

    @cached_property
    def about(self) -> frozenset[str]:
        """Every value that the step was asked with, and the parts of those that have parts."""
        return frozenset(atom for _, value in leaves(list(self.asked.values())) for atom in atoms(value))

    @cached_property
    def keys(self) -> frozenset[str]:
        """The values themselves, those that tell something."""
        return frozenset(
            text
            for _, value in leaves(list(self.asked.values()))
            if (text := canonical(value)) and is_distinctive(text)
        )

    @cached_property
    def content(self) -> dict[str, frozenset[str]]:
        """What the result says, by path; what was in the question is left out."""
        found: dict[str, set[str]] = {}
        known = self.about | {canonical(value) for _, value in leaves(self.handed)}
        for path, value in leaves(self.result):
            text = canonical(value)
            if text and text not in known:
                found.setdefault(path, set()).add(text)
        return {path: frozenset(values) for path, values in found.items()}


def sessions(calls: Iterable[Call]) -> list[list[Call]]:
    """Put calls into their sessions, in order; a call without one stands alone."""
    found: dict[Any, list[Call]] = {}
    for number, call in enumerate(calls):
        key = number if call.session is None else call.session
        found.setdefault(key, []).append(call)
    return list(found.values())


def steps(calls: Iterable[Call]) -> Iterator[CallStep]:
    """Yield each call as a step."""
    for call in calls:
        yield CallStep((call.tool,), call.arguments, call.result)


def chains(calls: list[Call], reads: Collection[str]) -> Iterator[CallStep]:
    """Yield each pair of reads of which the second takes a list or a number that the first gave."""
    for first, second in pairwise(calls):
        if first.tool == second.tool or first.tool not in reads or second.tool not in reads:
            continue
        handed = _handed(first, second)
        if handed:
            own = {
                f"{second.tool}.{name}": value
                for name, value in second.arguments.items()
                if name not in handed
            }
            given = {name: second.arguments[name] for name in handed}
            yield CallStep((first.tool, second.tool), {**first.arguments, **own}, second.result, given)


def _handed(first: Call, second: Call) -> set[str]:
    """Return the arguments of the second call whose value is data that the first returned."""
    columns: dict[str, list[str]] = {}
    for path, value in leaves(first.result):
        columns.setdefault(path, []).append(canonical(value))
    given = {tuple(column) for column in columns.values()}
    asked = CallStep((), first.arguments, None).about
    found = set()
    for name, value in second.arguments.items():
        column = tuple(canonical(item) for item in value) if isinstance(value, list) else (canonical(value),)
        # An id that is handed on begins a new question; a list of values or a number is worked on.
        data = isinstance(value, (list, float, int)) and not isinstance(value, bool)
        if data and column in given and not set(column) <= asked and any(column):
            found.add(name)
    return found


def leaves(value: Json) -> Iterator[tuple[str, Json]]:
    """Yield the scalars of a value, each with its path; items of a list share one."""
    left = [MOST_LEAVES]
    yield from _leaves(value, "", 0, left)


def _leaves(value: Json, path: str, depth: int, left: list[int]) -> Iterator[tuple[str, Json]]:
    if left[0] <= 0 or depth > DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            name = str(key)
            if not _NAME.fullmatch(name):
                # An object by id: its keys are data, and the id is one of the values.
                yield f"{path}.*" if path else "*", name
                name = "*"
            yield from _leaves(item, f"{path}.{name}" if path else name, depth + 1, left)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item, f"{path}[]", depth + 1, left)
    else:
        left[0] -= 1
        yield path, value


def canonical(value: Json) -> str:
    """Return a scalar so that equal things are equal: text without case, numbers without scale and sign; else nothing."""
    if isinstance(value, str):
        return value.strip().casefold()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    if abs(value) > 1e15 or value != value:  # noqa: PLR0124 - only NaN differs from itself
        return ""
    # 123.45 and 12345 cents are the same amount.
    return f"{abs(value):.6f}".replace(".", "").strip("0")


def is_distinctive(text: str) -> bool:
    """Say whether a value can tell one thing from another."""
    return len(text) >= 2


def atoms(value: Json) -> Iterator[str]:
    """Yield a value, and the parts of it that are values themselves: a pair's halves, the month of a day."""
    text = canonical(value)
    if not text:
        return
    yield text
    if isinstance(value, str) and len(text) <= 60:
        parts = halves(text)
        if len(parts) > 1:
            yield from parts
        if when(value) is not None:
            yield text[:7]


def halves(text: str) -> list[str]:
    """Return the parts of a text that separators keep apart."""
    return [part.strip() for part in text.translate(_SEPARATORS).split("\n") if part.strip()]


MOST_VALUES = 400
ALIKE = 0.3
"""What part of the values of two places must be alike for both to hold the same kind of thing."""
_DIGITS = re.compile(r"\d+")
_ID = re.compile(r"(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9_.:-]{3,40}")
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
UNSPECIFIC = ("date", "time", "text", "number", "flag", "")


@dataclass(slots=True)
class ValueDomain:
    """The values of one place."""

    forms: Counter[str] = field(default_factory=Counter)
    values: set[str] = field(default_factory=set)

    def same(self, other: "ValueDomain") -> bool:
        """Say whether both hold the same kind of thing."""
        forms = [form for form in self.forms if form in other.forms and specific(form)]
        both = (self.forms, other.forms)
        if forms and all(sum(seen[form] for form in forms) >= ALIKE * seen.total() for seen in both):
            return True
        common = len(self.values & other.values)
        return common >= 3 and common >= ALIKE * min(len(self.values), len(other.values))

    def differs(self, other: "ValueDomain") -> bool:
        """Say whether both were seen, and hold nothing in common."""
        seen = bool(self.values and other.values)
        return seen and self.values.isdisjoint(other.values) and not self.same(other)

    @property
    def specific(self) -> bool:
        """Say whether it holds things of one kind, such as ids."""
        return any(specific(form) for form in self.forms)


class Domains:
    """What each argument and each field of each tool holds."""

    def __init__(self, tools: Iterable[Tool], calls: Iterable[Call] = ()) -> None:
        self._found: defaultdict[tuple[str, str], ValueDomain] = defaultdict(ValueDomain)
        self._fields: defaultdict[str, dict[str, ValueDomain]] = defaultdict(dict)
        for tool in tools:
            for parameter in tool.parameters:
                self._found[tool.name, parameter.name].forms[_form(parameter)] += 1
            for path, form in tool.fields.items():
                self._fields[tool.name].setdefault(f"$.{path}", ValueDomain()).forms[form] += 1
        for call in calls:
            self._see(call)

    def _see(self, call: Call) -> None:
        for name, value in call.arguments.items():
            _add(self._found[call.tool, name], [item for _, item in leaves(value)])
        for path, value in leaves(call.result):
            if specific(shape(value)):
                _add(self._fields[call.tool].setdefault(f"$.{path}", ValueDomain()), [value])

    def argument(self, tool: str, name: str) -> ValueDomain:
        """Return what an argument takes."""
        return self._found[tool, name]

    def fields(self, tool: str) -> Mapping[str, ValueDomain]:
        """Return the fields of a tool's result that hold things of one kind, by path."""
        return {place: domain for place, domain in self._fields[tool].items() if domain.specific}


def _add(domain: ValueDomain, values: Iterable[Json]) -> None:
    for value in values:
        domain.forms[shape(value)] += 1
        if isinstance(value, str) and len(domain.values) < MOST_VALUES:
            domain.values.add(value)


def specific(form: str) -> bool:
    """Say whether a form is that of one kind of thing."""
    return form not in UNSPECIFIC and not form.startswith(("format:date", "pattern:Z$", "pattern:^[0-9]{4}-"))


def shape(value: Json) -> str:
    """Return the form of a value: an id without its digits, `mail`, `date`, or what type it is."""
    if isinstance(value, bool) or value is None:
        return "flag"
    if isinstance(value, (int, float)):
        return "number"
    if not isinstance(value, str):
        return ""
    if when(value) is not None:
        return "date"
    if _MAIL.fullmatch(value):
        return "mail"
    if _ID.fullmatch(value):
        return f"id {_DIGITS.sub('9', value)}"
    return "text"


def _form(parameter: Parameter) -> str:
    if parameter.form:
        return parameter.form
    kind = parameter.type.removesuffix("[]")
    return {"string": "text", "integer": "number", "boolean": "flag"}.get(kind, "")
