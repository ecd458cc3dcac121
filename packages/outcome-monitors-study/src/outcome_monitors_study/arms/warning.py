"""Arms that vary when a fixed warning comes: always, or just not when it should."""

from collections import deque
from collections.abc import Mapping
from typing import ClassVar

from outcome_monitors.model import Json
from outcome_monitors.receipts.encoders import envelope

from ._arm import Arm, Bench, Delivery, Detecting

__all__ = ["AlwaysWarn", "AlwaysWarnStripped", "MatchedPlacebo"]


class AlwaysWarn(Arm):
    """The fixed caution with recovery tools on every result."""

    name = "always-warn"
    lists = True
    summary = "A fixed caution with recovery tools on every result."
    encoder: ClassVar[str] = "generic"

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the envelope, whatever the result is."""
        receipt = self.bench.warning(self.encoder, tool)
        return Delivery(envelope(result, receipt), receipt)


class AlwaysWarnStripped(AlwaysWarn):
    """The fixed caution without recovery tools on every result."""

    name = "always-warn-stripped"
    lists = False
    summary = "A fixed caution without recovery tools on every result."
    encoder = "stripped"


class MatchedPlacebo(Detecting):
    """As many warnings as `generic` gives, at the wrong time.

    At a violation the warning is held back and the result passes raw; each warning held back is delivered at the next result
    that is consistent.
    """

    name = "matched-placebo"
    summary = "The warnings of `generic`, each delayed to the next consistent result."
    encoder = "generic"

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._held: deque[Json] = deque()

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result raw where it is suspect, and a warning that is due where it is not."""
        receipt, violations = self.judged(tool, arguments, result)
        if receipt is not None:
            self._held.append(receipt)
            return Delivery(result, None, violations)
        if not self._held:
            return Delivery(result)
        due = self._held.popleft()
        return Delivery(envelope(result, due), due)
