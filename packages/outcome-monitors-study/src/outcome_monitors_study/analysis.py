"""From a ledger to its figures: each arm against the baseline, as the manifest has it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from outcome_monitors.model import Json

from ._ledger import read_failures, requests_sent_again
from ._receipt_outcomes import ReceiptOutcomes, look
from .manifest import Study, own_episodes, refuse_invalidated
from .statistics import (
    Bootstrap,
    Pairs,
    break_even,
    cluster_bootstrap,
    minimum_detectable_effect,
    pass_every,
    prevalence_effect,
    sign_flip,
    tally,
)

Record = dict[str, Json]
Pair = tuple[Record, Record]
PREVALENCES = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A treatment against a baseline, over the cells that both have run: those with a fault, where there are any."""

    baseline: str
    treatment: str
    primary: bool
    pairs: Pairs
    by_agent: Mapping[str, Pairs]
    by_stratum: Mapping[str, Pairs]
    """Clean ones included, as in the next."""
    by_agent_and_stratum: Mapping[tuple[str, str], Pairs]
    sign_flip: float
    """Clustered by task."""
    bootstrap: Bootstrap
    detectable: float | None
    """The smallest gain that so many pairs could have shown, with power 0.8; None where none that is left could."""
    faulted: Bootstrap | None
    """Of the cells with a fault; None where there are none."""
    clean: Bootstrap | None
    """Of the cells without."""
    clean_pairs: Pairs
    """The pairs of the cells without."""

    @property
    def unfavourable(self) -> tuple[float, float]:
        """The low ends of both intervals, with a fault and without; without clean cells 0 is taken for those."""
        return (self.faulted.low if self.faulted else 0.0), (self.clean.low if self.clean else 0.0)


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
    completed: Mapping[str, tuple[int, int]]
    """By arm: episodes completed, and episodes."""
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
        completed={arm: (sum(r["completed"] for r in rows), len(rows)) for arm, rows in by_arm.items()},
        repeated={arm: _repeated(study, rows) for arm, rows in by_arm.items()},
        seen={arm: look(rows, distinctive) for arm, rows in by_arm.items()},
        failures={arm: failed[arm] for arm in by_arm},
        sent_again=requests_sent_again(study.failures),
    )


