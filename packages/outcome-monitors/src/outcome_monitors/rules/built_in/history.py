"""What earlier calls of a session prove of each other: a write that was lost, an answer that was wrong.

The proof often comes with a later call. A finding therefore stands at the result that proves it and says which earlier call it
is about. Of each call only a bounded summary is kept, and of a session the last `MAX_CALLS` of them.
"""

import json
import re
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any

from outcome_monitors.features.tool_names import action_of, may_write, named_action
from outcome_monitors.jsonvalue.canonical import PLAIN
from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.text import last_word, words
from outcome_monitors.jsonvalue.times import comparable, when
from outcome_monitors.model import Json, Violation

from .agreement import Agreement, Disagreement, FilterCounts, Read, read_of, singulars, stated
from .base import MAX_DETAIL, MAX_NUMBER, bare, is_amount, is_scalar, lists_in, record_in, value_of
from .failure import failure_in
from .proofs import PROOFS
from .truncated import is_cut
from .vocabulary import QUESTIONS, named
from .wording import is_negative, says_failure

MAX_CALLS = 256
MAX_NAMES = 400
"""Names and ids that are kept of one result."""
MAX_TEXT = 120
"""Characters of a name or an id."""
MIN_BODY = 200
"""Characters of an answer that two questions do not have in common by chance."""
MIN_FIGURES = 4
"""Numbers in a shorter one."""
MAX_BODY = 100_000
MAX_VALUES = 5000
MAX_LEVELS = 50
"""A larger answer is not compared with others."""
MIN_NAME = 5
MIN_ID = 3
DIFFERENT = QUESTIONS | named("prompt text id name title symbol ticker city location url path user username")
"""Last words of names of arguments another value of which is another question."""
VERSIONS = tuple(
    "updated_at updatedat last_updated lastupdated modified_at modified last_modified version revision updated".split()  # noqa: SIM905 - words read better as words
)
_UNKNOWN = re.compile(
    r"not\sfound|no\ssuch|(?:does\snot|doesn'?t|do\snot|don'?t)\sexist|unknown|\binvalid\b|\bnot\sa\svalid\b|cannot\sfind|could\snot\sfind"
    r"|\bno\s(?:\w+\s){1,3}(?:is|are|was|were|has|have|currently|loaded|open|available|generated|created|found|selected|active|exists?)\b"
    r"|\bnot\s(?:loaded|open|initiali[sz]ed|generated|created|registered)\b|:\s*\[\]",
    re.IGNORECASE,
)
_GONE = re.compile(r"delet|remov|archiv|trash|cancel|inactiv|closed|revoked|expired", re.IGNORECASE)
_EXISTS = re.compile(
    r"already\s(?:exists?|registered|taken|in\suse|present)|duplicate|must\sbe\sunique|conflict",
    re.IGNORECASE,
)
_LISTED_ID = re.compile(
    r"(?:^|[\s(\[])(?:\w+\s)?ID[:=]\s*([\w-]{3,80})|^(?=[\w-]*\d)([A-Za-z][\w-]{2,80})\s.*",
    re.IGNORECASE | re.MULTILINE,
)
"""What a text names: behind `ID:`, or at the beginning of a line."""


_WHICH = named("by for in with from of on")
_NAMING = named("id name path uuid key slug title file filename")
"""Last words of names of fields that name a thing."""
MAX_LISTED = 10
"""Items of a list that is surely not one page of several."""
MAX_SHOWN = 5000
_FIGURE = re.compile(r"\d+")

Proof = tuple[str, Violation]
"""The name of a kind, and what is wrong."""
_CODES = {kind.name: kind.code for kind in PROOFS}


@dataclass(slots=True)
class _Call:
    """What is kept of one call."""

    number: int
    tool: str
    server: str
    action: str
    nouns: frozenset[str]
    arguments: Mapping[str, str]
    ids: frozenset[str]
    """What names the thing that the call was about, in its arguments or its result."""
    bodies: frozenset[int]
    """Hashes of a long answer: as it is, and without what merely repeats the question."""
    failed: bool
    empty: bool
    names: frozenset[str] = frozenset()
    """What a call made, by the names and ids that a list would show: those it gave, and those it got."""


