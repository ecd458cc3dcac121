"""`events`: what proxies and adapters have checked."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import click

from outcome_monitors.events import (
    FLAGGED,
    NOT_CHECKED,
    OUTCOMES,
    Wanted,
    counted,
    default_store,
    forget_events,
    read_events,
)

from ._output import count, table, write

__all__ = ["command"]

MOST_REASONS = 30
"""Tools, each with a reason, that are listed."""
_SECONDS = {"h": 3600, "d": 86400, "w": 7 * 86400}

EPILOG = """\b
Example:
  outcome-monitors events events.jsonl --outcome flagged

Exit status: 0 nothing was flagged, 1 something was, 2 the work could not be done."""


@click.command("events", epilog=EPILOG)
@click.argument("store", required=False)
@click.option("--tool", metavar="NAME", help="Only this tool's.")
@click.option(
    "--outcome",
    "outcomes",
    type=click.Choice(list(OUTCOMES)),
    multiple=True,
    help="Only those with this outcome. Can be repeated.",
)
@click.option("--session", metavar="NAME", help="Only this conversation's.")
@click.option("--since", metavar="TIME", help="Only from this time on: 2026-03-01, or 2026-03-01T10:00:00Z.")
@click.option(
    "--last", metavar="N", type=click.IntRange(1), help="List the last N one by one, not a count by tool."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "jsonl"]),
    default="text",
    show_default=True,
    help="What to write.",
)
@click.option(
    "--forget", metavar="AGE", help="Delete those that are older, as in 30d, 12h or 4w; a store's alone."
)
def command(
    store: str | None,
    tool: str | None,
    outcomes: tuple[str, ...],
    session: str | None,
    since: str | None,
    last: int | None,
    form: str,
    forget: str | None,
) -> int:
    """Count the events of STORE by tool and outcome, or list them. Without STORE, those of the usual place."""
    if forget is not None:
        if any((tool, outcomes, session, since, last)):
            raise click.UsageError("--forget goes by age alone")
        forgotten = forget_events(store or default_store(), time.time() - _age(forget))
        write(f"{count(forgotten, 'event')} older than {forget} forgotten\n")
        return 0
    wanted = Wanted(tool, outcomes, session, _time(since))
    tally: Counter[str] = Counter()
    events = _tallied(read_events(store or default_store(), wanted), tally)
    if form == "jsonl":
        for event in _tail(events, last):
            write(json.dumps(event) + "\n")
    elif last is not None or outcomes:
        _list(list(_tail(events, last)))
        _total(tally)
    else:
        _count(events)
        _total(tally)
    return 1 if tally[FLAGGED] else 0


def _time(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise click.UsageError(f"--since {text!r} is not a time as in 2026-03-01T10:00:00Z") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _age(text: str) -> float:
    found = re.fullmatch(r"(\d{1,6})([hdw])", text)
    if found is None:
        raise click.UsageError(f"--forget {text!r} is not an age as in 30d, 12h or 4w")
    return int(found[1]) * _SECONDS[found[2]]


def _tallied(events: Iterator[dict[str, Any]], tally: Counter[str]) -> Iterator[dict[str, Any]]:
    for event in events:
        tally[event["outcome"]] += 1
        yield event


def _tail(events: Iterator[dict[str, Any]], last: int | None) -> Iterator[dict[str, Any]]:
    if last is None:
        return events
    kept: list[dict[str, Any]] = []
    for event in events:
        kept.append(event)
        if len(kept) >= 2 * last:
            del kept[:-last]
    return iter(kept[-last:])


def _count(events: Iterator[dict[str, Any]]) -> None:
    reasons: Counter[tuple[str, str]] = Counter()
    found = counted(_noting(events, reasons))
    rows = [(tool, *(f"{tally[outcome]:,}" for outcome in OUTCOMES)) for tool, tally in found.items()]
    if rows:
        table(("tool", *(f">{outcome.replace('_', ' ')}" for outcome in OUTCOMES)), rows)
    if reasons:
        told = [(tool, f"{number:,}", why) for (tool, why), number in reasons.most_common(MOST_REASONS)]
        table(("tool", ">not checked", "why"), told)


def _noting(events: Iterator[dict[str, Any]], reasons: Counter[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    for event in events:
        if event["outcome"] == NOT_CHECKED:
            reasons[event["tool"], event.get("why") or "nobody said why"] += 1
        yield event


def _list(events: list[dict[str, Any]]) -> None:
    if events:
        table(
            ("time", "tool", "outcome", "what"),
            [
                (event["time"][:19], event["tool"], event["outcome"].replace("_", " "), _what(event))
                for event in events
            ],
        )


def _what(event: dict[str, Any]) -> str:
    found = "; ".join(f"{v['code']} at {v['path'] or '(the result)'}" for v in event.get("violations", ()))
    return event.get("why") or (found if event.get("advised", True) else f"{found} (nobody was told)")


def _total(tally: Counter[str]) -> None:
    parts = ", ".join(f"{tally[outcome]:,} {outcome.replace('_', ' ')}" for outcome in OUTCOMES)
    write(f"{count(tally.total(), 'event')}: {parts}\n")
