"""`time`: the text is a date, a moment or a time of day that exists, and not one of another age.

How far a time may be from those seen is generous on purpose: today's orders are later than all those that were mined, and must not
fire. What is caught is a 31st of June, a clock at 34:10, a birth in two hundred years.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta

from outcome_monitors.jsonvalue.times import when
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import Witness

from .base.kind import TEXTS, Beside, Bind, Candidate, ValueKind, witnesses
from .base.severity import Severity
from .base.traits import Cause, Determined, Drift, Mining, Traits
from .config import CONFIG

_CLOCK = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?")
_LOOKS: dict[str, re.Pattern[str]] = {
    "date": re.compile(r"\d{4}-\d{2}-\d{2}"),
    "moment": re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?"),
    "clock": re.compile(r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"),
}


def _date(text: str) -> datetime | None:
    return when(text) if len(text) == 10 else None


def _moment(text: str) -> datetime | None:
    moment = when(text) if len(text) > 10 else None
    return moment.replace(tzinfo=None) if moment is not None else None


def _clock(text: str) -> datetime | None:
    return _MIDNIGHT if _CLOCK.fullmatch(text) else None


_MIDNIGHT = datetime(2000, 1, 1)  # noqa: DTZ001 - stands for any time of day

LAYOUTS: dict[str, Callable[[str], datetime | None]] = {"date": _date, "moment": _moment, "clock": _clock}
"""How a time may be written; each reads a text, or says that it is no such time."""


def _is_bound(value: Json) -> bool:
    return isinstance(value, str) and when(value) is not None


class Time(ValueKind):
    """Every text at the path is a time that exists, within bounds that leave decades of room."""

    name = "time"
    code = "impossible_time"
    cause = Cause.NO_SUCH_TIME
    traits = Traits(
        variant=("layout",),
        types=TEXTS,
        drift=Drift.BOUNDED,
        severity=Severity.HIGH,
        own_words=True,
    )
    mining = Mining(
        trusted=True,
        budget_weight=4.0,
        pools=True,
        determines=lambda _: Determined.FORM | Determined.LENGTH,
    )
    wrong = "field {place} is no time that can be"
    params = {
        "layout": lambda v: isinstance(v, str) and v in LAYOUTS,
        "low": _is_bound,
        "high": _is_bound,
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the layout that all texts have, but for those of a task that may be label noise."""
        for path, place in sorted(evidence.places.items()):
            tasks, texts = evidence.tasks(path), place.texts.items()
            if tasks < CONFIG.min_tasks or len(texts) < CONFIG.min_values:
                continue
            for layout in LAYOUTS:
                found = _read(texts, layout, tasks)
                if found is not None:
                    times, fired = found
                    params = {"layout": layout, **_bounds(times, tasks)}
                    clause = Clause(self.name, path, params, place.count, tasks, "traces")
                    yield Candidate(clause, "", fired, entities=len(times))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        read = LAYOUTS[params["layout"]]
        low, high = _bound(params["low"]), _bound(params["high"])
        if params["layout"] == "clock":
            # A time of day is of no year.
            low = high = _MIDNIGHT

        def holds(value: Json) -> bool:
            if type(value) is not str:
                return True
            time = read(value)
            return time is not None and low <= time <= high

        return holds

    def expected(self, params: Mapping[str, Json]) -> Json:
        if params["layout"] == "clock":
            return "a time of day"
        return f"a {params['layout']} between {params['low'][:4]} and {params['high'][:4]}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        """Match what is plainly a time, and compare days as texts; the rest goes through the test."""
        plain = f"{bind(_PLAIN[clause.params['layout']].fullmatch)}({{v}})"
        if clause.params["layout"] != "clock":
            low, high = (bind(_bound(clause.params[end]).date().isoformat()) for end in ("low", "high"))
            plain += f" and {low} < {{v}}[:10] < {high}"
        return f"({plain} or {super().fast(clause, bind, beside)})"


# Days that every month has.
_DAY = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])"
_PLAIN: dict[str, re.Pattern[str]] = {
    "date": re.compile(_DAY, re.ASCII),
    "moment": re.compile(rf"{_DAY}[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ?", re.ASCII),
    "clock": re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d", re.ASCII),
}


def _bound(text: str) -> datetime:
    found = when(text)
    assert found is not None
    return found.replace(tzinfo=None)


def _bounds(times: list[datetime], tasks: int) -> dict[str, Json]:
    apart = max(times) - min(times)
    room = max(
        apart,
        CONFIG.time_lifetime
        if apart > CONFIG.time_years_apart and tasks < CONFIG.label_noise_tasks
        else CONFIG.time_room,
    )
    return {"low": _shifted(min(times), -room), "high": _shifted(max(times), room)}


def _shifted(time: datetime, by: timedelta) -> str:
    try:
        return (time + by).date().isoformat()
    except OverflowError:
        return (date.min if by < timedelta(0) else date.max).isoformat()


def _read(
    texts: list[tuple[str, Witness]], layout: str, tasks: int
) -> tuple[list[datetime], dict[int, int]] | None:
    """Return the times that texts are and the tasks whose texts are none; None where that is more than label noise."""
    read, look = LAYOUTS[layout], _LOOKS[layout]
    times, strays = [], []
    for text, witness in texts:
        time = read(text)
        if time is not None and look.fullmatch(text):
            times.append(time)
        else:
            strays.append(witness)
    fired = witnesses(strays)
    most = 1 if tasks >= CONFIG.label_noise_tasks else 0
    return (times, fired) if len(times) >= CONFIG.min_values and len(fired) <= most else None
