"""The frame of every page of the console: its own style and script from files, nothing inline, nothing from elsewhere."""

from pathlib import Path

from outcome_monitors.reports.markup import Markup, element
from outcome_monitors.reports.style import STYLE

from .alarm_view import hidden

__all__ = ["POLICY", "SCRIPT", "SHEET", "framed", "plain_page", "sign_in"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a browser may do for a page of ours: a word of a result that became markup after all could still do nothing."""
SCRIPT = Path(__file__).with_name("console.js").read_text(encoding="utf-8")
SHEET = STYLE + Path(__file__).with_name("console.css").read_text(encoding="utf-8")
PLACES = {"/": "Now", "/#alarms": "Alarms", "/contracts": "Contracts"}
KEYS = {
    "j": "next alarm",
    "k": "the one before",
    "o": "open it",
    "m": "mute it",
    "w": "wrong alarm",
    "/": "search",
}


def framed(title: str, place: str, *content: str, last: int | None = None, form: str = "") -> str:
    """Return a whole page; one that follows the folder names the event that it was made after."""
    links = (
        element("li", element("a", words, href=path, aria_current="page" if path == place else None))
        for path, words in PLACES.items()
    )
    keys = (part for key, words in KEYS.items() for part in (element("kbd", key), f" {words} "))
    body = element(
        "body",
        element(
            "header", element("nav", element("ul", *links), aria_label="Pages"), _live(last), class_="top"
        ),
        element(
            "main", element("h1", title), *content, element("footer", element("p", *keys, class_="note"))
        ),
        data_last=None if last is None else str(last),
        data_form=form,
    )
    return _document(title, body, script=True)


def plain_page(title: str, *content: str) -> str:
    """Return a page with a few words and the way back."""
    back = element("p", element("a", "Back to the console", href="/"))
    return _document(title, element("body", element("main", element("h1", title), *content, back)))


def sign_in(trouble: str = "") -> str:
    """Return the page that asks for the token."""
    entry = element(
        "form",
        hidden("what", "enter"),
        element(
            "label",
            "Token ",
            element("input", type="password", name="token", autocomplete="current-password"),
        ),
        " ",
        element("button", "Enter"),
        method="post",
        action="/enter",
    )
    words = [element("p", trouble, role="alert")] if trouble else []
    return _document(
        "Token",
        element("body", element("main", element("h1", "This console asks for its token"), *words, entry)),
    )


def _live(last: int | None) -> Markup:
    words = "" if last is None else "not live: the page needs its script for that"
    return element("p", words, id="live", role="status")


def _document(title: str, body: Markup, *, script: bool = False) -> str:
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("link", rel="icon", href="data:,"),
        element("link", rel="stylesheet", href="/console.css"),
        element("title", f"{title} · outcome-monitors"),
        *([element("script", src="/console.js", defer="defer")] if script else []),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"
