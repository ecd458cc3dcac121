"""What kind of thing an argument or a field holds, by its schema and by the values that traces show.

An id tells by its form what it is the id of: ORD-10422 and ORD-7 name orders, wherever they stand and whatever the field is called.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from outcome_monitors.jsonvalue.times import when
from outcome_monitors.model import Call, Json
from outcome_monitors.recovery.tools import Parameter, Tool

from .steps import leaves

__all__ = ["Domains", "ValueDomain", "shape", "specific"]

MOST_VALUES = 400
_DIGITS = re.compile(r"\d+")
_ID = re.compile(r"(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9_.:-]{3,40}")
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
UNSPECIFIC = ("date", "time", "text", "number", "flag", "")


@dataclass(slots=True)
class ValueDomain:
    """The values of one place."""

    forms: set[str] = field(default_factory=set)
    values: set[str] = field(default_factory=set)

    def same(self, other: "ValueDomain") -> bool:
        """Say whether both hold the same kind of thing."""
        if {form for form in self.forms if specific(form)} & other.forms:
            return True
        common = len(self.values & other.values)
        return common >= 3 and common >= 0.3 * min(len(self.values), len(other.values))

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
                self._found[tool.name, parameter.name].forms.add(_form(parameter))
            for path, form in tool.fields.items():
                self._fields[tool.name].setdefault(f"$.{path}", ValueDomain()).forms.add(form)
        for call in calls:
            self._see(call)

    def _see(self, call: Call) -> None:
        for name, value in call.arguments.items():
            _add(self._found[call.tool, name], [item for _, item in leaves(value)])
        if not call.error:
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
        domain.forms.add(shape(value))
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
    return {"string": "text", "integer": "number", "boolean": "flag"}.get(parameter.type, parameter.type)
