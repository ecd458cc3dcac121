"""What the console shows, page by page, without HTTP: each answer is made anew from the state as it is."""

import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from outcome_monitors.contracts.identity import name_clause
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import owned
from outcome_monitors.events import Event
from outcome_monitors.events.prometheus import EventMetrics
from outcome_monitors.events.reader import newest
from outcome_monitors.exceptions import OutcomeMonitorsError, StateError
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.learning.metrics import exposition
from outcome_monitors.learning.status import StatusSource, status_of
from outcome_monitors.model import Clause, Json
from outcome_monitors.reports import percent
from outcome_monitors.rules import explain
from outcome_monitors.storage.layout import OVERRIDES
from outcome_monitors.storage.storage import EventTable
from outcome_monitors_server.history import History, drawn, fields_in, history_of
from outcome_monitors_server.pages import render

from .alarms import (
    MOST_READ,
    event_detail,
    event_numbered,
    event_summary,
    grouped,
    last_alarms,
    last_calls,
    last_events,
)

MOST_CALLS = 500
"""Recorded calls of which the page on a tool shows the fields."""
LAST_RESULTS = 20
MOST_GROUPS = 50
MOST_TOOLS = 200
MOST_CLAUSES = 200
LONGEST_WORDS = 240
FRESH = 0.5
"""Seconds for which a status is given again: many pages ask at the same moment."""
_COUNTED = ("tool", "outcome", "advised", "duration")
SLOW = 5.0
"""Seconds for which results over time are: they are counted over many events, and one more changes no line."""


class ClauseInWords(NamedTuple):
    """A clause, as it is shown."""

    tool: str
    path: str
    words: str
    address: str
    id: str
    tasks: int
    source: str

    def has(self, asked: str) -> bool:
        """Say whether all these words stand in it."""
        return _has(asked, self.tool, self.words, self.address, self.source)


def _has(asked: str, *texts: str) -> bool:
    """Say whether all the words asked for stand in texts."""
    text = " ".join(texts).casefold()
    return all(word in text for word in asked.casefold().split())


