"""What could not be made JSON: counted by its type, and said once."""

import threading
from collections import Counter

__all__ = ["TROUBLE", "Trouble"]

MOST_TYPES = 100
"""Types that are told apart; all further ones count as one."""


class Trouble:
    """Counts of what could not be made JSON, by the name of its type and why."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    def note(self, name: str, why: str) -> str:
        """Count one; return the text that stands in its place."""
        key = (name, why)
        with self._lock:
            if key not in self.counts and len(self.counts) >= MOST_TYPES:
                key = ("another type", why)
            self.counts[key] += 1
            first = self.counts[key] == 1
        if first:
            import logging  # noqa: PLC0415 - it takes long to load, and hardly a process comes here

            logging.getLogger("outcome_monitors").warning(
                "a %s in a result could not be made JSON (%s); the text <%s> stands for it", *key, name
            )
        return f"<{name}>"


TROUBLE = Trouble()
"""Of this process."""
