"""`reported_failure` and `failed_items`: the result says itself that the call, or a part of it, failed."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.jsonvalue.text import last_word, words
from outcome_monitors.model import Json
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Cause, Traits

from .base import MAX_DEPTH, MAX_ROWS, BuiltIn, Finding, addresses, argument_texts, is_command, value_of
from .reading import ROWS
from .vocabulary import named
from .wording import LONGEST, begins_as_failure, is_negative, refuses, says_failure

SUCCESS_FLAGS = named("success ok succeeded successful issuccess is_success")
FAILURE_FLAGS = named("iserror is_error failed has_error haserror timed_out timedout incomplete_results")
ERRORS = ("error", "errors", "error_message", "errormessage", "exception", "fault")
STATUSES = ("status", "statuscode", "status_code", "code", "http_status", "state")
STATES = named("status state")
FAILED_STATUSES = named("error fail failed failure exception")
FINDINGS = named("valid isvalid is_valid passed")
"""Beside these, errors are what was looked for."""
BODIES = named("body statustext status_text data content")
"""Beside these, a number is the status of an HTTP answer."""
MESSAGES = ("message", "msg", "detail", "details", "reason", "description", "error_description", "info")
NO_ERROR = frozenset(
    {"", "none", "null", "nil", "no error", "no errors", "ok", "success", "n/a", "false", "0", "200"}
)
NO_ARGUMENTS: Mapping[str, Json] = {}
ANSWERS = named("result response output text content answer summary transcript extract translation")
"""Names of fields that a tool fills with what it found out, or with why it did not."""
OUTPUTS = ("stdout", "output", "result", "stderr")
REASONS = ("reason", "message", "detail", "details", "error", "description")
OUTCOMES = named("result status state outcome")
"""Names of fields that say how it went; beside a reason, that it failed."""
MAX_ERROR = 6
"""Fields of an object that is an error and no more."""
WRITTEN = named(
    "processed inserted imported created updated sent saved written uploaded synced succeeded successful"
)
FAILURES = named("failed failures errors rejected")
"""Last words of names of counts: of what was done, and of what was not."""
MAX_LINES = 12
"""Lines of a command's output that is nothing but its refusal."""

_SHELL = re.compile(
    r"""^\s*(?:
      [\w./~+-]+:\s(?:.*:\s)?(?:no\ssuch\sfile\sor\sdirectory|command\snot\sfound|not\sfound|permission\sdenied|is\sa\sdirectory|not\sa\sdirectory
        |(?:illegal|invalid|unrecogni[sz]ed|unknown)\soption.*|missing\soperand.*|cannot\s(?:access|open|stat|create|remove|read|find).*|connection\srefused.*|operation\snot\spermitted.*)
     |(?:/bin/)?(?:ba|z|da)?sh:\s.*|(?:error|fatal|panic)(?:\[\w+\])?:\s.*|npm\serr!.*|traceback\s\(most\srecent\scall.*|\w*(?:Error|Exception):\s.*
    )$""",
    re.IGNORECASE | re.VERBOSE,
)
_HELP = re.compile(
    r"^\s*(?:usage|tip|hint|help|note|try|for more|see|run|did you mean)\b|^\s+\S", re.IGNORECASE
)
_RULE = re.compile(r"\n[ \t]*(?:-{3,}|={3,}|\*{3,})[ \t]*\n")
"""What stands between the parts of a text."""
RULES = ("---", "===", "***")
MAX_TEXT = 100_000
_FRAME = re.compile(
    r"^[ \t]+at [^\s(:]{1,200}.{0,300}[(:][^\s:]{0,300}:\d+\)?$|^[ \t]*File \"[^\"\n]{1,300}\", line \d+|^[ \t]*[^\s:(]{1,300}\.(?:go|rs|rb|php)[:(]\d+",
    re.MULTILINE,
)
MAX_TRACE = 4000
MIN_FRAMES, FRAME_SHARE = 2, 3
"""Calls of a stack trace, and one of how many lines is one."""
MAX_OUTCOME = 4
"""Words of an outcome: `done`, `403 Forbidden`."""
OF_ERRORS = re.compile(r"error|status$|status-?code|not-?found|(?<!\d)[45]\d\d(?!\d)", re.IGNORECASE)
"""What an argument says that asks about errors."""
_TALLY = re.compile(r"\b(\d{1,6})\s(succeeded|successful|failed)\b", re.IGNORECASE)
_EXITED = re.compile(
    r"^\W*(?:\w+\s){0,2}(?:exited|failed|finished|terminated)\swith\s.{0,30}\b[1-9]\d*\W*$", re.IGNORECASE
)
_TIMED_OUT = re.compile(r"^\W*(?:\w+\s){0,3}timed\sout\W*$", re.IGNORECASE)


