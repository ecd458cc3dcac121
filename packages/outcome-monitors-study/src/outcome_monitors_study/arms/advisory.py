"""Arms that advise where a detector fires; they differ in what the receipt says, or in what the detector knows."""

import json
from collections.abc import Mapping
from typing import ClassVar

from outcome_monitors.model import Encoder, Json, Violation
from outcome_monitors.receipts.carriers import text_beside

from ._arm import Arm, Delivery, Detecting

__all__ = [
    "AdvisoryNote",
    "AdvisorySafe",
    "AdvisoryText",
    "AdvisoryV1",
    "AdvisoryV2",
    "Generic",
    "ProxyAsItIs",
    "SchemaOnly",
    "Stripped",
]


class AdvisoryV1(Detecting):
    """The compact receipt: codes and details."""

    name = "advisory-v1"
    summary = "Receipt v1 where the learned contracts are broken."
    encoder = "v1"


class AdvisoryV2(Detecting):
    """The receipt with a witness: tool, property, path, expected, observed."""

    name = "advisory-v2"
    summary = "Receipt v2 where the learned contracts are broken."
    encoder = "v2"


class AdvisorySafe(Detecting):
    """Receipt v2 with our list in place of the published one, and nothing else changed."""

    name = "advisory-v2-safe"
    summary = "Receipt v2 with the safe list where the learned contracts are broken."
    listing = "safe"


class AdvisoryText(Detecting):
    """The paragraph that the paper appends to results that are text, as in AppWorld and tau-bench."""

    name = "advisory-text"
    lists = False
    summary = "A paragraph after the result where the learned contracts are broken."
    encoder: ClassVar[Encoder] = "text"

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result, or its text with the receipt after it."""
        receipt, violations = self.judged(tool, arguments, result)
        if receipt is None:
            return Delivery(result)
        raw = result if isinstance(result, str) else json.dumps(result)
        return Delivery(text_beside(raw, receipt), receipt, violations)


class AdvisoryNote(AdvisoryText):
    """One sentence behind the result, with our list."""

    name = "advisory-note"
    lists = True
    summary = "A sentence after the result, with the safe list, where the learned contracts are broken."
    encoder = "note"
    listing = "safe"


class ProxyAsItIs(Arm):
    """What a proxy in front of the tools adds, as it comes off the wire."""

    name = "proxy"
    lists = True
    summary = "What the proxy makes of results; in environments whose calls go through one (mcp)."

    def deliver(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Delivery:
        """Return the result, or its text with what the proxy put behind it."""
        told = self.bench.told
        if told is None:
            return Delivery(result)
        named = told.receipt.get("violation") if isinstance(told.receipt, dict) else None
        named = named if isinstance(named, dict) else {}
        code, path = str(named.get("property", "receipt")), str(named.get("path", ""))
        found = Violation(code, path, named.get("expected"), named.get("observed"), told.text)
        return Delivery(told.text, told.receipt, (found,))


class SchemaOnly(Detecting):
    """The same receipt, from the public schemas alone: they know no substitutes, so the tool itself is all it lists."""

    name = "schema-only"
    summary = "Receipt v2 without substitutes where the public output schemas are broken."
    detector = "schemas"


class Generic(Detecting):
    """The specificity control: a fixed caution in the witness's place, the recovery tools kept."""

    name = "generic"
    summary = "A fixed caution with recovery tools, where the learned contracts are broken."
    encoder = "generic"


class Stripped(Detecting):
    """The fixed caution without recovery tools."""

    name = "stripped"
    lists = False
    summary = "A fixed caution without recovery tools, where the learned contracts are broken."
    encoder = "stripped"
