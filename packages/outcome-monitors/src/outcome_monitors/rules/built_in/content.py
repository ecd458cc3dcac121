"""`missing_content` and `garbled_text`: a page, a placeholder or unreadable bytes stand where the content should."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.model import Json
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Cause, Mining, Traits

from .base import BuiltIn, Finding, bare, texts_in

__all__ = ["GarbledText", "MissingContent"]

HEAD = 4000
"""Characters at the beginning of a text that are looked at."""
MAX_TEXTS = 300
SHELL = 60
"""Visible characters of a page that is drawn by a script."""
WALL = 1500
"""Characters of a page that does nothing but keep visitors out."""
NOTICE = 500
"""Characters of one that only asks for a browser."""
CONTENTS = frozenset(
    {
        "content",
        "text",
        "body",
        "markdown",
        "html",
        "transcript",
        "pagecontent",
        "rawcontent",
        "extractedtext",
        "fulltext",
    }
)
"""Names of fields that are what was asked for."""
MAX_FIELD_HEADER = 6

_PLACEHOLDER = re.compile(
    r"^\W*(?:loading(?:\s\w+)?|please\swait.{0,40}|initiali[sz]ing|fetching(?:\sdata)?|coming\ssoon|under\sconstruction|placeholder(?:\s\w+)?|lorem\sipsum.*"
    r"|todo|tbd|undefined|nan|\[object\sobject\]|mock(?:ed)?\s(?:data|response|result).{0,40}|(?:sample|dummy|test|example)\s(?:data|response|content|text)|not\s(?:yet\s)?implemented(?:\syet)?)\W*$",
    re.IGNORECASE | re.DOTALL,
)
_ERROR_PAGE = re.compile(
    r"(?:^|\n)\W*(?:title:\s*)?(?:error(?:\s[45]\d\d)?|(?:error\s|http\s)?[45]\d\d\b[^\n]{0,40}|access\sdenied|attention\srequired!?[^\n]{0,20}|just\sa\smoment\.*"
    r"|page\snot\sfound|forbidden|service\sunavailable|bad\sgateway|robot\scheck|security\scheck(?:point)?|are\syou\s(?:a\s)?(?:human|robot)\??)\s*(?:\n|$)",
    re.IGNORECASE,
)
_SIGN_IN = re.compile(
    r"(?:^|\n)\W*(?:title:\s*)?(?:sign\sin|log\s?in|please\s(?:sign|log)\s?in|login\srequired|before\syou\scontinue|we\svalue\syour\sprivacy)[^\n]{0,40}(?:\n|$)",
    re.IGNORECASE,
)
_WALL = re.compile(
    r"(?:enable|turn\son|activate|requires?|allow)\s(?:java\s?script|js\b|cookies)|(?:java\s?script|cookies)\s(?:is|are|must\sbe)\s(?:disabled|required|enabled|not\savailable)"
    r"|checking\s(?:if\s)?(?:your\sbrowser|the\ssite\sconnection)|verify(?:ing)?\s(?:that\s)?you\sare\s(?:a\s)?human|(?:complete|solve)\sthe\scaptcha|unusual\straffic",
    re.IGNORECASE,
)
_PASSWORD = re.compile(
    r"type=[\"']?password|forgot\s(?:your\s)?password|remember\sme|create\s(?:an\s)?account|accept\s(?:all\s)?cookies|cookie\spolicy",
    re.IGNORECASE,
)
_UNSEEN = re.compile(r"<!--|<(?:script|style|noscript|svg|head)\b", re.IGNORECASE | re.ASCII)
_ENDS = {
    "<!--": re.compile("-->"),
    **{
        f"<{tag}": re.compile(rf"</{tag}\s*>", re.IGNORECASE | re.ASCII)
        for tag in ("script", "style", "noscript", "svg", "head")
    },
}
_TAG = re.compile(r"<[^<>]{1,2000}>")
_HTML = re.compile(r"^\s*(?:<!doctype html|<html\b)", re.IGNORECASE)
_HEADER = re.compile(
    r"^(?:title|address|url|uri|source|page|viewport(?: position)?|status|final url)\s*:.*$|^[=\-_*#\s]+$",
    re.IGNORECASE,
)
_TORN_NUMBER = re.compile(r"\d\.$")
_TORN_INITIAL = re.compile(r"(?:^|[\s(])[A-Z]\.$")
_MOJIBAKE = re.compile(
    "[ÃÂ][\x80-\xbf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]|â€[\x80-\xbf\u0152\u0153\u02dc\u2122\u0153\u009d\u201c\u201d\u00a6]"
)
_BINARY = ("%PDF-", "PK\x03\x04", "\x89PNG", "\x1f\x8b", "GIF8", "\x7fELF", "\xff\xd8\xff")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")


class MissingContent(BuiltIn):
    """There is content, not a placeholder, an error page, a sign-in form or a page without text."""

    name = "missing_content"
    code = "content_missing"
    cause = Cause.NO_ANSWER
    traits = Traits(about="shape", never_normal=True, severity=Severity.CRITICAL, own_words=True)
    mining = Mining(profiles=frozenset())
    sentence = "there is content in the place of a placeholder, an error page or a sign-in form"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Look at a text, and at the field of an object that holds one."""
        if isinstance(result, str):
            what = _not_content(arguments, result)
            if what:
                yield Finding("", "the content", clip_text(result.strip()), f"the result is {what}")
        elif isinstance(result, dict):
            for name, value in result.items():
                if isinstance(name, str) and isinstance(value, str) and bare(name) in CONTENTS:
                    what = (
                        "empty"
                        if not value.strip() and _address(arguments)
                        else _not_content(arguments, value)
                    )
                    if what and value.strip():
                        yield Finding(
                            name, "the content", clip_text(value.strip()), f"field {name} is {what}"
                        )
                    elif what == "empty":
                        yield Finding(name, "the content", "", f"field {name} is empty")


