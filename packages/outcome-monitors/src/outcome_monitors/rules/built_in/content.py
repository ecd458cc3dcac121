"""`missing_content`: a page, a placeholder or nothing at all stands where the content should."""

import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.jsonvalue.text import words
from outcome_monitors.model import Json
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Cause, Traits

from .base import BuiltIn, Finding, addresses, bare, is_amount, is_command, lists_in, record_in, rows_in
from .page import own_address, page_without_content
from .vocabulary import QUESTIONS, named

LONGEST_PLACEHOLDER = 200
"""Characters of a text that stands for content."""
MAX_ASKED = 100
MIN_EMPTY = 3
"""Fields that do not happen to be empty together."""
MIN_TEXT = 30
CONTENTS = named("content text body markdown html transcript pagecontent rawcontent extractedtext fulltext")
"""Names of fields that are what was asked for."""
LINKS = named("url link imageurl videourl audiourl fileurl downloadurl")
SIZES = named(
    "pages pagecount numpages totalpages words wordcount characters length size bytes filesize lines"
)
"""Names of numbers that say how much content there is."""
ABOUT_THE_CALL = named(
    "ok success status error errors message warnings code time timestamp ts took elapsed requestid duration stdout stderr exitcode"
)
"""Names of fields that are of the call, and no answer."""
PRICES = named("price open high low close last bid ask previousclose prevclose o h l c pc")
"""Names of amounts that are not zero all at once."""
_PLACEHOLDER = re.compile(
    r"^\W*(?:loading(?:\s\w+)?|please\swait.{0,60}|redirecting(?:\s.{0,60})?|initiali[sz]ing|fetching(?:\sdata)?|coming\ssoon|under\sconstruction|placeholder(?:\s\w+)?|lorem\sipsum.*"
    r"|todo|tbd|undefined|nan|\[object\sobject\]|mock(?:ed)?\s(?:data|response|result).{0,40}|(?:sample|dummy|test|example)\s(?:data|response|content|text)|not\s(?:yet\s)?implemented(?:\syet)?)\W*$",
    re.IGNORECASE | re.DOTALL,
)
_DOCUMENT = re.compile(r"\s*<(?:!doctype\s)?html\b", re.IGNORECASE)
_NOTHING = re.compile(
    r"(?:n/?a|unknown|undefined|not\savailable|null|none|nan|\?|[-\u2013\u2014]{1,3})(?:\s?[%°]?\s?[a-z]{0,2}(?:/[a-z]{1,2})?)?",
    re.IGNORECASE,
)
"""What is written in the place of a value that is not there, with its unit."""
LONGEST_NOTHING = len("not available")