class Site:
    """The pages on one folder, or on the state of a fleet; `form` is the CSRF token that its forms carry."""

    def __init__(self, state: StateFolder, form: str) -> None:
        self.state, self.store = state, state.events
        self._form = form
        self._made: tuple[float, dict[str, Any]] = (-FRESH, {})
        self._counted: tuple[float, History] = (-SLOW, {})
        self._metrics, self._metrics_lock = EventMetrics(), threading.Lock()
        self._seen = newest(self.store)

    def refresh(self) -> None:
        """Bring the copy of a fleet's state up; why that cannot be done stands on the pages."""
        try:
            self.state.storage.refresh(required=False)
        except OutcomeMonitorsError as error:
            self.state.storage.trouble = str(error)

    def metrics(self) -> str:
        """Return figures for Prometheus: events since the console was started are counted, whoever wrote them."""
        with self._metrics_lock:
            before, self._seen = self._seen, newest(self.store)
            with self.store.reading() as rows:
                found = rows.select("events", *_COUNTED, after=before, before=self._seen + 1)
            for tool, outcome, told, seconds in (row.values() for row in found):
                self._metrics.put(Event(0.0, None, tool, outcome, advised=bool(told), duration=seconds))
        return exposition(self.status(), self._metrics)

    def forget(self) -> None:
        """Make the status anew: something was decided, or has changed."""
        self._made = (-FRESH, {})

    def status(self) -> dict[str, Json]:
        """Return the document that `status` prints."""
        made, document = self._made
        if time.monotonic() - made >= FRESH:
            document = status_of(StatusSource.of(self.state.storage))
            self._made = (time.monotonic(), document)
        return document

    def overview(self, before: int | None = None, asked: str = "") -> str:
        """Return the first page, or that of the alarms before an event, which is not live."""
        live = {} if before else {"last": newest_in(self.store)}
        parts = {"status": "" if before else self.status_part(), "alarms": self.alarms(before, asked)}
        return self._page("overview", self.state.storage.title, "/", **live, **parts)

    def status_part(self) -> str:
        """Return the part of the first page that changes with the status: figures, tools, changes, what is muted."""
        document: dict[str, Any] = self.status()
        tools, history = document["tools"], self.history()
        shown = [
            (name, tool, drawn(name, history.get(name, []))) for name, tool in [*tools.items()][:MOST_TOOLS]
        ]
        return self._part(
            "status",
            troubles=document["troubles"],
            results=document["results"],
            checked=document["checked"],
            told=document["told"],
            tools=shown,
            waiting=sum(len(tool["changes"]) for tool in tools.values()) + len(document["waiting"]),
            releases=_releases(document),
            silent=[one for tool in tools.values() for one in tool["silent"]],
            alerted=bool(document["told"]),
        )

    def history(self) -> History:
        """Return results over time; none where the store cannot be read, which the status says."""
        counted, history = self._counted
        if time.monotonic() - counted >= SLOW:
            try:
                history = {} if self.state.storage.trouble else history_of(self.store)
            except OutcomeMonitorsError:
                history = {}
            self._counted = (time.monotonic(), history)
        return history

    def alarms(self, before: int | None = None, asked: str = "") -> str:
        """Return what is wrong now, or was before an event, of all that has the words asked for."""
        try:
            if self.state.storage.trouble:
                # Nobody waits for what is known not to answer.
                raise StateError(self.state.storage.trouble)
            tools: dict[str, Any] = self.status()["tools"]
            changing = {change["clause"] for tool in tools.values() for change in tool["changes"]}
            found = last_alarms(self.store, before)
            groups = [
                group
                for group in grouped(found, self.silence(), changing)
                if _has(asked, group["tool"], *(one["place"] + one["words"] for one in group["broken"]))
            ]
            return self._part(
                "alarms",
                trouble="",
                asked=asked,
                groups=groups[:MOST_GROUPS],
                more=max(0, len(groups) - MOST_GROUPS),
                older=found[-1]["event"] if len(found) >= MOST_READ else None,
            )
        except OutcomeMonitorsError as error:
            return self._part("alarms", trouble=str(error))

    def body(self, number: int) -> str | None:
        """Return what stands in an event when it is opened; None where there is no such event."""
        event = event_numbered(self.store, number)
        return None if event is None else self._part("closer", inside=event_detail(self.state, event))

    def event(self, number: int) -> str | None:
        """Return the page of one event; None where there is none."""
        event = event_numbered(self.store, number)
        if event is None:
            return None
        shown, inside = event_summary(event, self.silence()), event_detail(self.state, event)
        return self._page("event", f"Event {number}", event=shown, inside=inside)

    def contracts(self, asked: str) -> str:
        """Return the page of contracts in words, those that have the words asked for."""
        rows = [*_clauses_in_words(self.state)]
        found = [row for row in rows if row.has(asked)]
        shown = self._silenced(found[:MOST_CLAUSES])
        counts = {"number": len(found), "whole": len(rows)}
        return self._page("contracts", "Contracts", "/contracts", asked=asked, clauses=shown, **counts)

    def tool(self, name: str) -> str | None:
        """Return the page of a tool; None where nobody knows it."""
        document: dict[str, Any] = self.status()
        tool = document["tools"].get(name)
        if tool is None:
            return None
        clauses = [row for row in _clauses_in_words(self.state) if row.tool == name]
        steps, calls = self.history().get(name, []), last_calls(self.state, name, MOST_CALLS)
        silence = self.silence()
        return self._page(
            "tool",
            clip_text(name),
            tool=tool,
            reasons="; ".join(f"{clip_text(why)} ({number:,})" for why, number in tool["why_not"].items()),
            drawn=drawn(name, steps),
            figures=[
                (
                    step.when,
                    f"{step.seen:,}",
                    percent(step.checked / step.seen),
                    f"{step.flagged:,}",
                    f"{step.told:,}",
                )
                for step in reversed(steps)
            ],
            calls=len(calls),
            fields=[
                (path, found, [row.words for row in clauses if row.path == path])
                for path, found in fields_in([call.get("result") for call in calls]).items()
            ],
            clauses=self._silenced(clauses),
            events=[event_summary(event, silence) for event in last_events(self.store, name, LAST_RESULTS)],
        )

    def silence(self) -> Overrides:
        """Return what people have silenced; nothing where the file cannot be read, which the status says."""
        file = self.state.path / OVERRIDES
        try:
            return Overrides.load(file) if file.exists() else Overrides()
        except (OSError, OutcomeMonitorsError, sqlite3.Error):
            return Overrides()

    def _silenced(self, clauses: Sequence[ClauseInWords]) -> list[tuple[ClauseInWords, str]]:
        silence, now = self.silence(), time.time()
        return [(row, silence.suppression(row.id, now)) for row in clauses]

    def _page(self, template: str, title: str, place: str = "", **values: Any) -> str:
        return render(f"console/{template}.html", title=title, place=place, form=self._form, **values)

    def _part(self, template: str, **values: Any) -> str:
        return render(f"console/{template}.html", form=self._form, **values)


def _releases(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the changes that wait, those of tools that changed within an hour together: a release is one card, the newest first."""
    dated = [
        (min(str(change["since"]) for change in tool["changes"]), tool["changes"], tool["questions"])
        for tool in document["tools"].values()
        if tool["questions"]
    ]
    found: list[dict[str, Any]] = []
    for since, changes, questions in sorted(dated, key=lambda one: one[0], reverse=True):
        if not found or found[-1]["since"][:13] != since[:13]:
            found.append({"since": since, "changes": 0, "questions": []})
        found[-1]["changes"] += len(changes)
        found[-1]["questions"] += questions
    if document["waiting"]:
        several = {"since": "", "changes": len(document["waiting"]), "questions": document["waiting"]}
        found.append(several)
    return found


def _clauses_in_words(state: StateFolder) -> Iterator[ClauseInWords]:
    """Yield all clauses, by tool; what cannot be read is left out, and the status says so."""
    try:
        clauses = owned(state.registry())
    except (OSError, OutcomeMonitorsError, sqlite3.Error):
        return
    for tool, found in clauses.items():
        # What a schema demands and traces show as well is one clause.
        rows: dict[str, ClauseInWords] = {}
        for row in (_row(tool, clause) for clause in found):
            if known := rows.get(row.id):
                tasks, source = max(known.tasks, row.tasks), f"{known.source}, {row.source}"
                rows[row.id] = known._replace(tasks=tasks, source=source)
            else:
                rows[row.id] = row
        yield from rows.values()


def _row(tool: str, clause: Clause) -> ClauseInWords:
    name, words = name_clause(tool, clause), clip_text(explain(clause), LONGEST_WORDS)
    return ClauseInWords(tool, clause.path, words, name.address, name.id, clause.tasks, clause.source)


def newest_in(store: EventTable) -> int:
    """Return the number of the last event; 0 where the store cannot be read just now."""
    try:
        return newest(store)
    except (OutcomeMonitorsError, OSError):
        return 0
