"""What the output schema of a tool means for its receipts: where they can stand, and which results no client would show."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.learning.folder import schemas_of
from outcome_monitors.model import Json
from outcome_monitors.receipts.mcp import must_declare, takes_receipt


class Listed(NamedTuple):
    """A tool that was listed; one that was not holds no receipts."""

    takes_receipt: bool = False
    """Whether its structured content may hold one."""
    schema: Json = None

    @classmethod
    def of(cls, tool: Mapping[str, Any]) -> Self:
        """Return what an entry of `tools/list` says."""
        schema = tool.get("outputSchema")
        return cls(schema is None or (takes_receipt(schema) and not must_declare(schema)), schema)

    def refuses(self, tool: str, result: Mapping[str, Any], value: Json) -> bool:
        """Say whether clients throw a result away, since its structured content is missing, or breaks the schema as far as contracts tell."""
        if self.schema is None:
            return False
        if result.get("structuredContent") is None:
            return True
        known = schemas_of({tool: {"name": tool, "outputSchema": self.schema}})
        return bool(Monitor(known, built_in=False).check(tool, {}, value))
