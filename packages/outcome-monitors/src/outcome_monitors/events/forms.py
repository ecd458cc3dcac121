"""Tools whose contract was learned from another form than their live results have.

An import that kept a wrapper, a recording of texts where the framework hands on objects: then every right result breaks the contract. A
tool whose first results are all of another JSON type than its contract knows, or have what it speaks of at another depth, and tell of no
failure, falls silent, and people are told once. The first result that is of the known form ends that.
"""

import logging
from typing import TYPE_CHECKING

from outcome_monitors.alerting.policy import AlertDecision
from outcome_monitors.jsonvalue.text import begins_as_json
from outcome_monitors.jsonvalue.types import kind_of
from outcome_monitors.model import Json
from outcome_monitors.rules.anomalous_text import tells_of_failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcome_monitors.alerting.policy import AlertContext, Detection
    from outcome_monitors.checking.forms import ContractForm

__all__ = ["FIRST", "OtherFormPolicy"]

log = logging.getLogger("outcome_monitors")

FIRST = 3
"""So many results, the first of a tool, show that all are of another form."""


class OtherFormPolicy:
    """Suppresses the alerts of a tool whose first results are all of another form; `form_of` gives that of its contract."""

    def __init__(self, form_of: "Callable[[str], ContractForm]") -> None:
        self._form_of = form_of
        self._odd: dict[str, int] = {}
        self._known: set[str] = set()
        """Tools of which a result was of a type that the contract knows."""

    def observe_pass(self, tool: str) -> None:
        """Observe a result of the form that the contract knows."""
        self._known.add(tool)
        self._odd.pop(tool, None)

    def __call__(self, detection: "Detection", _context: "AlertContext") -> AlertDecision:
        """Decide on a result that violates something."""
        silent = detection.tool not in self._known and self._is_silent(detection.tool, detection.given)
        return AlertDecision(detection.broken, "another form" if silent else "")

    def _is_silent(self, tool: str, result: Json) -> bool:
        form = self._form_of(tool)
        other = form.differs(result)
        if not other and not form.elsewhere(result):
            self.observe_pass(tool)
            return False
        if _failed(result):
            return False
        self._odd[tool] = self._odd.get(tool, 0) + 1
        if self._odd[tool] == FIRST:
            log.warning(
                "the first %d results of %r %s: it was learned from another form; "
                "nothing is told of this tool until a result fits; record and mine again",
                FIRST,
                tool,
                _types(form, result) if other else "have what its contract speaks of at another depth",
            )
        return self._odd[tool] >= FIRST


def _types(form: "ContractForm", result: Json) -> str:
    return f"are all {kind_of(result)}s, and its contract knows {' or '.join(sorted(form.kinds or ()))}"


def _failed(result: Json) -> bool:
    """Say whether a result tells of a failure rather than of another form: it is empty, cut off, or says so."""
    if not isinstance(result, str):
        return result is None
    return not result.strip() or begins_as_json(result) or tells_of_failure(result)
