"""`events`: what proxies and adapters have checked."""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import click

from outcome_monitors.events import FLAGGED, OUTCOMES, default_store, read_events
from outcome_monitors.events.reader import follow as following, newest, read_last
from outcome_monitors.events.summary import EventSummary, summarise
from outcome_monitors.jsonvalue.times import seconds_in, seconds_of

from ._inputs import format_option
from ._output import count, table, write, write_line

MOST_REASONS = 30
"""Tools, each with a reason, that are listed."""

EPILOG = """\b
Example:
  outcome-monitors events events.jsonl --outcome flagged

Exit status: 0 nothing was flagged, 1 something was, 2 the work could not be done."""


def _since(_ctx: click.Context, _option: click.Parameter, text: str | None) -> float | None:
    """Read a time, an age or `today` as seconds since 1970."""
    if text is None:
        return None
    if text == "today":
        return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    age = seconds_in(text)
    try:
        return seconds_of(text) if age is None else time.time() - age
    except ValueError:
        raise click.UsageError(
            f"--since {text!r} is not a time as in 2026-03-01T10:00:00Z, an age as in 2h or 3d, or today"
        ) from None


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
    callback=_since,
    help="Since 2026-03-01, 2026-03-01T10:00:00Z, an age (2h, 3d) or today (UTC).",
)
@click.option("--last", metavar="N", type=click.IntRange(1), help="List the last N.")
@click.option("--follow", is_flag=True, help="List new events until interrupted.")
@format_option("text", "json", "jsonl", note="; jsonl lists, json counts")
def command(
    store: str | None,
    tool: str | None,
    outcomes: tuple[str, ...],
    session: str | None,
    since: float | None,
    last: int | None,
    follow: bool,
    form: str,
) -> int:
    """Count or list the events of STORE.

    STORE is a .sqlite or .jsonl file, a state folder or a fleet's address; default the usual place.
    """
    place = store or str(default_store())
    which = {"tool": tool, "outcome": outcomes or None, "session": session, "since": since}
    if follow:
        return _follow(place, which, form, last)
    if not (form == "jsonl" or last is not None or outcomes):
        return _write_counts(summarise(place, **which), form)
    if form == "json":
        raise click.UsageError("--format json is of a count; for a list, --format jsonl")
    tally: Counter[str] = Counter()
    for event in read_last(place, last, **which) if last else read_events(place, **which):
        tally[event["outcome"]] += 1
        _write_event(event, form)
    if form == "text":
        _write_total(tally)
    return 1 if tally[FLAGGED] else 0


def _follow(place: str, which: Mapping[str, Any], form: str, last: int | None) -> int:
    """Write events as they come; first those since a time, or the last ones, where that is asked for."""
    now = newest(place)
    earlier: Iterable[dict[str, Any]] = ()
    if last is not None:
        earlier = read_last(place, last, **which, before=now + 1)
    elif which["since"] is not None:
        earlier = read_events(place, **which, before=now + 1)
    for event in chain(earlier, following(place, now, **which)):
        _write_event(event, form)
        sys.stdout.flush()
    return 0


def _write_counts(summary: EventSummary, form: str) -> int:
    if form == "json":
        write(json.dumps(summary.to_json(), indent=2) + "\n")
    else:
        _write_tables(summary)
        _write_total(summary.total.outcomes)
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
    why = event.get("why") or ""
    what = "; ".join(map(_violation, event.get("violations", ()))) or why
    if event.get("violations") and not event.get("told") and not event.get("advised", True):
        what += f" (no alert{': ' if why else ''}{why})"
    outcome = f"{event['tool']} {event['outcome'].replace('_', ' ')}"
    write_line(f"{event['event']:>6}  {event['time'][:19]}  {outcome}{': ' if what else ''}{what}")


def _violation(found: dict[str, Any]) -> str:
    named = f" [{found['clause']}]" if found.get("clause") else ""
    return f"{found['code']} at {found['path'] or '(the result)'}{named}"


def _write_total(tally: Counter[str]) -> None:
    parts = ", ".join(f"{tally[outcome]:,} {outcome.replace('_', ' ')}" for outcome in OUTCOMES)
    write(f"{count(tally.total(), 'event')}: {parts}\n")