class GarbledText(BuiltIn):
    """Texts can be read: no binary data, no broken encoding, nothing torn apart."""

    name = "garbled_text"
    code = "text_garbled"
    cause = Cause.NO_ANSWER
    traits = Traits(about="shape", never_normal=True, severity=Severity.CRITICAL, own_words=True)
    mining = Mining(profiles=frozenset())
    sentence = "texts are readable"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Look at the beginning of each text, and at lists of texts that were torn inside a number or an abbreviation."""
        for count, (path, text) in enumerate(texts_in(result)):
            if count == MAX_TEXTS:
                break
            what = _garbled(text)
            if what:
                yield Finding(path, "readable text", clip_text(text), f"{path or 'the result'} has {what}")
        if isinstance(result, str) and _is_torn_json(result):
            yield Finding("", "whole JSON", clip_text(result[-60:]), "the result is JSON that was cut off")
        yield from _torn(result, "")


def _not_content(arguments: Mapping[str, Json], text: str) -> str:
    """Say what a text is that is no content; empty where it is some."""
    head = text[:HEAD].strip()
    if _PLACEHOLDER.match(head) and len(head) < HEAD // 20:
        return "a placeholder"
    if not _address(arguments):
        return ""
    opening = head[:700]
    error = _ERROR_PAGE.search(opening)
    if error and (len(text) < 2 * WALL or re.search(r"error\s[45]\d\d", error[0], re.IGNORECASE)):
        return "an error page"
    if len(text) < NOTICE and _WALL.search(head):
        return "a page that asks for a browser"
    if len(text) < WALL and _SIGN_IN.search(opening) and _PASSWORD.search(head):
        return "a sign-in or consent page"
    if _HTML.match(head) and len(text) < 50 * HEAD and len(_visible(text)) < SHELL:
        return "a page without text"
    lines = [line for line in head.splitlines() if line.strip()]
    if (
        lines
        and len(lines) <= MAX_FIELD_HEADER
        and all(_HEADER.match(line) for line in lines)
        and len(text) < WALL
    ):
        return "a page without text"
    return ""


def _visible(page: str) -> str:
    """Return the text of a page without its markup, in time that is linear in its length."""
    seen, start, unclosed = list[str](), 0, set[str]()
    for found in _UNSEEN.finditer(page):
        what = found[0].lower()
        if found.start() < start or what in unclosed:
            continue
        end = _ENDS[what].search(page, found.end())
        if end is None:
            unclosed.add(what)
            continue
        seen.append(page[start : found.start()])
        start = end.end()
    seen.append(page[start:])
    return " ".join(_TAG.sub(" ", " ".join(seen)).split())


def _address(arguments: Mapping[str, Json]) -> str:
    """Return the address that was asked for, where one was."""
    for value in arguments.values():
        if isinstance(value, str) and value.startswith(("http://", "https://", "file://")):
            return value
    return ""


def _garbled(text: str) -> str:
    if text.isascii() and text.isprintable():
        return ""
    head = text[:HEAD]
    if text.startswith(_BINARY):
        return "binary data"
    if "\x00" in text[: 10 * HEAD]:
        return "NUL characters"
    if head.count("\ufffd") > max(2, len(head) // 200):
        return "characters lost in decoding"
    if len(_CONTROLS.findall(head)) > max(3, len(head) // 50):
        return "binary data"
    if not head.isascii() and len(_MOJIBAKE.findall(head)) > max(1, len(head) // 400):
        return "text in the wrong encoding"
    return ""


def _is_torn_json(text: str) -> bool:
    """Say whether a text begins as JSON and ends in the middle of it."""
    if not text.startswith(('{"', '[{"', '["')) or text.rstrip()[-1:] in "}]" or len(text) > 1_000_000:
        return False
    try:
        json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return True
    return False


def _torn(value: Json, path: str, depth: int = 5) -> Iterator[Finding]:
    """Yield lists of texts that are the pieces of one text, split at dots that end no sentence."""
    if isinstance(value, dict) and depth:
        for name, item in value.items():
            if isinstance(item, (dict, list)):
                yield from _torn(item, below(path, str(name)), depth - 1)
    elif isinstance(value, list) and len(value) > 2:
        pieces = value[:MAX_TEXTS]
        if all(isinstance(piece, str) for piece in pieces):
            for index, (one, other) in enumerate(pairwise(pieces)):
                inside = (
                    _TORN_NUMBER.search(one)
                    and other[:1].isdigit()
                    and not other[:3].strip("0123456789").startswith(".")
                )
                if inside or (
                    _TORN_INITIAL.search(one)
                    and len(one) + len(other) > 4
                    and re.fullmatch(r"[A-Z]\.", other)
                ):
                    observed = f"…{one[-20:]} | {other[:20]}"
                    yield Finding(
                        at_index(path, index + 1),
                        "whole sentences",
                        observed,
                        f"the texts of {path or 'the result'} are torn apart",
                    )
                    return
