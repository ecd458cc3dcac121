"""What people have decided, in a fleet: one document, changed by one person at a time."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from outcome_monitors.exceptions import StateError

from .contract_lines import named_for
from .copies import refresh
from .documents import changing, put
from .postgres import Postgres, SharedConnection

__all__ = ["DecisionsDocument", "changing_decisions"]


class DecisionsDocument:
    """What people have decided, while one of them decides."""

    def __init__(self, state: Postgres, shared: SharedConnection, document: str, name: str) -> None:
        row = shared.execute("SELECT body FROM documents WHERE name = ?", (document,)).fetchone()
        self.text: str | None = None if row is None else row[0]
        self.name = f"{name} of {state}"
        self._state, self._shared, self._document = state, shared, document

    def put(self, text: str, by: str) -> None:
        """Put another in its place."""
        put(self._shared, self._state.address, self._document, text, by)


@contextmanager
def changing_decisions(state: Postgres, name: str) -> Iterator[DecisionsDocument]:
    """Give the document to be changed; whoever names labels decides for those who have them."""
    document = named_for(name, state.address.labels)
    with changing(state, document) as shared:
        yield DecisionsDocument(state, shared, document, name)
    # It holds; who looks into the copy next, looks again.
    with suppress(StateError):
        refresh(state, state.address.cache)