class History:
    """The calls of one session, summed up; bounded."""

    def __init__(self, counts: FilterCounts | None = None) -> None:
        self._calls: deque[_Call] = deque(maxlen=MAX_CALLS)
        self._versions: OrderedDict[tuple[str, str], tuple[int, str, Any]] = OrderedDict()
        self._agreement = Agreement(counts or FilterCounts())
        self._number = -1

    def observe(
        self, tool: str, arguments: Mapping[str, Json], result: Json, *, failed: bool = False
    ) -> list[Proof]:
        """Return what a call and the earlier ones prove of each other, and keep a summary of it."""
        self._number += 1
        message = _message(result)
        failed = failed or _has_failed(arguments, result)
        call = _summary(self._number, tool, arguments, result, failed=failed)
        found: list[Proof] = []
        if failed and message:
            found += self._unknown(call, message)
            found += self._exists(call, message)
            if not found:
                found += _disagreeing(call, self._agreement.failed(call.server, arguments, message))
        elif not failed:
            found += self._repeated(call)
            found += self._deleted(call)
            found += self._missing(call, arguments, result)
            found += self._older(call, result)
            if may_write(tool):
                self._agreement.written(call.number, tool, call.server, arguments)
            else:
                read = read_of(call.number, tool, call.server, call.nouns, arguments, result)
                found += _disagreeing(call, self._agreement.observe(read))
        self._calls.append(call)
        return found

    def _unknown(self, call: _Call, message: str) -> Iterator[Proof]:
        """Yield the write that a call knows nothing of, or the answer that gave an id nobody knows."""
        if not _UNKNOWN.search(message):
            return
        low = message.casefold()
        gone: set[str] = set()
        for earlier in reversed(self._calls):
            if earlier.server != call.server or earlier.failed:
                continue
            if earlier.action == "delete":
                gone |= earlier.ids
                if earlier.nouns & call.nouns:
                    return
                continue
            named = {name for name in earlier.ids if name.casefold() in low} - gone
            asked = earlier.ids & frozenset(call.arguments.values()) - gone
            if not named and _names_another(call, earlier, low):
                continue
            noun = next(
                (noun for noun in sorted(earlier.nouns) if re.search(rf"\b{re.escape(noun)}s?\b", low)), ""
            )
            if earlier.action in _MAKES and (
                named or (noun and (asked or re.search(rf"\bno\s(?:\w+\s)?{re.escape(noun)}", low)))
            ):
                what = min(sorted(named or asked or {noun}), key=len)
                detail = f"{_ago(earlier, call)} reported success, and {call.tool} knows nothing of it"
                yield _proof("lost_write", earlier.number, what, message, detail)
                return

    def _missing(self, call: _Call, arguments: Mapping[str, Json], result: Json) -> Iterator[Proof]:
        """Yield the write of what is not in a whole list of such things, or not found by the very name it was given."""
        if may_write(call.tool) or not self._calls:
            return
        shown = _whole_list(call, arguments, result)
        for earlier in reversed(self._calls):
            if earlier.server != call.server or earlier.failed or earlier.action not in _CHANGES:
                continue
            if earlier.action != "create":
                return
            asked = {value for value in call.arguments.values() if len(value) >= MIN_NAME}
            sought = asked & earlier.names if call.empty else frozenset[str]()
            absent = (
                shown is not None and _is_of(call, earlier) and not any(n in shown for n in earlier.names)
            )
            if sought or (absent and earlier.names):
                what = min(sorted(sought or earlier.names), key=len)
                detail = f"{_ago(earlier, call)} reported success, and {call.tool} does not show it"
                yield _proof("lost_write", earlier.number, what, "none", detail)
                return

    def _exists(self, call: _Call, message: str) -> Iterator[Proof]:
        """Yield the search that found nothing of what exists."""
        if not _EXISTS.search(message):
            return
        names = {value.casefold() for value in call.arguments.values() if len(value) >= MIN_NAME}
        for earlier in reversed(self._calls):
            asked = {value.casefold() for value in earlier.arguments.values() if len(value) >= MIN_NAME}
            if earlier.server == call.server and earlier.empty and asked & names:
                what = min(asked & names)
                detail = f"{_ago(earlier, call)} answered that there is none; this shows that there is"
                yield _proof("false_empty", earlier.number, what, message, detail)
                return

    def _repeated(self, call: _Call) -> Iterator[Proof]:
        """Yield the call that got the same long answer to another question."""
        if not call.bodies or call.action in _MAKES:
            return
        for earlier in reversed(self._calls):
            if earlier.tool != call.tool or not earlier.bodies & call.bodies or earlier.failed:
                continue
            names = {*earlier.arguments, *call.arguments}
            differ = [name for name in names if earlier.arguments.get(name) != call.arguments.get(name)]
            if (
                len(differ) == 1
                and last_word(differ[0]) in DIFFERENT
                and _other(earlier.arguments.get(differ[0]), call.arguments.get(differ[0]))
            ):
                name = differ[0]
                expected = f"another answer for {name} {call.arguments[name]}"
                observed = f"the answer for {name} {earlier.arguments[name]}"
                detail = f"this is what {_ago(earlier, call)} answered to another question"
                # Which of the two is wrong, if not both, nobody can say.
                yield _proof("repeated_answer", None, expected, observed, detail)
                yield _proof("repeated_answer", earlier.number, expected, observed, detail)
                return

    def _deleted(self, call: _Call) -> Iterator[Proof]:
        """Yield the deletion of what is still there."""
        if may_write(call.tool):
            return
        for earlier in reversed(self._calls):
            if earlier.server != call.server or earlier.failed:
                continue
            if earlier.action in _MAKES:
                return
            if earlier.action == "delete":
                gone = {value for value in earlier.arguments.values() if len(value) >= MIN_NAME}
                still = gone & call.ids - set(call.arguments.values())
                if still and "\0gone" not in call.ids:
                    what = min(still)
                    detail = f"{_ago(earlier, call)} reported it gone, and it is still there"
                    yield _proof("deleted_shown", earlier.number, f"no {what}", what, detail)
                return

    def _older(self, call: _Call, result: Json) -> Iterator[Proof]:
        """Yield the call that showed a later version of the same thing."""
        record = record_in(result)[1]
        names = {name.lower(): name for name in record if isinstance(name, str)}
        things = (_short(value_of(record, names, name)) for name in ("id", "uuid", "key"))
        thing = next(filter(None, things), "")
        field = next((names[name] for name in VERSIONS if _short(value_of(record, names, name))), None)
        if not thing or field is None:
            return
        key, version = (call.server, thing), record[field]
        before = self._versions.get(key)
        if before is not None and before[1] == field and _is_before(version, before[2]):
            detail = f"{field} is older than what the session has had"
            yield _proof("stale_version", None, f"not before {before[2]}", version, detail, field)
            return
        self._versions[key] = (call.number, field, version)
        if len(self._versions) > MAX_CALLS:
            self._versions.popitem(last=False)


