"""The first page: how it goes with each tool, what waits for a person, and the alarms as they come."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.learning.status import line_words
from outcome_monitors.reports.columns import meter
from outcome_monitors.reports.markup import Markup, element
from outcome_monitors.reports.page import section, tiles
from outcome_monitors.reports.share import percent
from outcome_monitors.reports.tables import table
from outcome_monitors.values.display import clip_text

from .alarm_store import MOST_ALARMS, Alarm, last_alarms, next_of
from .alarm_view import card, closer, hidden, link
from .history import History, drawn

__all__ = ["alarm_cards", "alarm_section", "status_parts"]

MOST_TOOLS = 200
MOST_LISTED = 50
LONGEST_WHY = 160


def status_parts(document: Mapping[str, Any], history: History, form: str) -> Iterator[Markup]:
    """Yield the part that follows the status: figures, tools, changes, what is muted."""
    tools = document["tools"]
    for trouble in document["troubles"]:
        yield element("p", clip_text(str(trouble), 400), class_="trouble", role="alert")
    if words := line_words(dict(document)):
        yield element("p", clip_text(words, 400))
    if not tools:
        yield element(
            "p",
            "Nothing was seen here yet: put a proxy before a server with --learn, and let an agent call tools.",
        )
        return
    waiting = [*_waiting(document)]
    yield tiles(
        [
            (percent(document["checked"]), f"of the last {document['results']:,} results checked"),
            (f"{document['told']:,}", "told today (UTC)"),
            (f"{len(waiting):,}", "changes wait for a person"),
            (f"{sum(len(tool['silent']) for tool in tools.values()):,}", "clauses muted"),
        ]
    )
    yield section("Tools", table(COLUMNS, _rows(tools, history), stacked=True), anchor="tools")
    if waiting:
        rows = (
            element("li", *_decidable(one, one["words"], "accept", form)) for one in waiting[:MOST_LISTED]
        )
        yield section("Changes waiting", element("ul", *rows, class_="decisions"), anchor="waiting")
    silent = [one for tool in tools.values() for one in tool["silent"]]
    if silent:
        rows = (
            element("li", *_decidable(one, _silenced(one), _undone(one), form))
            for one in silent[:MOST_LISTED]
        )
        yield section("Muted", element("ul", *rows, class_="decisions"), anchor="muted")


COLUMNS = (
    "tool",
    "stage",
    ">told today",
    "checked",
    "checked (line) and told (bars) over time",
    "why, and what is missing",
)


def _rows(tools: Mapping[str, Any], history: History) -> Iterator[Sequence[str]]:
    for name, tool in [*tools.items()][:MOST_TOOLS]:
        words = "; ".join(filter(None, (tool["why"], tool["missing"] and f"missing: {tool['missing']}")))
        yield (
            link(name, "tool", name=name),
            element("span", tool["stage"], class_=f"badge {tool['stage']}"),
            f"{tool['told']:,}",
            meter(tool["checked"]) if tool["results"] else "",
            drawn(name, history.get(name, [])),
            clip_text(words, LONGEST_WHY),
        )


def _waiting(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for tool in document["tools"].values():
        yield from tool["changes"]
    yield from document["waiting"]


def _decidable(one: Mapping[str, Any], words: str, what: str, form: str) -> Iterator[Markup | str]:
    yield f"{clip_text(words, 400)} "
    yield element("code", clip_text(one["clause"], 200), class_="address")
    others = [("mute", "Mute")] if what == "accept" and "words" in one else []
    buttons = (
        element("button", text, name="what", value=value) for value, text in [(what, what.title()), *others]
    )
    yield element(
        "form",
        hidden("form", form),
        hidden("clause", one["clause"]),
        *buttons,
        element("output"),
        method="post",
        action="/decide",
        class_="decide",
    )


def _undone(one: Mapping[str, Any]) -> str:
    return "unmute" if one["why"] == "muted" else "accept"


def _silenced(one: Mapping[str, Any]) -> str:
    until = f" until {one['until']}" if one.get("until") else ""
    reason = f" ({one['reason']})" if one.get("reason") else ""
    return f"{one['why']}{until}{reason}"


def alarm_section(state: StateFolder, silence: Overrides, form: str, before: int | None) -> Markup:
    """Return the last alarms, and the way to those before."""
    alarms = last_alarms(state.events, before)
    older = []
    if len(alarms) == MOST_ALARMS:
        older = [element("p", link("Older alarms", "", before=str(alarms[-1]["event"])))]
    none = element("p", "No result broke its contract so far.", id="none", class_="note")
    return section(
        "Alarms",
        *([] if alarms else [none]),
        element("div", *alarm_cards(state, alarms, silence, form), id="alarm-list"),
        *older,
        anchor="alarms",
    )


def alarm_cards(
    state: StateFolder, alarms: Sequence[Alarm], silence: Overrides, form: str
) -> Iterator[Markup]:
    """Yield alarms in short, the first of them open."""
    for place, alarm in enumerate(alarms):
        body = () if place else [*closer(state, alarm, next_of(state.events, [alarm])[alarm["event"]])]
        yield card(alarm, silence, form, body, unfolded=not place)
