"""`edges`: the text begins and ends as clean ones do: a sentence with its full stop, a path with its slash."""

from collections.abc import Callable, Iterator, Mapping

from .._evidence import Evidence
from .._model import Clause, Json
from ._closed import close
from ._kind import Candidate, ValueKind, named
from .alphabet import sort_of

__all__ = ["Edges"]

LEAST = 8


class Edges(ValueKind):
    """The first and the last character of every text are of sorts that were seen there."""

    name = "edges"
    code = "unseen_edge"
    profiles = frozenset({"full"})
    pools = True
    of_the_answer = True
    params = {
        "first": lambda v: isinstance(v, list) and all(isinstance(c, str) for c in v),
        "last": lambda v: isinstance(v, list) and all(isinstance(c, str) for c in v),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the sorts that more than one task brought."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            texts = [(text, witness) for text, witness in place.texts.items() if text]
            if min(tasks, len(texts)) < LEAST:
                continue
            first = close(((sort_of(text[0]), witness) for text, witness in texts), tasks)
            last = close(((sort_of(text[-1]), witness) for text, witness in texts), tasks)
            params = {"first": sorted(first.admitted), "last": sorted(last.admitted)}
            clause = Clause(self.name, path, params, place.count, tasks, "traces")
            yield Candidate(
                clause,
                "",
                {**first.fired, **last.fired},
                len(first.admitted) + len(last.admitted) - 1,
                len(texts),
            )

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Test both ends; of an empty text nothing is said."""
        first, last = frozenset(params["first"]), frozenset(params["last"])
        return lambda value: (
            type(value) is not str or not value or (sort_of(value[0]) in first and sort_of(value[-1]) in last)
        )

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Name the sorts."""
        return f"first {' '.join(params['first'])}, last {' '.join(params['last'])}"

    def detail(self, place: str) -> str:
        """Say what is wrong."""
        return f"text {place} does not begin or end as clean results do"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"{named(clause.path)} begins with {' '.join(clause.params['first'])} and ends with {' '.join(clause.params['last'])}"
