"""`rows`: how the rows of a list stand: all different by a field, ascending or descending by it."""

from collections.abc import Callable, Iterator, Mapping

from .._evidence import Evidence
from .._features import ABSENT
from .._memory import names_a_thing
from .._model import Clause, Json
from ._kind import Candidate
from ._record import Get, RecordKind, is_feature, rows_of

__all__ = ["Rows"]

STANDINGS = {"u": "all different", "a": "ascending", "d": "descending"}
LEAST_TASKS = 4
LEAST_LISTS = 6


class Rows(RecordKind):
    """The rows are all different, ascending or descending by a field."""

    name = "rows"
    code = "row_order_broken"
    profiles = frozenset({"full"})
    params = {"field": is_feature, "standing": lambda v: v in STANDINGS}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each standing that all lists long enough to show it have."""
        for path, rows in rows_of(evidence):
            names = sorted({name for found, _ in rows for name in found if name[0] == "%"})
            for field in names:
                for standing in STANDINGS:
                    if standing == "u" and not names_a_thing(field) and field != "%[]":
                        continue
                    lists = [
                        (found[field], w)
                        for found, w in rows
                        if field in found and not (standing != "u" and "?" in found[field])
                    ]
                    broken = [w for flags, w in lists if standing not in flags]
                    behind = len({t for _, w in lists for t in w[1:]})
                    if len(lists) < LEAST_LISTS or behind < LEAST_TASKS or len(broken) > 0.01 * len(lists):
                        continue
                    clause = Clause(
                        self.name,
                        path,
                        {"field": field, "standing": standing},
                        sum(w.calls for _, w in lists),
                        evidence.tasks(path),
                        "traces",
                    )
                    yield Candidate(clause, "", {w.first: w.calls for w in broken}, entities=len(lists))

    def broken(self, params: Mapping[str, Json]) -> Callable[[Get], tuple[str, Json, Json] | None]:
        """Test the standing."""
        field, standing = params["field"], params["standing"]

        def broken(get: Get) -> tuple[str, Json, Json] | None:
            flags = get(field)
            if flags is ABSENT or standing in flags or (standing != "u" and "?" in flags):
                return None
            return field, STANDINGS[standing], f"not {STANDINGS[standing]}"

        return broken

    def detail(self, params: Mapping[str, Json]) -> str:
        """Say what is wrong."""
        return f"rows are not {STANDINGS[params['standing']]} by {params['field'][1:] or 'value'}"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"{clause.params['field'][1:] or 'the items'} are {STANDINGS[clause.params['standing']]}"