def _about(study: Study) -> dict[str, str]:
    manifest, tasks = study.manifest, {cell.task for cell in study.cells}
    return {
        "study": study.folder.resolve().name,
        "environment": str(manifest["environment"]["environment"]),
        "agents": ", ".join(manifest["agents"]),
        "arms": ", ".join(manifest["arms"]),
        "tasks": f"{len(tasks):,} in {len({cell.stratum for cell in study.cells})} strata",
        "seed": str(manifest["sampling"]["seed"]),
        "contracts": f"profile {manifest['settings']['profile']}",
        "frozen": str(manifest["frozen"]["time"]),
        "manifest": manifest["digest"],
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
    whole = _tally(asked)
    settings = study.manifest["analysis"]

    def interval(some: Sequence[Pair]) -> Bootstrap | None:
        if not some:
            return None
        return cluster_bootstrap(
            _clusters(some), resamples=settings["resamples"], seed=settings["seed"], level=settings["level"]
        )

    bootstrap = interval(asked)
    assert bootstrap is not None
    return Contrast(
        baseline=base,
        treatment=arm,
        primary=primary,
        pairs=whole,
        by_agent=_grouped(asked, "agent"),
        by_stratum=_grouped(pairs, "stratum"),
        by_agent_and_stratum=_grouped(pairs, "agent", "stratum"),
        sign_flip=sign_flip(_clusters(asked)),
        bootstrap=bootstrap,
        detectable=minimum_detectable_effect(whole.count, whole.baseline / whole.count),
        faulted=bootstrap if faulted else None,
        clean=interval(clean),
        clean_pairs=_tally(clean),
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


def _clusters(pairs: Sequence[Pair]) -> dict[str, list[int]]:
    clusters: dict[str, list[int]] = defaultdict(list)
    for one, other in pairs:
        clusters[one["task"]].append(other["completed"] - one["completed"])
    return clusters


def _tally(pairs: Iterable[Pair]) -> Pairs:
    return tally((one["completed"], other["completed"]) for one, other in pairs)


def _grouped(pairs: Sequence[Pair], *keys: str) -> dict[Any, Pairs]:
    """Count pairs by fields of their episodes: by one, or by a tuple of several."""
    grouped: dict[Any, list[Pair]] = defaultdict(list)
    for pair in pairs:
        values = tuple(pair[0][key] for key in keys)
        grouped[values if len(keys) > 1 else values[0]].append(pair)
    return {name: _tally(some) for name, some in sorted(grouped.items())}


class NetEffect(NamedTuple):
    """What a treatment comes to where so large a share of tasks has a fault."""

    prevalence: float
    effect: float
    unfavourable: float
    """At the low ends of both intervals."""


def net_effects(contrast: Contrast) -> list[NetEffect]:
    """Return the net effect by the share of tasks with a fault; without clean cells clean tasks count as untouched."""
    faulted = contrast.faulted.estimate if contrast.faulted else 0.0
    clean = contrast.clean.estimate if contrast.clean else 0.0
    return [
        NetEffect(
            share,
            prevalence_effect(faulted, clean, share),
            prevalence_effect(*contrast.unfavourable, share),
        )
        for share in PREVALENCES
    ]


def as_json(found: Analysis) -> dict[str, Json]:
    """Return all figures as JSON."""
    return {
        "study": dict(found.about),
        "scripted": found.scripted,
        "episodes": {"done": found.done, "planned": found.planned},
        "amendments": list(found.amendments),
        "primary_pairs": "with a fault" if found.faulted else "clean",
        "clean_strata": sorted(found.clean_strata),
        "distinctive": found.distinctive,
        "completed": {arm: {"completed": c, "of": n} for arm, (c, n) in found.completed.items()},
        **(
            {"pass_every": {arm: dict(agents) for arm, agents in found.repeated.items()}}
            if any(found.repeated.values())
            else {}
        ),
        "contrasts": [_contrast_json(contrast) for contrast in found.contrasts],
        "arms": {arm: _outcomes_json(seen) for arm, seen in found.seen.items()},
        "failed_tries": dict(found.failures),
        "requests_sent_again": found.sent_again,
    }


def _contrast_json(contrast: Contrast) -> Json:
    return {
        "baseline": contrast.baseline,
        "treatment": contrast.treatment,
        "primary": contrast.primary,
        **pairs_json(contrast.pairs),
        "sign_flip_p": contrast.sign_flip,
        "bootstrap": contrast.bootstrap._asdict(),
        "minimum_detectable_effect": contrast.detectable,
        "agents": {name: pairs_json(pairs) for name, pairs in contrast.by_agent.items()},
        "strata": {name: pairs_json(pairs) for name, pairs in contrast.by_stratum.items()},
        "agents_and_strata": [
            {"agent": agent, "stratum": stratum, **pairs_json(pairs)}
            for (agent, stratum), pairs in contrast.by_agent_and_stratum.items()
        ],
        "clean": {**pairs_json(contrast.clean_pairs), "bootstrap": contrast.clean._asdict()}
        if contrast.clean
        else None,
        "net_effect_by_prevalence": [net._asdict() for net in net_effects(contrast)],
        "break_even_prevalence_unfavourable": break_even(*contrast.unfavourable),
    }


def pairs_json(pairs: Pairs) -> dict[str, Json]:
    """Return a decomposition with its test."""
    return {
        "pairs": pairs.count,
        "baseline_completed": pairs.baseline,
        "treatment_completed": pairs.treatment,
        "rescue": pairs.rescue,
        "harm": pairs.harm,
        "both_pass": pairs.both_pass,
        "both_fail": pairs.both_fail,
        "effect": pairs.effect,
        "conditional_rescue": pairs.conditional_rescue,
        "mcnemar_p": pairs.p,
    }


def _outcomes_json(seen: ReceiptOutcomes) -> Json:
    plain = {name: getattr(seen, name) for name in ReceiptOutcomes.__dataclass_fields__}
    by_fault = {fault: {"flagged": k, "injected": n} for fault, (k, n) in seen.by_fault.items()}
    return {**plain, "first_actions": dict(sorted(seen.first_actions.items())), "by_fault": by_fault}