class MissingContent(BuiltIn):
    """There is content, not a placeholder, an error page, a sign-in form or a page without text."""

    name = "missing_content"
    code = "content_missing"
    cause = Cause.NO_ANSWER
    traits = Traits(about="shape", never_normal=True, severity=Severity.CRITICAL, own_words=True)
    sentence = "there is content in the place of a placeholder, an error page or a sign-in form"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Look at a text, at the fields of an object that hold one, and at an object that has nothing of its own."""
        asked = addresses(arguments)
        address = asked[0] if asked else ""
        if isinstance(result, str):
            # Of a page that was turned, or of an answer to a question about it, not every part has a word of its address.
            whole = bool(address) and not any(QUESTIONS.intersection(words(name)) for name in arguments)
            what = _not_content(address or own_address(result), result, whole=whole)
            if what:
                yield Finding("", "the content", clip_text(result.strip()), f"the result is {what}")
        elif isinstance(result, (dict, list)):
            path, record = record_in(result)
            for where, part in {"": result if isinstance(result, dict) else {}, path: record}.items():
                yield from _fields(address, where, part)
            yield from _nothing_else(arguments, path, record)
            for path, rows in lists_in(result).items() if asked else ():
                for index, row in enumerate(rows[:MAX_ASKED]):
                    values = row.values() if isinstance(row, dict) else ()
                    of = next((one for one in values if isinstance(one, str) and one in asked), "")
                    yield from _fields(of, at_index(path, index), row) if of else ()
            yield from _blank_rows(*rows_in(result))


def _fields(address: str, path: str, record: Mapping[str, Any]) -> Iterator[Finding]:
    """Look at the fields that hold a text, and at what stands beside them about it."""
    for name, value in record.items():
        if not isinstance(name, str) or not isinstance(value, str):
            continue
        where, short = below(path, name), bare(name)
        if _DOCUMENT.match(value) and (what := page_without_content(address or name, value)):
            yield Finding(where, "the content", clip_text(value), f"field {where} is {what}")
        elif short in CONTENTS:
            what = _not_content(address, value, whole=True)
            size = next(
                (f"{n} {v}" for n, v in record.items() if is_amount(v) and v > 0 and bare(str(n)) in SIZES),
                "",
            )
            if what and value.strip():
                yield Finding(where, "the content", clip_text(value.strip()), f"field {where} is {what}")
            elif not value.strip() and (address or size):
                yield Finding(
                    where, "the content", "", f"field {where} is empty{size and ', in spite of '}{size}"
                )
        elif (
            short in LINKS
            and not value
            and record.get("success", record.get("status")) in (True, "success", "ok")
        ):
            yield Finding(where, "an address", "", f"field {where} is empty")
    about = record.get("metadata") if address else None
    status = about.get("statusCode", about.get("status_code")) if isinstance(about, dict) else None
    if type(status) is int and status >= HTTPStatus.BAD_REQUEST:
        where = below(below(path, "metadata"), "statusCode")
        yield Finding(where, "the content", status, "the page is that of an error")


def _nothing_else(arguments: Mapping[str, Json], path: str, record: Mapping[str, Any]) -> Iterator[Finding]:
    """Look for a record that has nothing of its own but what was asked for."""
    asked = [value for value in arguments.values() if isinstance(value, str) and value]
    own = {
        name: value
        for name, value in record.items()
        if value not in asked
        and bare(str(name)) not in ABOUT_THE_CALL
        and not isinstance(value, (bool, dict, list))
    }
    if len(own) < MIN_EMPTY or is_command(arguments):
        return
    others = [value for value in record.values() if isinstance(value, (bool, dict, list))]
    said = [value for value in own.values() if not is_nothing(value)]
    zeros = sum(bare(str(name)) in PRICES for name in own) >= MIN_EMPTY or len(said) < len(own)
    if not any(others) and not (any(said) if zeros else said):
        yield Finding(path, "an answer", sorted(map(str, own)), "the result has no value that says something")


def is_nothing(value: Json) -> bool:
    """Say whether a value is none: empty, or what is written in its place."""
    if isinstance(value, str):
        return not value.strip() or (
            len(value) <= LONGEST_NOTHING and bool(_NOTHING.fullmatch(value.strip()))
        )
    return value is None


def _blank_rows(path: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Look for a list of texts or of addresses that are all blank."""
    for name in rows[0] if rows else ():
        if not isinstance(name, str) or bare(name) not in (CONTENTS | LINKS if len(rows) > 1 else LINKS):
            continue
        texts = [
            value for row in rows for field, value in row.items() if field != name and isinstance(value, str)
        ]
        blank = all(isinstance(value := row.get(name), str) and not value.strip() for row in rows)
        if blank and not any(len(text) > (MIN_TEXT if bare(name) in CONTENTS else 0) for text in texts):
            where = below(at_index(path, 0), name)
            yield Finding(where, "the content", "", f"field {name} is empty in all {len(rows)} items")


def _not_content(address: str, text: str, *, whole: bool = False) -> str:
    """Say what a text is that is no content; empty where it is some."""
    head = text[:LONGEST_PLACEHOLDER].strip()
    if len(text) < LONGEST_PLACEHOLDER and _PLACEHOLDER.match(head):
        return "a placeholder"
    if not address:
        return ""
    return page_without_content(address, text, whole=whole) if head else "" if text.strip() else "empty"