def _ago(earlier: "_Call | Read", call: _Call) -> str:
    """Name an earlier call by how long ago it was."""
    calls = call.number - earlier.number
    return f"{earlier.tool} ({calls} call{'' if calls == 1 else 's'} ago)" if calls else earlier.tool


def _disagreeing(call: _Call, found: Iterator[Disagreement]) -> Iterator[Proof]:
    """Yield what the answers of a session say of each other as proofs."""
    for kind, about, earlier, expected, observed, detail in found:
        told = f"{_ago(earlier, call)} {detail}"
        yield _proof(kind, about if about != call.number else None, expected, observed, told)


def _proof(
    kind: str, about: int | None, expected: Json, observed: Json, detail: str, path: str = ""
) -> Proof:
    return kind, Violation(
        _CODES[kind], path, clip(expected), clip(observed), clip_text(detail, MAX_DETAIL), about=about
    )


_MAKES = frozenset({"create", "update", "send"})
_CHANGES = _MAKES | {"delete", "run"}


def _names_another(call: _Call, earlier: _Call, message: str) -> bool:
    """Say whether a message names something that was asked for, which is not what the earlier call made."""
    said = {
        value for value in call.arguments.values() if len(value) >= MIN_ID and value.casefold() in message
    }
    return bool(said) and not said & earlier.ids


