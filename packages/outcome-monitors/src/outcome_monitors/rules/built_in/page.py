"""What a fetched page is that has no content: what belongs to its frame is taken away, line by line, and little is left.

A line is part of the frame of a page (menus, legal notes), of a form to sign in, a notice to visitors, an error or a template that
nobody filled in. A page whose other lines say nothing is none of what was asked for, unless its address asks for just that.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from http import HTTPStatus
from pathlib import Path
from unicodedata import combining, normalize
from urllib.parse import unquote, unquote_plus

HEAD = 4000
"""Characters at the beginning of a text that are looked at."""
LONGEST = 20_000
"""Characters of a page that may be all frame; addresses of links make up most of it."""
MAX_HTML = 200_000
NOTICE = 500
"""Characters of a page that does nothing but keep visitors out, and of what stands above a page."""
ERROR = 3000
"""Characters of a page that says, under an error, what to do next."""
FORM = 1500
"""Characters of a page that does nothing but ask to sign in."""
MAX_LINE = 100
"""Characters of a line that is a heading."""
LONGEST_NOTICE = 400
LONG_LINE = 150
"""Characters of a sentence."""
MAX_WORDS = 12
"""Words of a line of a form."""
MIN_WORDS, MIN_SIGNS = 5, 14
"""Words, or signs where words are not set apart, of a line that says something."""
MIN_FRAME = 3
"""Items by which a frame is known."""
FRAME_SHARE = 4
"""One in so many items of a frame is known."""
MOST_SAID = 8
"""Lines of a page that does not do without content."""
FIRST = 3
"""Lines in which a page says that it is an error."""

_PHRASES = "|".join(
    sorted(status.phrase.replace(" ", r"\s") for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST)
)
_ERROR_LINE = re.compile(
    rf"(?:\w+\s){{0,2}}error\W*|\W*(?:(?:page\s)?title:\W*)?(?:(?:error|http)\s)*(?:[45]\d\d\W{{0,4}}(?:(?:{_PHRASES}|page\snot\sfound|error|that\W?s\san\serror)\b.{{0,40}})?|(?:{_PHRASES})|error"
    r"|access\sdenied|attention\srequired!?.{0,20}|just\sa\smoment\.*|page\snot\sfound|robot\scheck)\W*|.*\bchrome-error://.*"
    r"|.*(?:page|site)\s(?:\S+\s){0,4}(?:not\sfound|does\s?n[o']t\sexist|no\slonger\s(?:exists|available)|can't\sbe\s(?:found|reached)|cannot\sbe\sfound|unavailable).{0,40}"
    r"|.*(?:can't|cannot|could\s?n[o']t)\sfind\s(?:the|that|this)\spage.{0,40}|.*(?:client-side\sexception|you\shave\sbeen\sblocked|(?:performing|down\sfor|under)\s(?:\w+\s)?maintenance).{0,80}",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b[45]\d\d\b")
_WALL = re.compile(
    r"(?:enable|turn\son|activate|requires?|allow)\s(?:java\s?script|js\b|cookies)|(?:java\s?script|cookies)\s(?:is|are|must\sbe)\s(?:disabled|required|enabled|not\savailable)"
    r"|(?:checking|verifying)\s(?:if\s)?(?:your\s(?:browser|request|connection)|the\ssite\sconnection)|(?:request|browser|connection)\sis\sbeing\s(?:verified|checked)"
    r"|(?:verify(?:ing)?|confirm(?:ing)?)\s(?:that\s)?you\s?(?:are|\W?re)\s(?:a\s)?(?:human|not\sa)|\b(?:robot\sor\s(?:a\s)?human|are\syou\s(?:a\s)?(?:human|robot)|not\sa\srobot)\b|security\scheck(?:point)?\b"
    r"|\bcaptcha\b|press\s(?:&|and)\shold|unusual\straffic|\bautomated\b|\bpuzzle\b|bot\s(?:detection|protection)",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"\bwe\s(?:and\s.{1,30}\s)?(?:use|store|value)\b.{0,60}\b(?:cookies|privacy|information\son\sa\sdevice)|\b(?:accept|reject|allow|manage)\s(?:all|cookies|settings|preferences)|\byour\sprivacy\b",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"\b(?:sign|log)[\s-]?(?:in|up|on)\b|\bremember\sme\b|\bcreate\s(?:an\s)?account\b|\bjoin\snow\b|\be-?mail\b|\buser\s?name\b|\bmember-only\b|\bsubscribe\b|\bsubscriber\b|\bfree\s(?:articles|stories)\b",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"remember\sme|create\s(?:an\s)?account|already\sa\ssubscriber|subscribe\sto\s(?:continue|read)|member-only",
    re.IGNORECASE,
)
"""What no page without a form has, besides the word for a password."""
_LOADING = re.compile(
    r"(?:loading|please\swait|redirecting|one\smoment)\b.{0,40}|if\syou\sare\snot\sredirected.{0,80}|click\shere\.?",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r"\{\{[^{}]{1,80}\}\}|\$\{[^{}]{1,80}\}|<%=?[^%]{1,80}%>|\{%[^%]{1,80}%\}")
_FRAME = re.compile(
    r".{0,80}(?:©|\(c\)\s\d{4}|all\srights\sreserved).*|follow\sus\b.{0,40}|(?:tel|phone|fax|e-?mail|电话|传真)\W{1,3}[\d+(].*",
    re.IGNORECASE,
)
_KNOWN = json.loads(Path(__file__).with_name("pages.json").read_text(encoding="utf-8"))
"""What such lines are in several languages: those of a frame as they are, the others by what stands in them."""
_FRAMES = frozenset(item for items in _KNOWN["frame"].values() for item in items)
_OF_ERRORS = re.compile(r"error|status$|status-?code|not-?found|(?<!\d)[45]0\d(?!\d)", re.IGNORECASE)
_OF_FORMS = re.compile(
    r"log-?in|sign-?(?:in|up)|auth|account|consent|cookie|privacy|captcha|javascript|loading|sitemap|index|contact|about|templat|/raw|//raw|github|gitlab|\.(?:j2|vue|hbs|tmpl|tpl|erb|ejs)\b",
    re.IGNORECASE,
)
"""What an address says that asks for such a page."""
_HTML = re.compile(r"<!doctype html|<html\b", re.IGNORECASE)
_UNSEEN = re.compile(
    r"<(script|style|noscript|svg|title)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
"""What is not shown; the rest of the page where it has no end, so that the search is linear in its length."""
_INLINE = re.compile(
    r"</?(?:b|i|em|strong|span|code|font|u|small|sup|sub|abbr|a)\b[^<>]{0,2000}>", re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]{1,2000}>")
_URL_LINE = re.compile(
    r"^\W*(?:page\s|current\s|final\s)?(?:url|address|contents\sof)\b\W{0,6}(https?://\S+|chrome-error\S+)",
    re.IGNORECASE | re.MULTILINE,
)
_PAGE = re.compile(r"title|viewport|snapshot|contents\sof", re.IGNORECASE)
_HEADER = re.compile(
    r"\W*(?:(?:page|final|current|raw)\s)?(?:title|address|url|uri|source|url\ssource|page|state|snapshot|viewport(?:\sposition)?|status|(?:markdown\s)?content|contents\sof\s\S+)\s*(?::.*)?|\W*(?:ya?ml|html|markdown)?\W*",
    re.IGNORECASE,
)
_OUTLINE = re.compile(r"^\s*- (?:/url:.*|[a-z]+(?: \"([^\"]*)\")?(?: \[[^\]]*\])*(?::(?: (.*))?)?)$")
"""A line of the outline that a browser gives: a role, a name, and what stands in it."""
_LINK = re.compile(r"!\[[^\]]*\]\([^()\s]*\)|\[([^\[\]]*)\]\([^()]*\)")
_WORD = re.compile(r"\w+")
_TELLING = re.compile(r"[^\W\d_]{4,}|[\u3040-\u9fff\uac00-\ud7af]{2,}")
"""A word of an address that says what it is of."""
GENERIC = frozenset(
    "index html htm page pages article articles news search post posts blog wiki docs product products produit item items list view category user users html detail details story stories home default main content latest threads comments citations".split()  # noqa: SIM905 - words read better as words
)
_RAW = re.compile(r"\.(?!html?$|php$|aspx?$|jsp$|shtml$)[a-z]\w{0,4}$|(?:^|/)(?:api|raw|v\d+)/")
"""Addresses of what is no page."""
_SEARCH = re.compile(r"(?:^|&)(?:q|k|s|query|search|keywords?|term|text)=([^&]*)")
_ADDRESS = re.compile(r"\bhttps?://[^\s)\]]+|(?<=\])\([^()]*\)")
_AUTH_LINK = re.compile(r"\]\([^)]*(?:sign-?in|log-?in|sign-?up|auth|register)\b[^)]*\)", re.IGNORECASE)
_NO_ROWS = re.compile(r"\|\s*-{3,}[\s|:-]*\Z")
"""The head of a table at the end of a page."""
UNRELATED = 2000
"""Characters of a page that would have a word of its address."""
MIN_WANTED = 2
MOST_FIGURES = 1
"""Lines with figures of a page that lists nothing."""


def page_without_content(address: str, text: str, *, whole: bool = False) -> str:
    """Say what the text of a page is that is no content; empty where it is some."""
    if len(text) > (MAX_HTML if "</html>" in text[-HEAD:] else LONGEST):
        return ""
    html = _HTML.search(text[:HEAD])
    if html:
        text = text[: html.start()] + _visible(text[html.start() :]) if "</html>" in text else text
    if whole and _is_unrelated(address, text):
        return "a page with no word of its address"
    if _NO_ROWS.search(text[-FORM:]) and any(_LOADING.match(line.strip("# ")) for line in text.splitlines()):
        return "a page without text"
    of, coded = Counter[str](), False
    for item in _items(text):
        if item.casefold().strip("/") in address.casefold():
            continue
        kind = _kind_of(item)
        if kind == "error" and of["error"] + of["said"] + of["other"] >= FIRST:
            kind = "said"
        of[kind] += 1 + (len(item) // LONG_LINE if kind == "said" else 0)
        coded = coded or (kind == "error" and _CODE.search(item) is not None)
        if of["said"] > MOST_SAID and not coded:
            return ""
    if not of.total():
        return "a page without text" if html or _PAGE.search(text[:NOTICE]) else ""
    if coded or (of["error"] and len(text) < ERROR):
        return "" if _OF_ERRORS.search(address) else "an error page"
    if _OF_FORMS.search(address):
        return ""
    if len(text) < NOTICE and _WALL.search(text):
        return "a page that asks for a browser"
    form = of["form"] + of["frame"] if of["form"] and len(text) < FORM else 0
    if form >= max(1, of["other"], MIN_FRAME * of["said"]) and (
        _KEY.search(text) or _has("password", text.casefold())
    ):
        return "a sign-in or consent page"
    if len(text) < FORM and of["said"] <= MIN_FRAME and len(_AUTH_LINK.findall(text)) > 1:
        return "a sign-in or consent page"
    return "" if of["said"] else _only(of)


def _is_unrelated(address: str, text: str) -> bool:
    """Say whether hardly a word of what an address is named for, or searches for, stands in a short page."""
    host, _, path = address.partition("://")[2].partition("/")
    path, _, query = path.partition("?")
    named = _plain(unquote(path.partition("#")[0]))
    if _RAW.search(named) or host.startswith(("api.", "raw.")) or len(text) > LONGEST:
        return False
    sought = {word for one in _SEARCH.findall(query) for word in _TELLING.findall(_plain(unquote_plus(one)))}
    wanted = {word for word in _TELLING.findall(named) if word not in GENERIC} | sought
    if len(wanted) < (1 if sought else MIN_WANTED):
        return False
    shown = _plain(_ADDRESS.sub(" ", text))
    found = sum(word[: max(4, len(word) - 3)] in shown for word in wanted)
    few = not sought and len(shown) < NOTICE and found * FRAME_SHARE < len(wanted)
    if (found and not few) or len(shown) > UNRELATED or len(_WORD.findall(shown)) < MIN_WORDS:
        return False
    if not sought and sum(any(map(str.isdigit, line)) for line in shown.splitlines()) > MOST_FIGURES:
        return False
    foreign = 0 if shown.isascii() else sum(sign > "\u024f" for sign in shown)
    return 2 * foreign <= len(shown.strip()) or not all(word.isascii() for word in wanted)


def _plain(text: str) -> str:
    """Return a text in small letters, without accents."""
    low = text.casefold()
    return low if low.isascii() else "".join(one for one in normalize("NFKD", low) if not combining(one))


def _only(of: Counter[str]) -> str:
    """Say what a page is of which no line says anything."""
    others = of["other"]
    if of["wall"] or (of["consent"] > 1 and others < of["consent"]):
        return "a page that asks for a browser" if of["wall"] else "a sign-in or consent page"
    if of["template"] and others <= of["template"]:
        return "a template that was not filled in"
    if of["loading"] and others <= of["loading"] + of["frame"]:
        return "a page without text"
    frame = of["frame"] + of["form"] + of["consent"] + of["loading"]
    return "the frame of a page" if frame >= MIN_FRAME and frame * FRAME_SHARE >= frame + others else ""


def _kind_of(item: str) -> str:
    """Say which part of a page a line is."""
    if len(item) > LONGEST_NOTICE:
        return "said"
    if _TEMPLATE.search(item) and len(_WORD.findall(_TEMPLATE.sub("", item))) < MIN_WORDS:
        return "template"
    low, short = item.casefold(), len(item) <= MAX_LINE
    if _FRAME.fullmatch(item) or (short and low in _FRAMES):
        return "frame"
    if short and (_ERROR_LINE.fullmatch(item) or _has("error", low)):
        return "error"
    if _LOADING.fullmatch(item) or (short and _has("loading", low)):
        return "loading"
    if _WALL.search(item):
        return "wall"
    if _CONSENT.search(item) or _has("consent", low):
        return "consent"
    words = len(_WORD.findall(item))
    if words <= MAX_WORDS and (_FORM.search(item) or _has("form", low)):
        return "form"
    wide = sum(sign > "\u2e7f" for sign in item)
    return "said" if words >= MIN_WORDS or wide >= MIN_SIGNS or any(map(str.isdigit, item)) else "other"


def _has(kind: str, low: str) -> bool:
    return any(known in low for known in _KNOWN[kind])


def _items(text: str) -> Iterator[str]:
    """Yield what the lines of a page show: of a line of nothing but links each of them, of an outline its names."""
    start = text.rfind("Page Snapshot")
    outline = "[ref=" in text
    for line in text[max(0, start) :].splitlines():
        if outline and (found := _OUTLINE.match(line)):
            line = " ".join(filter(None, found.groups()))  # noqa: PLW2901 - the line as it is shown
        elif not line.strip() or (
            len(line) <= NOTICE and _HEADER.fullmatch(line) and not _ERROR_LINE.fullmatch(line)
        ):
            continue
        links = [link[1] for link in _LINK.finditer(line)]
        bare = _LINK.sub("", line) if links else line
        shown = (
            [link for link in links if link] if links and not _WORD.search(bare) else [_LINK.sub(r"\1", line)]
        )
        for item in shown:
            for part in re.split(r"\s[|·•]\s", item):
                if _WORD.search(part):
                    yield part.strip(" \t*#>-_=`[]»«←→").replace("’", "'")  # noqa: RUF001 - as pages write it


def _visible(page: str) -> str:
    """Return the text of a page without its markup, a block a line."""
    return unescape(_TAG.sub("\n", _INLINE.sub(" ", _UNSEEN.sub(" ", page))))


def own_address(text: str) -> str:
    """Return the address that a text names above a page."""
    found = _URL_LINE.search(text[:NOTICE])
    return found[1] if found else ""