class ReportedFailure(BuiltIn):
    """The result does not say itself that the call failed."""

    name = "reported_failure"
    of_a_value = True
    reads_texts = False
    code = "failure_reported"
    cause = Cause.FAILURE
    traits = Traits(about="shape", never_normal=True, severity=Severity.CRITICAL, own_words=True)
    sentence = "the result does not say that the call failed"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Look for the fields that say so in an object, and for a text that is nothing but a failure."""
        if isinstance(result, dict):
            found = failure_in(result, arguments) or _printed(result)
            if found is not None:
                field, value = found
                yield Finding(field, "an answer", _shown(value), f"field {field} says that the call failed")
        elif isinstance(result, str):
            words = _refusal(result) if is_command(arguments) else _failure(result)
            if words and not any(OF_ERRORS.search(text) for text in addresses(arguments)):
                yield Finding("", "an answer", words, "the result is the text of a failure")
        elif isinstance(result, list) and result and all(isinstance(one, str) for one in result[:MAX_ROWS]):
            words = _trace("\n".join(result[:MAX_ROWS]))
            if words:
                yield Finding("", "an answer", words, "the result is a stack trace")


class FailedItems(BuiltIn):
    """No part of a result that was delivered as a success has failed."""

    name = "failed_items"
    code = "item_failed"
    cause = Cause.FAILURE
    traits = Traits(about="shape", never_normal=True, severity=Severity.HIGH, own_words=True)
    sentence = "no item of the result has failed"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Look at the items of each list and mapping, and at the lines that begin with what was asked for."""
        if isinstance(result, (dict, list)):
            yield from _failed_of(arguments, result)
            if isinstance(result, dict) and failure_in(result) is not None:
                return
            items = [(path, item, _item_failure(item)) for path, item in _items(result)]
            asked = {*argument_texts(arguments)}
            # Where all have one, errors may be what was asked for.
            some = sum(found is not None for _, _, found in items) < len(items)
            for path, item, found in items:
                sure = found is not None and (found[0] in SUCCESS_FLAGS or found[0] in OUTCOMES)
                if found is not None and (some or sure or _was_asked(item, asked)):
                    field, value = found
                    yield Finding(
                        below(path, field), "an item that succeeded", _shown(value), f"{path} has failed"
                    )
            yield from _failed_outcomes(result)
        elif isinstance(result, str):
            yield from _failed_lines(arguments, result)
            yield from _failed_of(
                arguments, {found[2]: int(found[1]) for found in _TALLY.finditer(result[:LONGEST])}
            )
            if is_command(arguments):
                return
            ruled = any(result.find(rule, 0, MAX_TEXT) > 0 for rule in RULES)
            parts = _RULE.split(result[:MAX_TEXT]) if ruled else []
            failed = [part for part in parts if says_failure(part)]
            if 0 < len(failed) < len(parts):
                words = clip_text(failed[0].strip())
                yield Finding(
                    "", "a part that succeeded", words, "a part of the result is the text of a failure"
                )


def failure_in(
    result: Mapping[str, Any], arguments: Mapping[str, Json] = NO_ARGUMENTS
) -> tuple[str, Json] | None:
    """Return the field by which an object says that the call failed, with its value; None where it does not."""
    names = {name.lower(): name for name in result if isinstance(name, str)}
    for flag in sorted(SUCCESS_FLAGS & names.keys()):
        denied = result[names[flag]] is False or _is_word(result[names[flag]], {"false", "no"})
        if denied and not _has_findings(result):
            return names[flag], result[names[flag]]
    for flag in sorted(FAILURE_FLAGS & names.keys()):
        if result[names[flag]] is True:
            return names[flag], True
    for error in ERRORS:
        if (
            error in names
            and _is_error(result[names[error]])
            and not _is_of_a_thing(names, result, arguments)
        ):
            return names[error], result[names[error]]
    message = next((names[name] for name in MESSAGES if isinstance(value_of(result, names, name), str)), None)
    told = [value for value in result.values() if not _is_empty(value)]
    for status in STATUSES:
        value = value_of(result, names, status)
        by_http = _is_http_error(value)
        # Problem details (RFC 9457) have a title in place of a message.
        says_what = (
            message is not None
            or (by_http and status != "code" and not names.keys().isdisjoint({"title", *BODIES}))
            or len(told) == 1
        )
        if (by_http or _is_word(value, FAILED_STATUSES)) and says_what and not _names_a_thing(names):
            return names[status], value
    said = result[message] if message is not None and len(told) == 1 else ""
    if message is not None and (says_failure(said) or refuses(arguments, said)):
        return message, said
    if not _names_a_thing(names):
        for name in sorted(ANSWERS & names.keys()):
            answer = result[names[name]]
            if isinstance(answer, str) and begins_as_failure(answer):
                return names[name], answer
    return None


