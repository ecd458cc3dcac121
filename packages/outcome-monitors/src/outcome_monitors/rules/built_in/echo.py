"""`write_applied`: what a call sent is what its answer shows."""

import re
from collections.abc import Iterator, Mapping

from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.jsonvalue.text import last_word
from outcome_monitors.model import Json
from outcome_monitors.rules.base.traits import Cause

from .base import BuiltIn, Finding, bare, is_amount, is_scalar, record_in, rows_in
from .constraints import IDENTITIES
from .vocabulary import LIMITS, PARTS

MIN_FIELDS = 2
"""Fields sent together of which some come back."""

SCALES = (1, 0.001, 0.01, 100, 1000)
SAME = 0.01
_NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,6})?")
_SECRET = re.compile(r"secret|password|passwd|token|credential|private|api_?key", re.IGNORECASE)


class WriteApplied(BuiltIn):
    """Of the fields that were sent together, none is missing or another where the others come back."""

    name = "write_applied"
    code = "write_not_applied"
    cause = Cause.ANOTHER_QUESTION
    sentence = "the fields that were sent are in what comes back"
    reads_texts = False

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Hold what was sent against what comes back: the arguments themselves, the objects among them, and lists of such."""
        path, record = record_in(result)
        yield from _another(path, arguments, record)
        for name, part in record.items():
            if isinstance(name, str) and isinstance(part, dict):
                yield from _another(below(path, name), arguments, part)
        for name, sent in arguments.items():
            echo = record.get(name)
            if isinstance(sent, dict) and isinstance(echo, dict):
                yield from _missing(below(path, name), sent, echo)
            elif isinstance(sent, list) and sent and isinstance(sent[0], dict):
                where, rows = rows_in(result)
                for index, (one, row) in enumerate(
                    zip(sent, rows, strict=True) if len(rows) == len(sent) else ()
                ):
                    part = next((value for value in row.values() if isinstance(value, dict)), {})
                    # It repeats what was sent, and no more than that.
                    if part and all(one.get(field) == value for field, value in part.items()):
                        yield from _missing(at_index(where, index), one, part)


def _missing(path: str, sent: Mapping[str, Json], echo: Mapping[str, Json]) -> Iterator[Finding]:
    """Say which fields of an object did not come back, where at most half of them did."""
    shown = {bare(field) for field in echo if isinstance(field, str)}
    missing = [
        field
        for field, value in sent.items()
        if value not in (None, "", [], {}) and bare(field) not in shown and not _SECRET.search(field)
    ]
    if MIN_FIELDS <= len(sent) <= 2 * len(missing) < 2 * len(sent) and shown:
        detail = f"{missing[0]} was sent, and does not come back"
        yield Finding(path, sorted(sent), sorted(map(str, echo)), detail)


def _another(path: str, arguments: Mapping[str, Json], echo: Mapping[str, Json]) -> Iterator[Finding]:
    """Say which number came back as another, where something else that was sent came back as it was."""
    sent = {bare(name): value for name, value in arguments.items() if is_scalar(value)}
    pairs = [
        (name, sent[bare(name)], echo[name])
        for name in echo
        if isinstance(name, str) and bare(name) in sent and is_scalar(echo[name])
    ]
    same = [name for name, one, other in pairs if bare(str(one)) == bare(str(other)) != ""]
    for name, one, other in pairs if same else ():
        asked, shown = _number(one), _number(other)
        if (
            asked is None
            or shown is None
            or not asked
            or bare(name) in PARTS | LIMITS
            or last_word(name) in IDENTITIES
        ):
            continue
        ratio = abs(shown / asked)
        # The same in another unit: cents, grams, milliseconds.
        if not any(abs(ratio - scale) < SAME * scale for scale in SCALES):
            yield Finding(below(path, name), one, other, f"{name} {one} was sent, and {other} comes back")


def _number(value: Json) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    return float(value) if is_amount(value) else None
