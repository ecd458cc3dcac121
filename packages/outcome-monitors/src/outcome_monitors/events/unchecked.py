"""Results that were not checked: counted by tool and reason, and logged once for each tool."""

import logging
import threading
from collections import Counter

from outcome_monitors.jsonvalue.display import clip_text

log = logging.getLogger("outcome_monitors")

MOST_REASONS = 1000
"""Tools and reasons that are told apart; all further ones count as one."""
MOST_SHOWN = 10
OTHERS = ("other tools", "for other reasons")
_logged: set[str] = set()
"""Tools of which this process has logged that results are not checked."""


class UncheckedCounts:
    """Results that were not checked, by tool and why. Safe under threads.

    A call that failed openly is no news to anybody, and is counted alone. What has no result that could be checked (a picture, content
    that is empty, an answer that is too large) is taken for checked, unless someone says so: that is logged once for each tool.
    """

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    def note(self, tool: str, why: str, *, openly: bool = False) -> None:
        """Count a result; the first of each tool is logged, unless its call failed `openly`."""
        with self._lock:
            known = (tool, why) in self.counts or len(self.counts) < MOST_REASONS
            self.counts[(tool, why) if known else OTHERS] += 1
            first = not openly and tool not in _logged and len(_logged) < MOST_REASONS
            if first:
                _logged.add(tool)
        if first:
            log.warning(
                "a result of %r is not checked: %s; further ones are counted alone", clip_text(tool), why
            )

    def sentence(self) -> str:
        """Say how many results of which tools were not checked, and why, the most first; empty where all were."""
        with self._lock:
            found = self.counts.most_common()
        shown = [f"{number} of {clip_text(tool)}, {why}" for (tool, why), number in found[:MOST_SHOWN]]
        rest = sum(number for _, number in found[MOST_SHOWN:])
        return "; ".join([*shown, f"{rest} more"] if rest else shown)
