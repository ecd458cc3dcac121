"""`missing_content`: a page, a placeholder or nothing at all stands where the content should."""

import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.model import Json
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Cause, Mining, Traits

from .base import BuiltIn, Finding, bare, is_amount, record_in, rows_in
from .texts import rows_of
from .vocabulary import named

__all__ = ["CONTENTS", "LINKS", "LONGEST_NOTHING", "MissingContent"]

HEAD = 4000
"""Characters at the beginning of a text that are looked at."""
OPENING = 700
"""Characters in which a page says what it is."""
SHELL = 60
"""Visible characters of a page that is drawn by a script."""
WALL = 1500
"""Characters of a page that does nothing but keep visitors out."""
NOTICE = 500
"""Characters of one that only asks for a browser."""
MAX_HTML = 200_000
MAX_LINE = 100
"""Characters of a line that is a heading."""
MAX_ASKED = 100
MAX_HEADER = 12
"""Lines of what is written above a page."""
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
PRICES = named("price open high low close last bid ask previousclose prevclose o h l c pc")
"""Names of amounts that are not zero all at once."""
SENT = named("body data payload json text content message")
"""Names of arguments by which something is sent to an address."""

_PLACEHOLDER = re.compile(
    r"^\W*(?:loading(?:\s\w+)?|please\swait.{0,60}|redirecting(?:\s.{0,60})?|initiali[sz]ing|fetching(?:\sdata)?|coming\ssoon|under\sconstruction|placeholder(?:\s\w+)?|lorem\sipsum.*"
    r"|todo|tbd|undefined|nan|\[object\sobject\]|mock(?:ed)?\s(?:data|response|result).{0,40}|(?:sample|dummy|test|example)\s(?:data|response|content|text)|not\s(?:yet\s)?implemented(?:\syet)?)\W*$",
    re.IGNORECASE | re.DOTALL,
)
_LOADING = re.compile(
    r"\W*(?:loading|please\swait|redirecting|one\smoment)\b.{0,30}?(?:\.{2,3}|…)\W*", re.IGNORECASE
)
_PHRASES = "|".join(
    sorted(status.phrase.replace(" ", r"\s") for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST)
)
_ERROR_LINE = re.compile(
    rf"\W*(?:(?:page\s)?title:\W*)?(?:(?:error|http)\s)*(?:[45]\d\d\W{{0,4}}(?:(?:{_PHRASES}|page\snot\sfound|error|that\W?s\san\serror)\b.{{0,40}})?|(?:{_PHRASES})|error"
    r"|access\sdenied|attention\srequired!?.{0,20}|just\sa\smoment\.*|page\snot\sfound|robot\scheck)\W*|.*\bchrome-error://.*",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b[45]\d\d\b")
_SIGN_IN = re.compile(
    r"(?:^|\n)\W*(?:title:\s*)?(?:sign\s(?:in|up)|log\s?in|please\s(?:sign|log)\s?in|login\srequired|before\syou\scontinue|we\svalue\syour\sprivacy)[^\n]{0,40}(?:\n|$)",
    re.IGNORECASE,
)
_WALL = re.compile(
    r"(?:enable|turn\son|activate|requires?|allow)\s(?:java\s?script|js\b|cookies)|(?:java\s?script|cookies)\s(?:is|are|must\sbe)\s(?:disabled|required|enabled|not\savailable)"
    r"|(?:checking|verifying)\s(?:if\s)?(?:your\s(?:browser|request|connection)|the\ssite\sconnection)|(?:request|browser|connection)\sis\sbeing\s(?:verified|checked)"
    r"|(?:verify(?:ing)?|confirm(?:ing)?)\s(?:that\s)?you\s?(?:are|\W?re)\s(?:a\s)?(?:human|not\sa)|\b(?:robot\sor\s(?:a\s)?human|are\syou\s(?:a\s)?(?:human|robot)|not\sa\srobot)\b|security\scheck(?:point)?\b"
    r"|\bcaptcha\b|press\s(?:&|and)\shold|unusual\straffic|bot\s(?:detection|protection)",
    re.IGNORECASE,
)
_PASSWORD = re.compile(
    r"type=[\"']?password|forgot\s(?:your\s)?password|remember\sme|create\s(?:an\s)?account|accept\s(?:all\s)?cookies|cookie\spolicy|member-only",
    re.IGNORECASE,
)
_ASKED_TO_SIGN_IN = re.compile(r"log-?in|sign-?(?:in|up)|auth|account|consent|cookie|privacy", re.IGNORECASE)
_UNSEEN = re.compile(r"<!--|<(?:script|style|noscript|svg|title)\b", re.IGNORECASE | re.ASCII)
_ENDS = {
    "<!--": re.compile("-->"),
    **{
        f"<{tag}": re.compile(rf"</{tag}\s*>", re.IGNORECASE | re.ASCII)
        for tag in ("script", "style", "noscript", "svg", "title")
    },
}
_NOTHING = re.compile(r"\b(?:n/a|unknown|undefined|not\savailable|null|none)\b", re.IGNORECASE)
"""What is written in the place of a value that is not there."""
LONGEST_NOTHING = len("not available")
_TAG = re.compile(r"<[^<>]{1,2000}>")
_HTML = re.compile(r"<!doctype html|<html\b", re.IGNORECASE)
_SCHEMES = ("http://", "https://", "file://", "www.")
_URL_LINE = re.compile(
    r"^\W*(?:page\s|current\s|final\s)?(?:url|address|contents\sof)\b\W{0,6}(https?://\S+|chrome-error\S+)",
    re.IGNORECASE | re.MULTILINE,
)
_PAGE = re.compile(r"title|viewport|snapshot|contents\sof", re.IGNORECASE)
_HEADER = re.compile(
    r"^\W*(?:(?:page|final|current|raw)\s)?(?:title|address|url|uri|source|page|state|snapshot|viewport(?:\sposition)?|status|contents\sof\s\S+)\s*(?::.*)?$|^\W*(?:ya?ml|html|markdown)?\W*$",
    re.IGNORECASE,
)


class MissingContent(BuiltIn):
    """There is content, not a placeholder, an error page, a sign-in form or a page without text."""

    name = "missing_content"
    code = "content_missing"
    cause = Cause.NO_ANSWER
    traits = Traits(about="shape", never_normal=True, severity=Severity.CRITICAL, own_words=True)
    mining = Mining(profiles=frozenset())
    sentence = "there is content in the place of a placeholder, an error page or a sign-in form"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Look at a text, at the fields of an object that hold one, and at an object that has nothing of its own."""
        asked = _addresses(arguments)
        address = asked[0] if asked else ""
        if isinstance(result, str):
            address = address or _own_address(result)
            what = _not_content(address, result)
            if what:
                yield Finding("", "the content", clip_text(result.strip()), f"the result is {what}")
            elif len(_NOTHING.findall(result[:WALL])) >= MIN_EMPTY:
                for row in rows_of(result):
                    if len(row) >= MIN_EMPTY and all(map(_is_nothing, row.values())):
                        yield Finding(
                            "", "an answer", sorted(row), "the result has no value that says something"
                        )
        elif isinstance(result, (dict, list)):
            path, record = record_in(result)
            for where, part in {"": result if isinstance(result, dict) else {}, path: record}.items():
                yield from _fields(address, where, part)
            yield from _nothing_else(arguments, path, record)
            path, rows = rows_in(result)
            for index, row in enumerate(rows if asked else ()):
                of = next((one for one in row.values() if isinstance(one, str) and one in asked), "")
                yield from _fields(of, at_index(path, index), row) if of else ()
            yield from _blank_rows(path, rows)


def _fields(address: str, path: str, record: Mapping[str, Any]) -> Iterator[Finding]:
    """Look at the fields that hold a text, and at what stands beside them about it."""
    for name, value in record.items():
        if not isinstance(name, str) or not isinstance(value, str):
            continue
        where, short = below(path, name), bare(name)
        if short in CONTENTS:
            what = _not_content(address, value)
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
    """Look for a record that repeats what was asked for, and has nothing else."""
    asked = [value for value in arguments.values() if isinstance(value, str) and value]
    own = {name: value for name, value in record.items() if value not in asked}
    if len(own) == len(record) or len(own) < MIN_EMPTY:
        return
    empty = all(map(_is_nothing, own.values()))
    zeros = [
        name for name, value in own.items() if value == 0 and isinstance(name, str) and bare(name) in PRICES
    ]
    if empty or (len(zeros) >= MIN_EMPTY and not any(own.values())):
        yield Finding(path, "an answer", sorted(map(str, own)), "nothing but what was asked for comes back")


def _is_nothing(value: Json) -> bool:
    if isinstance(value, str):
        return not value.strip() or (len(value) <= LONGEST_NOTHING and bool(_NOTHING.fullmatch(value)))
    return value is None


def _blank_rows(path: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Look for a list of texts that are all blank."""
    for name in rows[0] if len(rows) > 1 else ():
        if not isinstance(name, str) or bare(name) not in CONTENTS:
            continue
        texts = [
            value for row in rows for field, value in row.items() if field != name and isinstance(value, str)
        ]
        blank = all(isinstance(value := row.get(name), str) and not value.strip() for row in rows)
        if blank and not any(len(text) > MIN_TEXT for text in texts):
            where = below(at_index(path, 0), name)
            yield Finding(where, "the content", "", f"field {name} is empty in all {len(rows)} items")


def _not_content(address: str, text: str) -> str:
    """Say what a text is that is no content; empty where it is some."""
    head = text[:HEAD].strip()
    if _PLACEHOLDER.match(head) and len(head) < HEAD // 20:
        return "a placeholder"
    if not address:
        return ""
    if not head:
        return "empty" if not text.strip() else ""
    short = [line for line in head[:OPENING].splitlines() if len(line) <= MAX_LINE]
    error = next(filter(_ERROR_LINE.fullmatch, short), "")
    if error and (len(text) < 2 * WALL or _CODE.search(error)):
        return "an error page"
    if len(text) < NOTICE and _WALL.search(head):
        return "a page that asks for a browser"
    if len(text) < WALL and _SIGN_IN.search(head[:OPENING]) and _PASSWORD.search(head):
        return "a sign-in or consent page" if not _ASKED_TO_SIGN_IN.search(address) else ""
    html = _HTML.search(head[:OPENING])
    if (
        html
        and len(text) < MAX_HTML
        and "</html>" in text
        and len(_visible(text[text.index(html[0]) :])) < SHELL
    ):
        return "a page without text"
    if len(text) < WALL:
        lines = [line.strip() for line in head.splitlines() if line.strip()]
        empty = len(lines) <= MAX_HEADER and all(
            _HEADER.match(line) or _LOADING.fullmatch(line) for line in lines
        )
        if empty and (_PAGE.search(head) or any(map(_LOADING.fullmatch, lines))):
            return "a page without text"
    return ""


def _visible(page: str) -> str:
    """Return the text of a page without its markup, in time that is linear in its length."""
    seen, start = list[str](), 0
    for found in _UNSEEN.finditer(page):
        if found.start() < start:
            continue
        seen.append(page[start : found.start()])
        end = _ENDS[found[0].lower()].search(page, found.end())
        if end is None:
            # Nothing of the rest is shown.
            break
        start = end.end()
    else:
        seen.append(page[start:])
    return " ".join(_TAG.sub(" ", " ".join(seen)).split())


def _addresses(arguments: Mapping[str, Json]) -> list[str]:
    """Return the addresses that were asked for; none where something was sent to them."""
    if not SENT.isdisjoint(arguments):
        return []
    values = [
        one
        for value in arguments.values()
        for one in (value[:MAX_ASKED] if isinstance(value, list) else (value,))
    ]
    return [one for one in values if isinstance(one, str) and one.startswith(_SCHEMES)]


def _own_address(text: str) -> str:
    """Return the address that a text names above a page."""
    found = _URL_LINE.search(text[:NOTICE])
    return found[1] if found else ""
