"""`events`: what proxies and adapters have checked."""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any

import click

from outcome_monitors.events import FLAGGED, OUTCOMES, Wanted, default_store, forget_events, read_events
from outcome_monitors.events.reader import follow as following, newest, read_last
from outcome_monitors.events.summary import EventSummary, summarise

from ._event_options import Condition, condition, read_age, read_since
from ._inputs import format_option
from ._output import count, table, write, write_line

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
@format_option("text", "json", "jsonl", note="; jsonl lists, json counts")
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
    wanted, holds = Wanted(tool, outcomes, session, read_since(since)), condition(where)
    if follow:
        return _follow(place, wanted, holds, form, last)
    # The jsonl of a summary would be one line; it lists, as it always has, unless a summary is asked for.
    lists = (form == "jsonl" or last is not None or outcomes or where) and not summary
    if not lists:
        counts = _counted(place, wanted, holds) if where else summarise(place, wanted)
        return _write_counts(counts, form)
    if form == "json":
        raise click.UsageError("--format json is of a count; for a list, --format jsonl")
    tally: Counter[str] = Counter()
    for event in read_last(place, last, wanted, holds) if last else filter(holds, read_events(place, wanted)):
        tally[event["outcome"]] += 1
        _write_event(event, form)
    if form == "text":
        _write_total(tally)
    return 1 if tally[FLAGGED] else 0


def _follow(place: str, wanted: Wanted, holds: Condition, form: str, last: int | None) -> int:
    """Write events as they come; first those since a time, or the last ones, where that is asked for."""
    seen = newest(place)
    past = wanted._replace(before=seen + 1)
    earlier: Iterable[dict[str, Any]] = ()
    if last is not None:
        earlier = read_last(place, last, past, holds)
    elif wanted.since is not None:
        earlier = filter(holds, read_events(place, past))
    later = filter(holds, following(place, wanted._replace(after=seen)))
    for event in chain(earlier, later):
        _write_event(event, form)
        sys.stdout.flush()
    return 0


def _counted(place: str, wanted: Wanted, holds: Condition) -> EventSummary:
    summary = EventSummary()
    for event in filter(holds, read_events(place, wanted)):
        summary.add(event["tool"], event["outcome"], bool(event["told"]), event.get("why") or "")
    return summary


def _write_counts(summary: EventSummary, form: str) -> int:
    if form == "text":
        _write_tables(summary)
        _write_total(summary.total.outcomes)
    else:
        write(json.dumps(summary.to_json(), indent=2 if form == "json" else None) + "\n")
    return 1 if summary.total.outcomes[FLAGGED] else 0


def _write_tables(summary: EventSummary) -> None:
    rows = [
        (tool, *(f"{counts.outcomes[outcome]:,}" for outcome in OUTCOMES))
        for tool, counts in sorted(summary.tools.items())
    ]
    if rows:
        table(("tool", *(f">{outcome.replace('_', ' ')}" for outcome in OUTCOMES)), rows)
    reasons = Counter(
        {
            (tool, why): number
            for tool, counts in summary.tools.items()
            for why, number in counts.reasons.items()
        }
    )
    if reasons:
        most = reasons.most_common(MOST_REASONS)
        table(("tool", ">not checked", "why"), [(tool, f"{number:,}", why) for (tool, why), number in most])


def _write_event(event: dict[str, Any], form: str) -> None:
    """Write an event as JSON, or in words: its number, by which `wrong` and `missed` take it, when it was, and what it is."""
    if form != "text":
        write(json.dumps(event) + "\n")
        return
    what = _what(event)
    outcome = f"{event['tool']} {event['outcome'].replace('_', ' ')}"
    write_line(f"{event['event']:>6}  {event['time'][:19]}  {outcome}{': ' if what else ''}{what}")


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


def _write_total(tally: Counter[str]) -> None:
    parts = ", ".join(f"{tally[outcome]:,} {outcome.replace('_', ' ')}" for outcome in OUTCOMES)
    write(f"{count(tally.total(), 'event')}: {parts}\n")
