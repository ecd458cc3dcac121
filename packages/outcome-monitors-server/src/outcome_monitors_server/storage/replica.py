"""A host's copy of what is small in a fleet's state, and the thread that brings it up to what the database has.

The copy is a folder as one host alone would have it, and nobody else writes into it: a file is replaced whole or not at all, and only
where the database has another. What is decided or counted goes to the database.
"""

import logging
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from outcome_monitors.exceptions import StateError
from outcome_monitors.files import private_folder, write_atomically
from outcome_monitors.learning.rollout import SHADOW
from outcome_monitors.storage.address import CACHE
from outcome_monitors.storage.layout import CHANGES, STAGES
from outcome_monitors.storage.sqlite import empty_tables, locked
from outcome_monitors.storage.storage import PATIENCE as OF_A_COPY
from outcome_monitors.storage.tables import FILES, Rows

from .connections import Connection, Connections, SharedConnection, cut_after
from .documents import document_versions, pull

LOCK = "copy.lock"
"""Held by the one who brings a copy up; it was last touched when the copy was as the database is."""


def refresh(state: Connections, folder: Path) -> None:
    """Bring the copy in a folder up to what the database has; raise StateError where the database or the folder cannot be used."""
    # The database is looked at by the one who holds the lock: nobody puts what is older over what is newer.
    with _alone(folder), state.reading() as shared:
        pull(shared, folder)
        for name in (STAGES, CHANGES):
            _copy(shared, folder / name)
        os.utime(folder / LOCK)


def copied_at(folder: Path) -> float | None:
    """Return when a copy was last as the database was then; None where there is none."""
    with suppress(OSError):
        if (folder / STAGES).exists():
            return (folder / LOCK).stat().st_mtime
    return None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    try:
        private_folder(folder)
        with locked(folder / LOCK, OF_A_COPY):
            yield
    except (OSError, sqlite3.Error) as error:
        raise StateError(
            f"the copy of the state in {folder} cannot be written, and {CACHE} may name another place: {error}"
        ) from error


def _copy(rows: Rows, target: Path) -> None:
    # Of a tool that advises nobody asks who its evidence is from, and there may be much.
    shadow = [row["tool"] for row in rows.select("trials", "tool", stage=SHADOW)]
    with closing(empty_tables(target.name)) as made:
        made.execute("BEGIN")
        for table in (table for table, file in FILES.items() if file == target.name):
            found = rows.select(table, tool=shadow if table == "witnesses" else None)
            # In order, so that the same rows make the same file.
            Rows(made).put(table, sorted(found, key=lambda row: repr([*row.values()])))
        made.execute("COMMIT")
        content = made.serialize()
    if not target.exists() or target.read_bytes() != content:
        write_atomically(target, content, private=True)


log = logging.getLogger("outcome_monitors.storage")

POLL = 1.0
"""Seconds between two looks at the database."""
COPY = 30.0
"""Seconds after which counts are copied though no document has changed; one process of a host does so."""
PATIENCE = 5.0
"""Seconds that the database may take for one of these."""
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 4.0
"""Seconds between two tries to reach it."""
AT_THE_END = 2.0
"""Seconds that the last round may take."""

Errand = Callable[[SharedConnection], None]
"""Something to be done with the database, on a connection outside of a transaction; it is done again in the next round."""


class Replica:
    """Follows a fleet's state from one process."""

    def __init__(self, state: Connections, folder: Path, errands: Sequence[Errand] = ()) -> None:
        self._state, self._folder, self._errands = state, folder, errands
        self._seen: object = None
        """Documents, stages and clauses in force, when the copy was last brought up."""
        self._said: set[str] = set()
        """What was said of trouble that lasts."""
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._closed, self._first = threading.Event(), threading.Event()
        self.trouble = ""
        """Why the database is away, where it is."""
        self._thread: threading.Thread | None = None

    def start(self, within: float = 0.0) -> None:
        """Begin; wait so many seconds for the first look, which a host without a copy has reason to."""
        self._thread = threading.Thread(target=self._run, name=f"the state at {self._state}", daemon=True)
        self._thread.start()
        if within:
            self._first.wait(within)

    def go_on(self) -> None:
        """Begin anew in a process that was forked: threads stay behind."""
        if self._process != os.getpid() and not self._closed.is_set():
            self._begin()
            self.start()

    def close(self, within: float = AT_THE_END) -> None:
        """Do the errands once more, where the database is there, and end."""
        self._closed.set()
        if self._thread is not None and self._process == os.getpid():
            self._thread.join(0.2 if self.trouble else within)

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._closed.is_set():
            begun = time.monotonic()
            try:
                with self._state.as_state_error(), closing(self._opened()) as connection:
                    self._follow(SharedConnection(connection))
            except Exception as error:  # noqa: BLE001 - whatever it is, results go on, and it is tried again
                self._trouble(error)
            self._first.set()
            # One that held for a while is soon tried again.
            held = time.monotonic() - begun > LONGEST_PAUSE + PATIENCE
            pause = FIRST_PAUSE if held else min(2 * pause, LONGEST_PAUSE)
            self._closed.wait(pause * random.uniform(0.8, 1.2))  # noqa: S311 - a fleet does not come back at once

    def _opened(self) -> Connection:
        connection = self._state.connect_to_write(PATIENCE)
        try:
            with cut_after(connection, PATIENCE):
                # Less than an errand may take: where many wait for a lock, one gives up its turn, not its connection.
                connection.execute("SET lock_timeout = '2s'")
        except BaseException:
            connection.close()
            raise
        return connection

    def _follow(self, shared: SharedConnection) -> None:
        last = False
        while not last:
            last = self._closed.is_set()
            if not last:
                self._look(shared)
                self._there()
            for errand in self._errands:
                self._run_errand(errand, shared)
            self._first.set()
            if not last:
                self._closed.wait(POLL)

    def _look(self, shared: SharedConnection) -> None:
        """Bring the copy up where the database has something else, or it is old."""
        with cut_after(shared.raw, PATIENCE):
            turn = shared.execute("SELECT turn FROM turns").fetchone()
            there = document_versions(shared), turn
        copied = copied_at(self._folder)
        if there != self._seen or copied is None or not 0 <= time.time() - copied < COPY:
            refresh(self._state, self._folder)
            # Who looks so seldom keeps no second connection.
            self._state.close()
            self._seen = there

    def _run_errand(self, errand: Errand, shared: SharedConnection) -> None:
        try:
            with self._state.as_state_error(), cut_after(shared.raw, PATIENCE):
                errand(shared)
        except Exception as error:
            if shared.raw.closed:
                raise
            # No right to write one thing is no reason to do without the others.
            self._say(f"{error}; what it is about waits")

    def _there(self) -> None:
        if self.trouble:
            self.trouble = ""
            self._said.clear()
            log.warning("the state at %s is there again", self._state)

    def _trouble(self, error: Exception) -> None:
        known_before, self.trouble = self.trouble, str(error)
        if not known_before and not self._closed.is_set():
            copied = copied_at(self._folder)
            known = (
                "nothing is known yet" if copied is None else f"what is known is the copy in {self._folder}"
            )
            log.warning("%s; %s, and results are served by it", error, known)

    def _say(self, words: str) -> None:
        if words not in self._said and len(self._said) < 100:
            self._said.add(words)
            log.warning("%s", words)
