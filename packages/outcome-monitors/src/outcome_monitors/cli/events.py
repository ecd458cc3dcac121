"""`events`: what proxies and adapters have checked."""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import click

from outcome_monitors.events import FLAGGED, OUTCOMES, Wanted, default_store, forget_events, read_events
from outcome_monitors.events.reader import follow as following, newest, read_last
from outcome_monitors.events.summary import EventSummary, summarise

from ._event_options import condition, read_age, read_since
from ._output import count, printable, table, write

__all__ = ["command"]

MOST_REASONS = 30
"""Tools, each with a reason, that are listed."""

EPILOG = """\b
Example:
  outcome-monitors events events.jsonl --outcome flagged

Exit status: 0 nothing was flagged, 1 something was, 2 the work could not be done."""


@click.command("events", epilog=EPILOG)
@click.argument("store", required=False)
@click.option("--tool", metavar="NAME", help="Only this tool.")
@click.option(
    "--outcome",
    "outcomes",
    type=click.Choice(list(OUTCOMES)),
    multiple=True,
    help="Only this outcome, listed. Repeatable.",
)
@click.option("--session", metavar="NAME", help="Only this session.")
@click.option(
    "--since",
    metavar="TIME",
    help="Since 2026-03-01, 2026-03-01T10:00:00Z, an age (2h, 3d) or today (UTC).",
)
@click.option(
    "--where",
    multiple=True,
    metavar="CONDITION",
    help="A condition: told=true, code=out_of_range, tool!=x, clause~total. Repeatable.",
)
@click.option("--last", metavar="N", type=click.IntRange(1), help="List the last N.")
@click.option("--follow", is_flag=True, help="List new events until interrupted.")
@click.option("--summary", is_flag=True, help="Count by tool and outcome (the default).")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    show_default=True,
    help="The output format; jsonl lists, json counts.",
)
@click.option("--forget", metavar="AGE", help="Delete older events: 30d, 12h, 4w.")
def command(
    store: str | None,
    tool: str | None,
    outcomes: tuple[str, ...],
    session: str | None,
    since: str | None,
    where: tuple[str, ...],
    last: int | None,
    follow: bool,
    summary: bool,
    form: str,
    forget: str | None,
) -> int:
    """Count or list the events of STORE.

    STORE is a .sqlite or .jsonl file, a state folder or a fleet's address; default the usual place.
    """
    place = store or str(default_store())
    if forget is not None:
        if any((tool, outcomes, session, since, last, where, follow, summary)):
            raise click.UsageError("--forget goes by age alone")
        forgotten = forget_events(place, time.time() - read_age(forget))
        write(f"{count(forgotten, 'event')} older than {forget} forgotten\n")
        return 0
    wanted = Wanted(tool, outcomes, session, read_since(since))
    if follow:
        return _follow(place, wanted, where, form, last)
    # The jsonl of a summary would be one line; it lists, as it always has, unless a summary is asked for.
    lists = (form == "jsonl" or last is not None or outcomes or where) and not summary
    if not lists:
        return _count(_summarised(place, wanted, where), form)
    if form == "json":
        raise click.UsageError("--format json is of a count; for a list, --format jsonl")
    tally: Counter[str] = Counter()
    holds = condition(where)
    found = read_last(place, last, wanted, holds) if last else filter(holds, read_events(place, wanted))
    events = _tallied(found, tally)
    if form == "jsonl":
        for event in events:
            write(json.dumps(event) + "\n")
    else:
        for event in events:
            write(_line(event) + "\n")
        _total(tally)
    return 1 if tally[FLAGGED] else 0


def _follow(place: str, wanted: Wanted, where: Iterable[str], form: str, last: int | None) -> int:
    """Write events as they come; first those since a time, or the last ones, where that is asked for."""
    seen = newest(place)
    holds = condition(where)
    past = wanted._replace(before=seen + 1)
    if last is not None:
        for event in read_last(place, last, past, holds):
            _write_one(event, form)
    elif wanted.since is not None:
        for event in filter(holds, read_events(place, past)):
            _write_one(event, form)
    for event in filter(holds, following(place, wanted._replace(after=seen))):
        _write_one(event, form)
    return 0


def _write_one(event: dict[str, Any], form: str) -> None:
    write((json.dumps(event) if form != "text" else _line(event)) + "\n")
    sys.stdout.flush()


def _summarised(place: str, wanted: Wanted, where: Iterable[str]) -> EventSummary:
    if not where:
        return summarise(place, wanted)
    summary = EventSummary()
    for event in filter(condition(where), read_events(place, wanted)):
        summary.add(event["tool"], event["outcome"], bool(event["told"]), event.get("why") or "")
    return summary


def _tallied(events: Iterable[dict[str, Any]], tally: Counter[str]) -> Iterator[dict[str, Any]]:
    for event in events:
        tally[event["outcome"]] += 1
        yield event


def _count(summary: EventSummary, form: str) -> int:
    if form == "text":
        _tables(summary)
        _total(summary.total.outcomes)
    else:
        write(json.dumps(summary.to_json(), indent=2 if form == "json" else None) + "\n")
    return 1 if summary.total.outcomes[FLAGGED] else 0


def _tables(summary: EventSummary) -> None:
    rows = [
        (tool, *(f"{counts.outcomes[outcome]:,}" for outcome in OUTCOMES))
        for tool, counts in summary.tools.items()
    ]
    if rows:
        table(("tool", *(f">{outcome.replace('_', ' ')}" for outcome in OUTCOMES)), sorted(rows))
    reasons = Counter(
        {
            (tool, why): number
            for tool, counts in summary.tools.items()
            for why, number in counts.reasons.items()
        }
    )
    if reasons:
        told = [(tool, f"{number:,}", why) for (tool, why), number in reasons.most_common(MOST_REASONS)]
        table(("tool", ">not checked", "why"), told)


def _line(event: dict[str, Any]) -> str:
    """Return an event in a line: its number, by which `wrong` and `missed` take it, when it was, and what it is."""
    what = _what(event)
    outcome = f"{event['tool']} {event['outcome'].replace('_', ' ')}"
    return printable(f"{event['event']:>6}  {event['time'][:19]}  {outcome}{': ' if what else ''}{what}")


def _what(event: dict[str, Any]) -> str:
    found = "; ".join(map(_violation, event.get("violations", ())))
    if not found:
        return event.get("why") or ""
    if event.get("told") or event.get("advised", True):
        return found
    return f"{found} (nobody was told{': ' if event.get('why') else ''}{event.get('why') or ''})"


def _violation(found: dict[str, Any]) -> str:
    named = f" [{found['clause']}]" if found.get("clause") else ""
    return f"{found['code']} at {found['path'] or '(the result)'}{named}"


def _total(tally: Counter[str]) -> None:
    parts = ", ".join(f"{tally[outcome]:,} {outcome.replace('_', ' ')}" for outcome in OUTCOMES)
    write(f"{count(tally.total(), 'event')}: {parts}\n")
