"""`write_applied`: what a call sent is what its answer shows."""

import re
from collections.abc import Iterator, Mapping

from outcome_monitors.jsonvalue.paths import below
from outcome_monitors.model import Json
from outcome_monitors.rules.base.traits import Cause

from .base import BuiltIn, Finding, bare, record_in

__all__ = ["WriteApplied"]

MIN_FIELDS = 2
"""Fields sent together of which some come back."""

_SECRET = re.compile(r"secret|password|passwd|token|credential|private|api_?key", re.IGNORECASE)


class WriteApplied(BuiltIn):
    """Of the fields that were sent together, none is missing where others come back."""

    name = "write_applied"
    code = "write_not_applied"
    cause = Cause.ANOTHER_QUESTION
    sentence = "the fields that were sent are in what comes back"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Hold each object that was sent against the one of the same name that comes back."""
        path, record = record_in(result)
        if not record:
            return
        for name, sent in arguments.items():
            echo = record.get(name)
            if not isinstance(sent, dict) or not isinstance(echo, dict) or len(sent) < MIN_FIELDS:
                continue
            shown = {bare(field) for field in echo if isinstance(field, str)}
            missing = [
                field
                for field, value in sent.items()
                if value not in (None, "", [], {}) and bare(field) not in shown and not _SECRET.search(field)
            ]
            if len(sent) <= 2 * len(missing) < 2 * len(sent) and shown:
                where = below(path, name)
                yield Finding(
                    where,
                    sorted(sent),
                    sorted(map(str, echo)),
                    f"{missing[0]} was sent, and does not come back",
                )
