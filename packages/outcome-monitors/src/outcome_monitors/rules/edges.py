"""`edges`: the text begins and ends as clean ones do: a sentence with its full stop, a path with its slash."""

from collections.abc import Callable, Iterator, Mapping

from outcome_monitors.evidence.evidence import Evidence
from outcome_monitors.model import Clause, Json

from .alphabet import are_sorts, plain, said, sort_of
from .base.closed_set import close, join_fired
from .base.gravity import Gravity
from .base.kind import TEXTS, Beside, Bind, Candidate, Fast, ValueKind, named
from .base.prose import Looks, looks
from .base.traits import Drift, Told

__all__ = ["Edges"]

LEAST = 10
"""Tasks, and distinct texts."""


class Edges(ValueKind):
    """The first and the last character of every text are of sorts that were seen there."""

    name = "edges"
    code = "unseen_edge"
    profiles = frozenset({"full"})
    pools = True
    of_the_answer = True
    drift = Drift.LISTED
    own_words = True
    weighs = Gravity.SLIGHT
    params = {"first": are_sorts, "last": are_sorts}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the sorts that more than one task brought."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            texts = [(text, witness) for text, witness in place.texts.items() if text]
            if min(tasks, len(texts)) < LEAST or (look := looks(path, place, tasks)) is Looks.OPEN:
                continue
            alike = plain(look, min(tasks, len(texts)))
            first = close(((sort_of(text[0]), witness) for text, witness in texts), tasks)
            last = close(((sort_of(text[-1]), witness) for text, witness in texts), tasks)
            params = {"first": sorted(first.admitted | alike), "last": sorted(last.admitted | alike)}
            clause = Clause(self.name, path, params, place.count, tasks, "traces")
            values = len(first.admitted) + len(last.admitted) - 1
            join_fired(first.fired, last.fired)
            yield Candidate(clause, "", first.fired, values, len(texts))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Test both ends; of an empty text nothing is said."""
        first, last = frozenset(params["first"]), frozenset(params["last"])
        return lambda value: (
            type(value) is not str or not value or (sort_of(value[0]) in first and sort_of(value[-1]) in last)
        )

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Name the sorts."""
        return f"first {said(params['first'])}, last {said(params['last'])}"

    def detail(self, place: str) -> str:
        """Say what is wrong."""
        return f"text {place} does not begin or end as clean results do"

    def where(self, params: Mapping[str, Json], text: str) -> int:
        """Show the end, unless it is the beginning that is wrong."""
        return len(text) - 1 if sort_of(text[0]) in params["first"] else 0

    def needless_where(self, params: Mapping[str, Json]) -> Told:
        """Add nothing where texts are listed, or their form is known."""
        return Told.VALUES | Told.FORM

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        first, last = said(clause.params["first"]), said(clause.params["last"])
        return f"{named(clause.path)} begins with {first} and ends with {last}"

    def speaks_of(self, params: Mapping[str, Json]) -> frozenset[type]:
        """Speak of texts alone."""
        return TEXTS

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Look the ASCII characters up; what has others goes through the test."""
        first, last = (
            bind(frozenset(c for c in map(chr, range(128)) if sort_of(c) in clause.params[end]))
            for end in ("first", "last")
        )
        column = f"{first}.issuperset([x[0] for x in {{c}}]) and {last}.issuperset([x[-1] for x in {{c}}])"
        return Fast(f"{{v}}[0] in {first} and {{v}}[-1] in {last}", column)
