"""From a ledger to its figures: each arm against the baseline, as the manifest has it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from outcome_monitors.model import Json

from ._ledger import read_failures, requests_sent_again
from ._receipt_outcomes import ReceiptOutcomes, has_receipt, look, took_what_was_listed
from .manifest import Study, own_episodes, refuse_invalidated
from .statistics import (
    Bootstrap,
    Pairs,
    cluster_bootstrap,
    mcnemar_exact,
    minimum_detectable_effect,
    pass_every,
    sign_flip,
    tally,
)

Record = dict[str, Json]
Pair = tuple[Record, Record]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a treatment does to some pairs."""

    pairs: Pairs
    bootstrap: Bootstrap
    """Clustered by task, as the next."""
    sign_flip: float


@dataclass(frozen=True, slots=True)
class ReceiptedPairs:
    """The pairs that differ, by what receipts had to do with it."""

    wins: int
    losses: int
    """Wins and losses in which the treatment's agent was given a receipt."""
    listed: int
    """Wins in which it called a tool for the first time after a receipt had listed it."""
    p_without: float
    """The exact p without those."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A treatment against a baseline, over the cells that both have run: those with a fault, where there are any."""

    baseline: str
    treatment: str
    primary: bool
    whole: Effect
    detectable: float | None
    """The least gain that so many pairs show with power 0.8; None where none that is left would be."""
    receipted: ReceiptedPairs
    faulted: Effect | None
    """Of the cells with a fault; None where there are none."""
    clean: Effect | None
    """Of the cells without."""
    by_agent: Mapping[str, Effect]
    by_stratum: Mapping[str, Effect]
    """Clean ones included, as in the next."""
    by_agent_and_stratum: Mapping[tuple[str, str], Effect]

    @property
    def pairs(self) -> Pairs:
        """The pairs that it is asked of."""
        return self.whole.pairs


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a study shows so far."""

    about: Mapping[str, str]
    """What it is: its name, who took part, what was drawn, and the digest of its manifest."""
    scripted: bool
    done: int
    planned: int
    faulted: bool
    """The primary contrast is on the pairs with a fault; otherwise there are none but clean ones."""
    clean_strata: frozenset[str]
    distinctive: int
    """Signs of a wrong value that is looked for later on."""
    amendments: Sequence[Mapping[str, Json]]
    contrasts: tuple[Contrast, ...]
    repeated: Mapping[str, Mapping[str, tuple[float | None, ...]]]
    """By arm and agent: pass^1, pass^2 and so on, where episodes were run several times."""
    seen: Mapping[str, ReceiptOutcomes]
    """By arm."""
    failures: Mapping[str, int]
    """By arm: tries that an endpoint broke off. They were run again, and are no outcome."""
    sent_again: int
    """Requests that were answered at a later try."""


def analyse(study: Study) -> Analysis:
    """Work out all figures of a study from its ledger; unfinished pairs are left out."""
    refuse_invalidated(study)
    planned = [episode.name for episode in study.episodes()]
    kept = {record["episode"]: record for record in own_episodes(study)}
    # In the order of the plan: several episodes at once end in any order, and no figure may depend on that.
    records = [kept[name] for name in planned if name in kept]
    by_arm = {arm: [r for r in records if r["arm"] == arm] for arm in study.manifest["arms"]}
    contrasts = (
        _contrast(study, base, arm, by_arm, primary=not number)
        for number, (arm, base) in enumerate(study.manifest["contrasts"])
    )
    failed = Counter(failure.get("arm") for failure in read_failures(study.failures))
    strata = {cell.stratum for cell in study.cells}
    distinctive = study.manifest["analysis"]["distinctive"]
    return Analysis(
        about=_about(study),
        scripted=study.manifest["scripted"],
        done=len(records),
        planned=len(planned),
        faulted=study.faulted,
        clean_strata=frozenset(filter(study.is_clean, strata)),
        distinctive=distinctive,
        amendments=study.manifest["amendments"],
        contrasts=tuple(contrast for contrast in contrasts if contrast is not None),
        repeated={arm: _repeated(study, rows) for arm, rows in by_arm.items()},
        seen={arm: look(rows, study.is_clean, distinctive) for arm, rows in by_arm.items()},
        failures={arm: failed[arm] for arm in by_arm},
        sent_again=requests_sent_again(study.failures),
    )


def _about(study: Study) -> dict[str, str]:
    manifest, tasks = study.manifest, {cell.task for cell in study.cells}
    return {
        "study": study.folder.resolve().name,
        "status": study.status,
        "environment": str(manifest["environment"]["environment"]),
        "agents": ", ".join(manifest["agents"]),
        "arms": ", ".join(manifest["arms"]),
        "tasks": f"{len(tasks):,} in {len({cell.stratum for cell in study.cells})} strata",
        "seed": str(manifest["sampling"]["seed"]),
        "contracts": f"profile {manifest['settings']['profile']}",
        "frozen": str(manifest["frozen"]["time"]),
        "manifest": manifest["digest"],
        **({"registered": manifest["registered"]} if manifest["registered"] else {}),
    }


def _contrast(
    study: Study, base: str, arm: str, by_arm: Mapping[str, Sequence[Record]], *, primary: bool
) -> Contrast | None:
    before = {_pair_key(record): record for record in by_arm[base]}
    pairs = [(before[_pair_key(record)], record) for record in by_arm[arm] if _pair_key(record) in before]
    if not pairs:
        return None
    clean = [pair for pair in pairs if study.is_clean(pair[0]["stratum"])]
    faulted = [pair for pair in pairs if not study.is_clean(pair[0]["stratum"])]
    # What a receipt does where nothing is wrong is another question: it is answered apart.
    asked = faulted or clean
    effect = partial(_effect, study.manifest["analysis"])
    whole, tasks = effect(asked), {one["task"] for one, _ in asked}
    return Contrast(
        baseline=base,
        treatment=arm,
        primary=primary,
        whole=whole,
        detectable=minimum_detectable_effect(
            whole.pairs.count, whole.pairs.baseline / whole.pairs.count, clusters=len(tasks)
        ),
        receipted=_receipted(asked),
        faulted=whole if faulted else None,
        clean=effect(clean) if clean else None,
        by_agent=_grouped(asked, lambda one: one["agent"], effect),
        by_stratum=_grouped(pairs, lambda one: one["stratum"], effect),
        by_agent_and_stratum=_grouped(pairs, lambda one: (one["agent"], one["stratum"]), effect),
    )


def _effect(settings: Mapping[str, Json], pairs: Sequence[Pair]) -> Effect:
    clusters: dict[str, list[int]] = defaultdict(list)
    for one, other in pairs:
        clusters[one["task"]].append(other["completed"] - one["completed"])
    drawn = {name: settings[name] for name in ("resamples", "seed", "level")}
    counted = tally((one["completed"], other["completed"]) for one, other in pairs)
    return Effect(counted, cluster_bootstrap(clusters, **drawn), sign_flip(clusters))


def _grouped(
    pairs: Iterable[Pair], key: Callable[[Record], Any], effect: Callable[[Sequence[Pair]], Effect]
) -> dict[Any, Effect]:
    grouped: dict[Any, list[Pair]] = defaultdict(list)
    for pair in pairs:
        grouped[key(pair[0])].append(pair)
    return {name: effect(some) for name, some in sorted(grouped.items())}


def _receipted(pairs: Sequence[Pair]) -> ReceiptedPairs:
    won = [other for one, other in pairs if other["completed"] > one["completed"]]
    lost = [other for one, other in pairs if other["completed"] < one["completed"]]
    listed = sum(map(took_what_was_listed, won))
    return ReceiptedPairs(
        sum(map(has_receipt, won)),
        sum(map(has_receipt, lost)),
        listed,
        mcnemar_exact(len(won) - listed, len(lost)),
    )


def _pair_key(record: Record) -> tuple[str, str, int]:
    return record["cell"], record["agent"], record.get("repeat", 0)


def _repeated(study: Study, records: Sequence[Record]) -> dict[str, tuple[float | None, ...]]:
    """Return pass^1, pass^2 and so on of each agent, on the cells that the contrasts are on."""
    if study.repeats == 1:
        return {}
    runs: dict[str, dict[str, list[bool]]] = {agent: defaultdict(list) for agent in study.manifest["agents"]}
    for record in records:
        if study.is_clean(record["stratum"]) != study.faulted:
            runs[record["agent"]][record["cell"]].append(record["completed"])
    numbers = range(1, study.repeats + 1)
    return {
        agent: tuple(pass_every(cells.values(), k) for k in numbers) for agent, cells in runs.items() if cells
    }