def _is_of(call: _Call, earlier: _Call) -> bool:
    """Say whether a list is of the things that an earlier call made one of: asked without conditions, or of the folder that it is in."""
    folders = [path.rpartition("/")[0] for path in earlier.arguments.values() if "/" in path]
    if call.arguments:
        return all(value.rstrip("/") in folders for value in call.arguments.values())
    return bool(call.nouns) and singulars(call.nouns) == singulars(earlier.nouns)


def _whole_list(call: _Call, arguments: Mapping[str, Json], result: Json) -> str | None:
    """Return a list as it is written, where it is short and nothing says that there is more."""
    listed = "list" in words(call.tool) and (isinstance(result, str) or len(lists_in(result)) == 1)
    if not listed or len(arguments) != len(call.arguments) or is_cut(result) or not is_small(result):
        return None
    shown = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    items = shown.count("\n") if isinstance(result, str) else max(map(len, lists_in(result).values()))
    return shown if len(shown) < MAX_SHOWN and items < MAX_LISTED else None


def _made(earlier: str, arguments: Mapping[str, str], ids: Iterable[str]) -> frozenset[str]:
    """Return the names of what a call made."""
    if earlier != "create":
        return frozenset()
    given = [value.rpartition("/")[2] for name, value in arguments.items() if last_word(name) in _NAMING]
    return frozenset(name for name in (*given, *ids) if len(name) >= MIN_NAME)


def _summary(number: int, tool: str, arguments: Mapping[str, Json], result: Json, *, failed: bool) -> _Call:
    # A name without a server stands beside others of the same server.
    server, name = next((tool.rsplit(mark, 1) for mark in (".", "__", "/", ":") if mark in tool), ("", tool))
    # What follows says which of them: `list_orders_by_customer` is of orders.
    parts = [*takewhile(lambda word: word not in _WHICH, words(name))]
    action = named_action(name) or ""
    nouns = frozenset(word for word in parts if action_of(word) is None and len(word) > 2)
    asked = {key: text for key, value in islice(arguments.items(), MAX_NAMES) if (text := _short(value))}
    # What a nested argument names was there before the call: a coupon that was paid with.
    given = {
        text for value in arguments.values() if isinstance(value, (dict, list)) for text in _ids_in(value)
    }
    named = [text for text in asked.values() if len(text) >= MIN_ID]
    ids = frozenset([*_ids_in(result), *named]) - given
    bodies = frozenset() if failed else frozenset(_bodies(arguments, result))
    made = _made(action, asked, [*_own_ids(result), *given])
    return _Call(number, tool, server, action, nouns, asked, ids, bodies, failed, _is_empty(result), made)


def _own_ids(result: Json) -> list[str]:
    """Return the ids and names of the one thing that a result is; none where it is a list."""
    record = record_in(stated(result))[1]
    named = [
        _short(value)
        for name, value in record.items()
        if isinstance(name, str) and last_word(name) in _NAMING
    ]
    return named if not lists_in(result) else []