def _has_findings(result: Mapping[str, Any]) -> bool:
    """Say whether there is a list of what was found: then the flag is a verdict, and no failure."""
    return any(
        isinstance(value, list)
        and any(isinstance(one, dict) for one in value)
        and "err" not in str(name).lower()
        for name, value in result.items()
    )


def _printed(result: Mapping[str, Any]) -> tuple[str, Json] | None:
    """Return the field of a command's output that is a refusal or a stack trace, and nothing else was printed."""
    printed = [
        (name, result[name]) for name in OUTPUTS if isinstance(result.get(name), str) and result[name].strip()
    ]
    if len(printed) != 1 or not {"stdout", "stderr", "exit_code", "output"} & result.keys():
        return None
    [(name, text)] = printed
    return (
        (name, text)
        if _refusal(text) or text.lstrip().startswith("Traceback (most recent call last")
        else None
    )


def _is_of_a_thing(
    names: Mapping[str, str], result: Mapping[str, Any], arguments: Mapping[str, Json]
) -> bool:
    """Say whether an error is part of what was asked about: a job that failed, or a check that found something."""
    if not FINDINGS.isdisjoint(names):
        return True
    asked = [value for value in arguments.values() if isinstance(value, (str, int))]
    return not STATES.isdisjoint(names) and any(
        value in asked
        for name, field in names.items()
        if name.endswith("id") and isinstance(value := result[field], (str, int))
    )


def _item_failure(item: Json) -> tuple[str, Json] | None:
    if not isinstance(item, dict):
        return None
    names = {name.lower(): name for name in item if isinstance(name, str)}
    for flag in sorted(SUCCESS_FLAGS & names.keys()):
        if item[names[flag]] is False:
            return names[flag], False
    for error in ("error", "error_message"):
        value = value_of(item, names, error)
        if isinstance(value, (str, dict)) and _is_error(value):
            return names[error], value
    reason = next((n for n in REASONS if isinstance(value_of(item, names, n), str) and item[names[n]]), "")
    for name, field in (
        names.items() if reason and len(item) < MAX_ERROR and not _names_a_thing(names) else ()
    ):
        if name in OUTCOMES and (_is_word(item[field], FAILED_STATUSES) or _is_http_error(item[field])):
            return field, item[names[reason]]
    for name, field in names.items():
        value = item[field]
        if name in ANSWERS and isinstance(value, str) and begins_as_failure(value) and says_failure(value):
            return field, value
    return None


def _items(result: Json) -> Iterator[tuple[str, Json]]:
    """Yield the items of an answer that is a list, or an object of lists and mappings, with their paths."""
    parts = {"": result} if isinstance(result, list) else result
    if isinstance(result, dict) and all(isinstance(part, dict) for part in result.values()):
        yield from ((below("", str(key)), part) for key, part in result.items())
    for name, part in parts.items():
        if isinstance(part, list):
            yield from (
                (at_index(below("", name) if name else "", index), item)
                for index, item in enumerate(part[:MAX_ROWS])
            )
        elif isinstance(part, dict):
            yield from ((below(below("", name), str(key)), item) for key, item in part.items())


def _was_asked(item: Mapping[str, Any], asked: set[str]) -> bool:
    return any(isinstance(value, str) and value in asked for value in item.values())


def _failed_lines(arguments: Mapping[str, Json], text: str) -> Iterator[Finding]:
    """Yield the lines that begin with an item that was asked for, and say that it failed."""
    if not any(isinstance(value, list) for value in arguments.values()):
        return
    asked = {*argument_texts(arguments)}
    for line in text[:MAX_TEXT].splitlines()[:MAX_ROWS]:
        item, colon, said = line.partition(": ")
        if colon and item.strip() in asked and says_failure(said):
            yield Finding("", "an item that succeeded", clip_text(line.strip()), f"{item.strip()} has failed")


