"""What the console shows of a folder, page by page, without HTTP: each answer is made anew from the files as they are."""

import sqlite3
import threading
import time

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.exceptions import OutcomeMonitorsError, StateError
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.learning.status import Places, status_of
from outcome_monitors.model import Json
from outcome_monitors.reports.markup import Markup, element
from outcome_monitors.reports.page import section
from outcome_monitors.state.homes import brought_up
from outcome_monitors.values.display import clip_text
from outcome_monitors.values.folders import OVERRIDES

from .alarm_store import Alarm, event_numbered, last_events, next_of
from .alarm_view import card, closer
from .clause_book import ClauseBook, clause_search
from .feed import newest_in
from .frame import framed
from .history import History, history_of
from .overview import alarm_section, status_parts
from .recordings import last_calls
from .tool_page import LAST_RESULTS, tool_parts

__all__ = ["Site"]

MOST_CALLS = 500
"""Recorded calls of which the page on a tool shows the fields."""
FRESH = 0.5
"""Seconds for which a status is given again: many pages ask at the same moment."""
SLOW = 5.0
"""Seconds for which results over time are: they are counted over many events, and one more changes no line."""


class Site:
    """The pages on one folder, or on the state of a fleet; `form` is the secret that its forms carry."""

    def __init__(self, state: StateFolder, form: str) -> None:
        self.state, self.store = state, state.events
        self._trouble = ""
        self._form = form
        self._book = ClauseBook(self.state)
        self._made: tuple[float, dict[str, Json]] = (-FRESH, {})
        self._counted: tuple[float, History] = (-SLOW, {})

    def refresh(self) -> None:
        """Bring the copy of a fleet's state up; why that cannot be done stands on the pages."""
        if self.state.shared is None:
            return
        try:
            self._trouble = brought_up(self.state.shared)
        except OutcomeMonitorsError as error:
            self._trouble = str(error)

    def status(self) -> dict[str, Json]:
        """Return the document that `status` prints."""
        made, document = self._made
        if time.monotonic() - made >= FRESH:
            document = status_of(Places.of(self.state.home(self._trouble)))
            self._made = (time.monotonic(), document)
        return document

    def overview(self, before: int | None = None) -> str:
        """Return the first page, or that of the alarms before an event, which is not live."""
        last = newest_in(self.store)
        parts = [] if before else [element("div", *self._status_parts(), id="status")]
        return framed(
            self.state.title, "/", *parts, self.alarms(before), last=None if before else last, form=self._form
        )

    def status_part(self) -> str:
        """Return the part of the first page that changes with the status."""
        return "".join(self._status_parts())

    def _status_parts(self) -> list[Markup]:
        document = self.status()
        return [*status_parts(document, self.history(), self._form)]

    def history(self) -> History:
        """Return results over time; none where the store cannot be read, which the status says."""
        counted, history = self._counted
        if not history:
            return self._count()
        if time.monotonic() - counted >= SLOW:
            # Whoever asks now gets what was counted last, and does not wait.
            self._counted = (time.monotonic(), history)
            threading.Thread(target=self._count, name="results over time", daemon=True).start()
        return history

    def _count(self) -> History:
        try:
            history = {} if self._trouble else history_of(self.store)
        except OutcomeMonitorsError:
            history = {}
        self._counted = (time.monotonic(), history)
        return history

    def alarms(self, before: int | None = None) -> Markup:
        """Return the last alarms."""
        try:
            if self._trouble:
                # Nobody waits for what is known not to answer.
                raise StateError(self._trouble)
            return alarm_section(self.state, self.silence(), self._form, before)
        except OutcomeMonitorsError as error:
            return section(
                "Alarms", element("p", str(error), class_="trouble", role="alert"), anchor="alarms"
            )

    def alarm(self, alarm: Alarm) -> Markup:
        """Return an alarm that has just come."""
        return card(alarm, self.silence(), self._form)

    def body(self, number: int) -> str | None:
        """Return what stands in an event when it is opened; None where there is no such event."""
        event = event_numbered(self.store, number)
        return None if event is None else "".join(self._closer(event))

    def event(self, number: int) -> str | None:
        """Return the page of one event; None where there is none."""
        event = event_numbered(self.store, number)
        if event is None:
            return None
        shown = card(event, self.silence(), self._form, self._closer(event), unfolded=True)
        return framed(f"Event {number}", "", shown, form=self._form)

    def _closer(self, event: Alarm) -> list[Markup]:
        following = next_of(self.store, [event])[event["event"]] if event.get("violations") else ""
        return [*closer(self.state, event, following)]

    def contracts(self, asked: str) -> str:
        """Return the page of contracts in words, those that have the words asked for."""
        parts = clause_search(self._book.rows(), asked, self.silence(), self._form)
        return framed("Contracts", "/contracts", *parts, form=self._form)

    def tool(self, name: str) -> str | None:
        """Return the page of a tool; None where nobody knows it."""
        tool = self.status()["tools"].get(name)
        if tool is None:
            return None
        clauses = [row for row in self._book.rows() if row.tool == name]
        steps, calls = self.history().get(name, []), last_calls(self.state, name, MOST_CALLS)
        events = last_events(self.store, name, LAST_RESULTS)
        parts = tool_parts(name, tool, steps, clauses, calls, events, self.silence(), self._form)
        return framed(clip_text(name), "", *parts, form=self._form)

    def silence(self) -> Overrides:
        """Return what people have silenced; nothing where the file cannot be read, which the status says."""
        file = self.state.path / OVERRIDES
        try:
            return Overrides.load(file) if file.exists() else Overrides()
        except (OSError, OutcomeMonitorsError, sqlite3.Error):
            return Overrides()
