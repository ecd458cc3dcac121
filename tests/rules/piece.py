"""A kind in one file, as whoever adds one writes it: it stands in no table of ours."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from outcome_monitors.model import Clause, Json
from outcome_monitors.rules.base.kind import Candidate, ValueKind, named
from outcome_monitors.rules.base.support import close
from outcome_monitors.rules.base.traits import Cause, Drift, Traits
from outcome_monitors.rules.evidence.evidence import Evidence

ENDS = {"first": 0, "last": -1}
MOST_PIECES = 5


def _piece(end: str, text: str) -> str:
    return text.split("-")[ENDS[end]]


class Piece(ValueKind):
    """The first, or the last, of the pieces of every text between hyphens is one of those seen."""

    name = "piece"
    code = "unseen_piece"
    cause = Cause.DENIES_FACTS
    traits = Traits(drift=Drift.LISTED)
    identity = ("end",)
    params = {
        "end": lambda v: isinstance(v, str) and v in ENDS,
        "pieces": lambda v: isinstance(v, list) and bool(v) and all(isinstance(piece, str) for piece in v),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the pieces seen at each end, where they are few."""
        for path, place in sorted(evidence.places.items()):
            tasks, texts = evidence.tasks(path), place.texts.items()
            for end in ENDS if all("-" in text for text, _ in texts) else ():
                closed = close(texts, tasks, partial(_piece, end))
                if 0 < len(closed.admitted) <= MOST_PIECES:
                    params = {"end": end, "pieces": sorted(closed.admitted)}
                    clause = Clause(self.name, path, params, place.count, tasks, "traces")
                    yield Candidate(clause, "", closed.fired, len(closed.admitted))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Look the piece up."""
        pieces, end = frozenset(params["pieces"]), params["end"]
        return lambda value: not isinstance(value, str) or _piece(end, value) in pieces

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        end, pieces = clause.params["end"], " or ".join(clause.params["pieces"])
        return f"the {end} piece of {named(clause.path)} is {pieces}"
