"""What comes of thresholds: mining and alerting, as an audit and a backtest measure them, under values that are not those of the configs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from outcome_monitors import Call, mine, read_traces
from outcome_monitors.alerting import config as alerting_config
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.evaluation import Settings
from outcome_monitors.evaluation.audit import judge_cases
from outcome_monitors.evaluation.backtest import AS_THEY_ARE, Traffic, replay_draw
from outcome_monitors.evaluation.cases import Case, make_cases
from outcome_monitors.evaluation.faults import faults
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.mining import config as mining_config
from outcome_monitors.mining.observations import Observations
from outcome_monitors.rules import config as rules_config

__all__ = ["CONFIGS", "Alerts", "Audits", "Figures", "Variant"]

CONFIGS: Mapping[str, Any] = {
    "rules": rules_config.CONFIG,
    "mining": mining_config.CONFIG,
    "alerting": alerting_config.CONFIG,
}
DRAWS = 4
"""How often a later file is replayed with faults in it."""


class Variant(NamedTuple):
    """A threshold with another value."""

    side: str
    name: str
    value: Any

    def apply(self) -> None:
        """Change the config, for as long as the process lives."""
        object.__setattr__(CONFIGS[self.side], self.name, self.value)


class Figures(NamedTuple):
    """What was learned, and what came of it."""

    clauses: frozenset[int]
    recall: float
    clean: float
    """Points of the clean results that are flagged, or of which agents are alerted."""


class Fold(NamedTuple):
    """A file of traces, and the fold of its tasks that is left out."""

    cases: Sequence[Case]
    left_out: int


class Audits:
    """Mines and judges folds; what a threshold is not read for is done once for all."""

    def __init__(self, files: Iterable[str], folds: int, limit: int) -> None:
        self._folds = [fold for file in files for fold in _folds(file, folds, limit)]
        self._reads: dict[str, set[tuple[str, str]]] = {}
        """The thresholds read in each step, as far as values remembered from the step before do not hide it."""
        with self._reading("observe"):
            self._observed = [*map(_observe, self._folds)]
        with self._reading("mine"):
            mined = [_mined(*pair) for pair in zip(self._folds, self._observed, strict=True)]
        with self._reading("judge"):
            self.base = [*map(_judge, self._folds, mined)]

    def __call__(self, variant: Variant) -> list[Figures]:
        """Return what comes of each fold under a variant."""
        name = variant[:2]
        if not any(name in names for names in self._reads.values()):
            return self.base
        return [self._under(name, place) for place in range(len(self._folds))]

    def _under(self, name: tuple[str, str], place: int) -> Figures:
        fold, before = self._folds[place], self.base[place]
        observed = _observe(fold) if name in self._reads["observe"] else self._observed[place]
        registry = _mined(fold, observed)
        if _clauses(registry) == before.clauses and name not in self._reads["judge"]:
            return before
        return _judge(fold, registry)

    @contextmanager
    def _reading(self, step: str) -> Iterator[None]:
        found = self._reads[step] = set[tuple[str, str]]()
        for side, config in CONFIGS.items():
            type(config).__getattribute__ = _reader(found, side)  # type: ignore[assignment]
        try:
            yield
        finally:
            for config in CONFIGS.values():
                del type(config).__getattribute__


def _reader(found: set[tuple[str, str]], side: str) -> Callable[[Any, str], Any]:
    def read(config: Any, name: str) -> Any:
        found.add((side, name))
        return object.__getattribute__(config, name)

    return read


def _clean(file: str) -> list[Call]:
    return [call for call in read_traces([file]) if not call.error]


def _folds(file: str, folds: int, limit: int) -> Iterator[Fold]:
    settings = Settings(limit=limit)
    cases = make_cases(_clean(file), faults(settings.suites), settings.folds, settings.limit)
    yield from (Fold(cases, fold) for fold in range(folds))


def _observe(fold: Fold) -> Observations:
    observations = Observations()
    observations.add_all(_learned(fold))
    return observations


def _learned(fold: Fold) -> list[Call]:
    return [case.call for case in fold.cases if case.fold != fold.left_out]


def _mined(fold: Fold, observations: Observations) -> Registry:
    return observations.contracts(again=_learned(fold)).registry


def _judge(fold: Fold, registry: Registry) -> Figures:
    clean = clean_flagged = faulted = faulted_flagged = 0
    left_out = [case for case in fold.cases if case.fold == fold.left_out]
    for _, outcome, corrupted in judge_cases(left_out, registry):
        clean += 1
        clean_flagged += bool(outcome.broken)
        faulted += len(corrupted)
        faulted_flagged += sum(bool(other.broken) for _, other in corrupted)
    recall, flagged = 100 * faulted_flagged / max(faulted, 1), 100 * clean_flagged / max(clean, 1)
    return Figures(_clauses(registry), recall, flagged)


def _clauses(registry: Registry) -> frozenset[int]:
    contracts = [(tool, contract.clauses) for tool, contract in registry.contracts.items()]
    shapes = [(str(shape.fields), shape.clauses) for shape in registry.shapes]
    return frozenset(
        stable_hash(f"{of} {clause!r}") for of, clauses in (*contracts, *shapes) for clause in clauses
    )


class Alerts:
    """Replays later traces under the alert policy."""

    def __init__(self, files: Iterable[tuple[str, str]], limit: int) -> None:
        self._traffic = [_traffic(earlier, later, Settings(limit=limit)) for earlier, later in files]
        self.base = [*map(_alerted, self._traffic)]

    def __call__(self, variant: Variant) -> list[Figures]:
        """Return what comes of each later file under a variant."""
        return [*map(_alerted, self._traffic)]


def _traffic(earlier: str, later: str, settings: Settings) -> Traffic:
    cases = make_cases(_clean(later), faults(settings.suites), 1, settings.limit)
    return Traffic(cases, mine(_clean(earlier)), settings.budget)


def _alerted(traffic: Traffic) -> Figures:
    as_they_are = replay_draw(traffic, AS_THEY_ARE)
    draws = [replay_draw(traffic, draw) for draw in range(1, DRAWS + 1)]
    wrong = [one.told for draw in draws for one in draw.results if one.fault]
    right = [one.told for one in as_they_are.results]
    return Figures(frozenset(), 100 * sum(wrong) / max(len(wrong), 1), 100 * sum(right) / len(right))
