"""What the built-in kinds have in common: they hold for every tool from its first call, and nothing of them is mined.

A built-in kind looks at one call and its result and yields findings. How often each kind fires on right results is measured
(`python -m bench.built_in`) and shipped in `priors.json`.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from outcome_monitors.exceptions import ContractError
from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.jsonvalue.text import last_word
from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.base.kind import Candidate, Kind
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Mining, Traits

from .reading import data_of

MAX_ROWS = 1000
"""Rows of a list that are looked at: the cost of a check is bounded whatever comes back."""
MAX_DEPTH = 6
MAX_NAME = 64
"""Characters of a name that is kept in short: names come again with each result."""
MAX_DETAIL = 240
"""Characters of a detail: arguments and names of fields may be of any length."""
MAX_NUMBER = 10**18
"""Longer numbers are no ids, and some cannot even be written."""
SCHEMES = ("http://", "https://", "file://", "www.")
ADDRESSES = frozenset({"url", "uri", "link", "href", "website"})
"""Last words of names of arguments that are addresses, also without a scheme."""
SENT = frozenset({"body", "data", "payload", "json", "text", "content", "message"})
"""Names of arguments by which something is sent to an address."""
COMMANDS = ("command", "cmd", "script", "shell", "command_line")
WRAPPERS = ("data", "result", "response", "payload", "output")
"""Names of fields that hold the whole answer."""


OFF: Mapping[str, Json] = {"off": True}
"""The parameters of the clause by which a contract takes a built-in rule back."""


class Finding(NamedTuple):
    """What is wrong with a result, and where."""

    path: str
    expected: Json
    observed: Json
    detail: str


class BuiltIn(Kind):
    """A kind without parameters: every tool has one clause of it."""

    params = {}
    traits = Traits(about="shape", never_normal=True, severity=Severity.HIGH)
    mining = Mining(profiles=frozenset())
    sentence: ClassVar[str]
    """What the clause says."""
    reads_texts: ClassVar[bool] = True
    """It is held against what a text states, too."""
    of_a_value: ClassVar[bool] = False
    """It judges a value by itself, so that a contract of a tool whose clean results had such a value knows better."""

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Yield what is wrong with a result."""
        raise NotImplementedError

    def findings(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Yield what is wrong with a result as it is, and where that is a text, with what it states."""
        yield from self.find(arguments, result)
        if type(result) is str and self.reads_texts and not is_command(arguments):
            stated = data_of(result)
            if stated is not None:
                yield from (one._replace(path="") for one in self.find(arguments, stated))

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each finding as a violation; none by a clause that takes the rule back."""
        if clause.params == OFF:
            return
        for path, expected, observed, detail in self.findings(arguments, result):
            yield Violation(self.code, path, clip(expected), clip(observed), clip_text(detail, MAX_DETAIL))

    def validate(self, params: Mapping[str, Json], where: str) -> None:
        """Refuse all but to take the rule back: the clause itself is there without a contract."""
        if params != OFF:
            raise ContractError(
                f"{where}: {self.name!r} is a built-in rule; a contract can only take it back, with {OFF}"
            )

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        if clause.params == OFF:
            return f"not applied, since clean results violate it: {self.sentence}"
        return self.sentence

    def suggest(self, evidence: Any) -> Iterator[Candidate]:
        """Suggest nothing: the clause is there before any evidence."""
        return iter(())

    def fires(self, clause: Clause, evidence: Any) -> Mapping[int, int]:
        """Return nothing: built-in clauses are held against whole calls, not against samples."""
        return {}


def bare(name: str) -> str:
    """Return a name without case and punctuation: `max_results`, `maxResults` and `Max Results` are one."""
    return _short_bare(name) if len(name) <= MAX_NAME else _bare(name)


def _bare(name: str) -> str:
    return "".join([sign for sign in name.lower() if sign.isalnum()])


_short_bare = lru_cache(maxsize=8192)(_bare)


def is_amount(value: Any) -> bool:
    """Say whether a value is a number that can be reckoned with: neither NaN nor infinite, and not too long to be written."""
    return finite(value) and abs(value) < MAX_NUMBER


def is_scalar(value: Json) -> bool:
    """Say whether a value is a text, or a number that can be written."""
    return type(value) is str or (type(value) in (int, float) and abs(value) < MAX_NUMBER)


def argument_texts(arguments: Mapping[str, Json]) -> Iterator[str]:
    """Yield the texts among the arguments, those in their lists too."""
    for value in arguments.values():
        for one in value[:MAX_ROWS] if isinstance(value, list) else (value,):
            if isinstance(one, str):
                yield one


def addresses(arguments: Mapping[str, Json]) -> list[str]:
    """Return the addresses that were asked for; none where something was sent to them."""
    if not SENT.isdisjoint(arguments):
        return []
    texts = [one for one in argument_texts(arguments) if one.startswith(SCHEMES)]
    return texts or [
        v for n, v in arguments.items() if isinstance(v, str) and v and last_word(n) in ADDRESSES
    ]


def is_command(arguments: Mapping[str, Json]) -> bool:
    """Say whether a call runs a command: what that prints is no record of the tool's."""
    return any(isinstance(arguments.get(name), (str, list)) for name in COMMANDS)


def value_of(record: Mapping[str, Any], names: Mapping[str, str], name: str) -> Json:
    """Return the field that goes by a name in some other spelling; None where there is none."""
    return record[names[name]] if name in names else None


def lists_in(result: Json) -> dict[str, list[Any]]:
    """Return the lists at the top of an answer, by path; a wrapper around the answer is looked through."""
    if isinstance(result, list):
        return {"": result}
    path = ""
    for _ in range(MAX_DEPTH):
        if not isinstance(result, dict):
            break
        found = {below(path, str(name)): value for name, value in result.items() if isinstance(value, list)}
        if found:
            return found
        wrapper = next((name for name in WRAPPERS if isinstance(result.get(name), dict)), None)
        if wrapper is None:
            break
        path, result = below(path, wrapper), result[wrapper]
    return {}


def rows_in(result: Json) -> tuple[str, list[dict[str, Any]]]:
    """Return the rows of an answer that is a list of records, and their path; no rows where there is another list beside it."""
    lists = lists_in(result)
    if len(lists) == 1:
        [(path, rows)] = lists.items()
        if rows and all(isinstance(row, dict) for row in rows[:MAX_ROWS]):
            return path, rows[:MAX_ROWS]
    return "", []


def record_in(result: Json) -> tuple[str, Mapping[str, Any]]:
    """Return the record that an answer is, and its path; a wrapper around the answer is looked through."""
    if not isinstance(result, dict):
        return "", {}
    for name in WRAPPERS:
        inner = result.get(name)
        if isinstance(inner, dict) and all(
            not isinstance(v, (dict, list)) for k, v in result.items() if k != name
        ):
            return name, inner
    return "", result


def texts_in(value: Json, path: str = "", depth: int = MAX_DEPTH) -> Iterator[tuple[str, str]]:
    """Yield the texts of a value with their paths, a bounded number of them."""
    if isinstance(value, str):
        yield path, value
    elif depth and isinstance(value, dict):
        for name, item in value.items():
            yield from texts_in(item, below(path, str(name)), depth - 1)
    elif depth and isinstance(value, list):
        for index, item in enumerate(value[:MAX_ROWS]):
            yield from texts_in(item, at_index(path, index), depth - 1)