def _ids_in(result: Json) -> Iterator[str]:
    """Yield what names things in a result: fields that end in an id, a name or a path, and ids in texts."""
    if isinstance(result, str):
        found = islice(_LISTED_ID.finditer(result[:20_000]), MAX_NAMES)
        yield from (one[1] or one[2] for one in found if not _GONE.search(one[0]))
        return
    count = 0
    stack: list[Json] = [result]
    while stack and count < MAX_NAMES:
        value = stack.pop()
        if isinstance(value, dict):
            for name, item in value.items():
                if count == MAX_NAMES:
                    return
                if isinstance(item, (dict, list)):
                    stack.append(item)
                elif isinstance(name, str) and (text := _short(item)) and last_word(name) in _NAMING:
                    count += 1
                    yield text
                elif (
                    isinstance(name, str)
                    and name.lower() in {"status", "state", "deleted", "archived"}
                    and (item is True or _GONE.search(_short(item)))
                ):
                    yield "\0gone"
        elif isinstance(value, list):
            stack.extend(value[:MAX_NAMES])


def _short(value: Json) -> str:
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else ""
    return str(value) if is_scalar(value) else ""


def _message(result: Json) -> str:
    """Return what a result says in words, where it says no more."""
    if isinstance(result, str):
        return result[:600]
    if isinstance(result, dict):
        for name in ("error", "message", "msg", "detail"):
            value = result.get(name)
            if isinstance(value, dict):
                value = value.get("message")
            if isinstance(value, str):
                return value[:600]
    return ""


def _has_failed(arguments: Mapping[str, Json], result: Json) -> bool:
    if isinstance(result, dict):
        return failure_in(result, arguments) is not None
    return isinstance(result, str) and says_failure(result)


def _is_empty(result: Json) -> bool:
    """Say whether a result says that there is nothing."""
    if isinstance(result, str):
        return len(result) < MIN_BODY and (not result.strip() or is_negative(result))
    lists = lists_in(result)
    return (bool(lists) and not any(lists.values())) or result in ({}, None)


def _bodies(arguments: Mapping[str, Json], result: Json) -> Iterator[int]:
    """Yield hashes of a long answer; none of a short one."""
    if isinstance(result, str):
        text = result[:MAX_BODY]
    elif is_small(result):
        if isinstance(result, dict):
            result = {name: value for name, value in result.items() if name not in arguments}
        text = json.dumps(result, ensure_ascii=False, sort_keys=True)
    else:
        return
    if not _is_telling(text):
        return
    yield hash(text)
    for value in arguments.values():
        if isinstance(value, str) and value:
            text = text.replace(value, "").replace(json.dumps(value, ensure_ascii=False)[1:-1], "")
    if _is_telling(text):
        yield hash(text)


def _is_telling(text: str) -> bool:
    """Say whether a text is so long, or has so many numbers, that two questions do not have it in common by chance."""
    return len(text) >= MIN_BODY or (
        len(text) >= MIN_FIGURES * 15 and len(_FIGURE.findall(text)) >= MIN_FIGURES
    )


def is_small(value: Json) -> bool:
    """Say whether a result can be written out at no cost to speak of."""
    stack, count = [(value, 0)], 0
    while stack:
        one, depth = stack.pop()
        count += 1
        if (
            count > MAX_VALUES
            or depth > MAX_LEVELS
            or type(one) not in PLAIN
            or (type(one) is int and abs(one) >= MAX_NUMBER)
        ):
            return False
        if isinstance(one, dict):
            stack.extend((item, depth + 1) for item in one.values())
        elif isinstance(one, list):
            stack.extend((item, depth + 1) for item in one)
    return True


def _is_before(version: Json, other: Json) -> bool:
    """Say whether a number or a time is before another; other texts have no order: `1.10` comes after `1.9`."""
    if is_amount(version) and is_amount(other):
        return bool(version < other)
    one, two = when(version), when(other)
    return one is not None and two is not None and comparable(one, two) and one < two


def _other(one: str | None, other: str | None) -> bool:
    """Say whether two questions are about different things: neither is a longer wording of the other."""
    if not one or not other:
        return False
    first, second = bare(one), bare(other)
    return first not in second and second not in first
