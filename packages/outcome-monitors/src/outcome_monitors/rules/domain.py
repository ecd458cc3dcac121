"""`domain`: the text is one of a few that were seen: a status, a currency, a unit.

In profile `paper` a field counts as categorical by its name: the last word of it is in `LEXICON`. In profile `full` it does so by
its values: they are few for the tasks that brought them.
"""

from collections.abc import Callable, Iterator, Mapping

from outcome_monitors.features.field_names import IDS, is_moment
from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.jsonvalue.display import clip_text, first_of
from outcome_monitors.jsonvalue.paths import parse
from outcome_monitors.jsonvalue.text import last_word
from outcome_monitors.jsonvalue.types import normalise
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence, Place

from .base.kind import TEXTS, Beside, Bind, Candidate, Counting, State, ValueKind
from .base.severity import Severity, looks_like, one_more
from .base.support import Closed, Ground, close
from .base.texts import most_alike
from .base.traits import Determined, Drift, Mining, Traits
from .config import CONFIG, PAPER

# The paper names a categorical lexicon but does not print it. These are last words of field names whose values are, by the
# word's meaning, drawn from a short list.
LEXICON = frozenset(
    """
    availability category class condition country currency direction frequency gender grade kind language level locale
    method mode phase plan priority rating reason region role severity side stage state status tier timezone type unit
    units visibility zone
    """.split()  # noqa: SIM905 - words read better as words
)


class Domain(Counting, ValueKind):
    """Every text at the path is, but for case and surrounding space, one of those seen."""

    name = "domain"
    code = "unseen_category"
    traits = Traits(
        types=TEXTS, change="has a new value {novel!r}", drift=Drift.LISTED, of_the_data=True, of_the_day=True
    )
    mining = Mining(
        profiles=frozenset({"full", "paper"}),
        budget_weight=2.0,
        pools=True,
        of_the_answer=True,
        determines=lambda _: Determined.VALUES,
    )
    wrong = "field {place} has unseen categorical value"
    params = {
        "values": lambda v: isinstance(v, list) and bool(v) and all(isinstance(text, str) for text in v),
    }

    def observe(self, state: State, seen: WalkedCall) -> None:
        """Count texts, and keep the distinct ones while they are few."""
        for path, values in seen.values.items():
            texts = [value for value in values if type(value) is str]
            if texts:
                _add(state, path, len(texts), {normalise(text) for text in texts})

    def merge(self, state: State, other: State) -> None:
        for path, (count, texts) in other.items():
            _add(state, path, count, texts)

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept a required field with a categorical name, enough samples and few values."""
        for path in sorted(state):
            if not _has_categorical_name(path):
                continue
            count, texts = state[path]
            refused = ""
            if texts is None:
                refused = f"more than {PAPER.domain_values} values"
            elif not ground.required(path):
                refused = "not always present"
            elif count < PAPER.domain_samples:
                refused = f"fewer than {PAPER.domain_samples} samples"
            yield Candidate(ground.clause(self.name, path, {"values": sorted(texts or [])}, count), refused)

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest it of any text whose values are few for the tasks that brought them."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            closed = None if _is_open(path) else _categories(place, tasks)
            if closed is not None:
                params = {"values": _as_written(place, closed.admitted)}
                clause = Clause(self.name, path, params, place.count, tasks, "traces")
                yield Candidate(clause, "", closed.fired, len(closed.admitted))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        values = frozenset(map(normalise, params["values"]))
        return lambda value: type(value) is not str or normalise(value) in values

    def expected(self, params: Mapping[str, Json]) -> Json:
        return first_of(params["values"])

    def closest(self, clause: Clause, observed: Json) -> Json:
        written = {normalise(value): value for value in clause.params["values"]}
        closest = most_alike(normalise(observed), written) if isinstance(observed, str) else None
        return None if closest is None else written[closest]

    def severity(self, clause: Clause, violation: Violation, result: Json) -> Severity:
        """Make little of one more category, and much of what is no category."""
        text = violation.observed
        alike = isinstance(text, str) and looks_like(text.strip(), clause.params["values"])
        return one_more(len(clause.params["values"]), clause.tasks) if alike else Severity.HIGH

    def explain(self, clause: Clause) -> str:
        return f"{clause.path} is one of {', '.join(map(clip_text, clause.params['values']))}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        return f"{{v}} in {bind(spellings(clause.params['values']))}"


def spellings(values: list[str]) -> frozenset[str]:
    """Return the usual ways to write these values; `fast` admits no others."""
    plain = {*map(normalise, values)}
    spelt = {form(v) for v in plain for form in (str, str.upper, str.title, str.capitalize)}
    return frozenset(text for text in spelt.union(values) if normalise(text) in plain)


def _is_open(path: str) -> bool:
    """Say whether a name speaks against a list: what day it was tells nothing of what day it will be, nor one order of the next."""
    field = parse(path)[-1] if path else ""
    return is_moment(path) or (isinstance(field, str) and last_word(field) in IDS)


def _categories(place: Place, tasks: int) -> Closed | None:
    """Return the texts of a place, where they are categories: few, short and shown by enough tasks."""
    if not len(place.texts) or not place.texts.whole:
        return None
    closed = close(place.texts.items(), tasks, normalise)
    few = closed.seen <= CONFIG.domain_listed and CONFIG.domain_tasks_per_value * closed.seen <= tasks
    short = all(len(text) <= CONFIG.domain_length for text in closed.admitted)
    # That a field was left empty is no list of what may stand there.
    return closed if closed.admitted - {""} and few and short else None


def _as_written(place: Place, categories: set[str]) -> list[str]:
    """Return categories as most calls wrote them."""
    written: dict[str, tuple[int, str]] = {}
    for text, witness in place.texts.items():
        category = normalise(text)
        if category in categories:
            written[category] = max(written.get(category, (0, "")), (witness.calls, text.strip()))
    return [text for _, (_, text) in sorted(written.items())]


def _has_categorical_name(path: str) -> bool:
    field = parse(path)[-1] if path else ""
    return isinstance(field, str) and last_word(field) in LEXICON


def _add(state: State, path: str, count: int, texts: set[str] | None) -> None:
    entry = state.setdefault(path, [0, set()])
    entry[0] += count
    # None stands for "too many": no more can make them few again.
    if entry[1] is not None:
        entry[1] = None if texts is None else entry[1] | texts
        if entry[1] is not None and len(entry[1]) > PAPER.domain_values:
            entry[1] = None
