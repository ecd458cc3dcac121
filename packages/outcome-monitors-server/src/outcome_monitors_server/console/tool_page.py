"""The page of one tool: its stage, its results over time, its fields with their values and what is demanded of them, its last results."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.reports.markup import Markup, element
from outcome_monitors.reports.page import folded, paragraph, section
from outcome_monitors.reports.share import percent
from outcome_monitors.reports.tables import table
from outcome_monitors.values.display import clip_text

from .alarm_view import decision_form, link
from .clause_book import SpokenClause, clause_table
from .fields import fields_in, went
from .history import HistoryStep, drawn

__all__ = ["LAST_RESULTS", "tool_parts"]

LAST_RESULTS = 20
MOST_DEMANDS = 4


def tool_parts(
    name: str,
    tool: Mapping[str, Any],
    steps: Sequence[HistoryStep],
    clauses: Sequence[SpokenClause],
    calls: Sequence[Mapping[str, Any]],
    events: Sequence[Mapping[str, Any]],
    silence: Overrides,
    form: str,
) -> Iterator[Markup]:
    """Yield the parts of the page, each from what the folder has of it."""
    yield paragraph(
        element("span", tool["stage"], class_=f"badge {tool['stage']}"), f" {clip_text(tool['why'], 300)}"
    )
    if tool["missing"]:
        yield paragraph(f"Missing: {clip_text(tool['missing'], 300)}")
    reasons = "; ".join(f"{clip_text(why)} ({number:,})" for why, number in tool["why_not"].items())
    if reasons:
        yield paragraph(f"Not checked: {clip_text(reasons, 400)}")
    yield section("Over time", drawn(name, steps), _figures(steps), anchor="time")
    yield section("Fields", *_fields(clauses, calls), anchor="fields")
    yield section(
        "What is demanded", clause_table(clauses, silence, form) if clauses else _none(), anchor="demanded"
    )
    yield section("Last results", _results(events, silence, form), anchor="results")


def _none() -> Markup:
    return element("p", "Nothing yet.", class_="note")


def _figures(steps: Sequence[HistoryStep]) -> Markup:
    rows = [
        (
            step.when,
            f"{step.seen:,}",
            percent(step.checked / step.seen),
            f"{step.flagged:,}",
            f"{step.told:,}",
        )
        for step in reversed(steps)
    ]
    return folded("The figures", table(("from (UTC)", ">results", ">checked", ">flagged", ">told"), rows))


def _fields(clauses: Sequence[SpokenClause], calls: Sequence[Mapping[str, Any]]) -> Iterator[Markup]:
    if not calls:
        yield element("p", "No call of it is on record here.", class_="note")
        return
    yield element(
        "p", f"In the last {len(calls):,} recorded results, flagged ones among them.", class_="note"
    )
    yield table(
        ("field", ">in", "values", "over time", "demanded"),
        [
            (
                clip_text(path) or "(the result)",
                percent(found.results / len(calls)),
                clip_text(found.words(), 300),
                went(found.numbers),
                _demands(path, clauses),
            )
            for path, found in fields_in([call.get("result") for call in calls]).items()
        ],
        stacked=True,
    )


def _demands(path: str, clauses: Sequence[SpokenClause]) -> Markup:
    about = [row for row in clauses if row.path == path]
    more = [element("li", f"and {len(about) - MOST_DEMANDS:,} more")] if len(about) > MOST_DEMANDS else []
    shown = (element("li", row.words) for row in about[:MOST_DEMANDS])
    return element("ul", *shown, *more, class_="demands")


def _results(events: Sequence[Mapping[str, Any]], silence: Overrides, form: str) -> Markup:
    if not events:
        return _none()
    return table(
        ("event", "when (UTC)", "outcome", "decide"),
        [
            (
                link(str(event["event"]), f"event/{event['event']}"),
                event["time"][:19].replace("T", " "),
                f"{event['outcome'].replace('_', ' ')}{', told' if event['told'] else ''}",
                decision_form(event, silence, form),
            )
            for event in events
        ],
        stacked=True,
    )