def _failed_outcomes(result: Json) -> Iterator[Finding]:
    """Yield the lines of a list of outcomes, `- name: done`, that say another thing than the others: that it failed."""
    rows = result.get(ROWS) if isinstance(result, dict) else None
    titles = [row.get("title") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    said = [one.rpartition(": ") for one in titles[:MAX_ROWS] if isinstance(one, str) and ": " in one]
    if not 1 < len(said) == len(titles):
        return
    failed = [(item, words) for item, _, words in said if says_failure(words)]
    brief = all(words.count(" ") < MAX_OUTCOME for *_, words in said)
    if len(failed) < len(said) and brief:
        for item, words in failed:
            yield Finding("", "an item that succeeded", words, f"{item} has failed")


def _failed_of(arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
    """Hold how many of those that were asked for, or of the shards of a search, were done against how many failed."""
    if not isinstance(result, dict):
        return
    asked = [len(value) for value in arguments.values() if isinstance(value, list)]
    for path, part in {"": result, "_shards": result.get("_shards")}.items():
        if not isinstance(part, dict):
            continue
        counts = {name: v for name, v in part.items() if isinstance(name, str) and type(v) is int and v > 0}
        done = [value for name, value in counts.items() if not WRITTEN.isdisjoint(words(name))]
        for name, failed in counts.items():
            if last_word(name) not in FAILURES:
                continue
            whole = any(failed + one in (*asked, *counts.values()) for one in done)
            if whole or (path and done):
                yield Finding(below(path, name), 0, failed, f"{failed} have failed")


def _failure(text: str) -> str:
    return clip_text(text.strip()) if _timed_out(text) or says_failure(text) else _trace(text)


def _trace(text: str) -> str:
    """Return the line above a stack trace that is most of a text."""
    head = text[:MAX_TRACE]
    frames = [*_FRAME.finditer(head)] if ":" in head else []
    if len(frames) < MIN_FRAMES or FRAME_SHARE * len(frames) < len(head.split("\n")):
        return ""
    above = text[: frames[0].start()].strip().splitlines()
    return clip_text(above[-1] if above else frames[0][0])


def _timed_out(text: str) -> bool:
    return len(text) <= LONGEST and _TIMED_OUT.match(text) is not None


def _refusal(text: str) -> str:
    """Return the first line of a command's output that is nothing but a refusal: its exit status was lost."""
    if _timed_out(text):
        return text.strip()
    lines = [line for line in text.strip().splitlines()[: MAX_LINES + 1] if line.strip()]
    if len(lines) > 1 and _EXITED.match(lines[0]):
        lines = lines[1:]
    if not lines or len(lines) > MAX_LINES or not _SHELL.match(lines[0]):
        return ""
    return lines[0].strip() if all(_SHELL.match(line) or _HELP.match(line) for line in lines) else ""


def _is_error(value: Json, depth: int = MAX_DEPTH) -> bool:
    """Say whether a field that bears errors bears one."""
    if isinstance(value, str):
        return value.strip().lower() not in NO_ERROR and not (len(value) < 40 and is_negative(value))
    if isinstance(value, dict):
        return (
            not _is_empty(value) and depth > 0 and any(_is_error(item, depth - 1) for item in value.values())
        )
    if isinstance(value, list):
        return depth > 0 and any(_is_error(item, depth - 1) for item in value[:MAX_ROWS])
    return value is True or (type(value) is int and value != 0)


def _is_empty(value: Json, depth: int = MAX_DEPTH) -> bool:
    return not value or (
        isinstance(value, dict) and depth > 0 and all(_is_empty(item, depth - 1) for item in value.values())
    )


def _is_word(value: Json, words: frozenset[str] | set[str]) -> bool:
    return isinstance(value, str) and value.strip().lower() in words


def _is_http_error(value: Json) -> bool:
    if isinstance(value, str):
        return len(value) == 3 and value.isdecimal() and value[0] in "45"
    return type(value) is int and 400 <= value <= 599


def _names_a_thing(names: Mapping[str, str]) -> bool:
    """Say whether an object is about a thing with an identity: the status of a job that failed is its state, not the call's."""
    return any(
        name == "id" or name.endswith(("_id", "id_")) or name in {"uuid", "key", "number"} for name in names
    )


def _shown(value: Json) -> Json:
    if isinstance(value, dict):
        texts = [item for item in value.values() if isinstance(item, str) and item]
        return texts[0] if texts else value
    if isinstance(value, list):
        first = value[0] if value else None
        return first if isinstance(first, list) else _shown(first)
    return value
