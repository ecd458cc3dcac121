"""From a ledger to its figures: each arm against the baseline, as the manifest has it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .._model import Json
from ._manifest import Study, own_episodes
from ._receipts_seen import Seen, look
from .statistics import (
    Bootstrap,
    Pairs,
    cluster_bootstrap,
    minimum_detectable_effect,
    prevalence_effect,
    sign_flip,
    tally,
)

__all__ = ["Analysis", "Contrast", "analyse", "as_json"]

Record = dict[str, Json]
PREVALENCES = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A treatment against a baseline, over the cells that both have run."""

    baseline: str
    treatment: str
    primary: bool
    pairs: Pairs
    by_agent: Mapping[str, Pairs]
    by_stratum: Mapping[str, Pairs]
    sign_flip: float
    """Clustered by task."""
    bootstrap: Bootstrap
    detectable: float | None
    """The smallest gain that so many pairs could have shown, with power 0.8; None where none that is left could."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a study shows so far."""

    scripted: bool
    done: int
    planned: int
    amendments: Sequence[Mapping[str, Json]]
    contrasts: tuple[Contrast, ...]
    completed: Mapping[str, tuple[int, int]]
    """By arm: episodes completed, and episodes."""
    seen: Mapping[str, Seen]
    """By arm."""


def analyse(study: Study) -> Analysis:
    """Work out all figures of a study from its ledger; unfinished pairs are left out."""
    planned = {episode.name for episode in study.episodes()}
    records = [record for record in own_episodes(study) if record["episode"] in planned]
    by_arm = {arm: [r for r in records if r["arm"] == arm] for arm in study.manifest["arms"]}
    end = study.manifest["endpoint"]
    base = end["baseline"]
    contrasts = (
        _contrast(study, base, arm, by_arm, primary=arm == end["treatment"]) for arm in by_arm if arm != base
    )
    return Analysis(
        scripted=study.manifest["scripted"],
        done=len(records),
        planned=len(planned),
        amendments=study.manifest["amendments"],
        contrasts=tuple(contrast for contrast in contrasts if contrast is not None),
        completed={arm: (sum(r["completed"] for r in rows), len(rows)) for arm, rows in by_arm.items()},
        seen={arm: look(rows) for arm, rows in by_arm.items()},
    )


def _contrast(
    study: Study, base: str, arm: str, by_arm: Mapping[str, Sequence[Record]], *, primary: bool
) -> Contrast | None:
    before = {(record["cell"], record["agent"]): record for record in by_arm[base]}
    pairs = [
        (before[record["cell"], record["agent"]], record)
        for record in by_arm[arm]
        if (record["cell"], record["agent"]) in before
    ]
    if not pairs:
        return None
    clusters: dict[str, list[int]] = defaultdict(list)
    for one, other in pairs:
        clusters[one["task"]].append(other["completed"] - one["completed"])
    whole = _tally(pairs)
    settings = study.manifest["analysis"]
    return Contrast(
        baseline=base,
        treatment=arm,
        primary=primary,
        pairs=whole,
        by_agent=_grouped(pairs, "agent"),
        by_stratum=_grouped(pairs, "stratum"),
        sign_flip=sign_flip(clusters),
        bootstrap=cluster_bootstrap(
            clusters, resamples=settings["resamples"], seed=settings["seed"], level=settings["level"]
        ),
        detectable=minimum_detectable_effect(whole.count, whole.baseline / whole.count),
    )


Pair = tuple[Record, Record]


def _tally(pairs: Iterable[Pair]) -> Pairs:
    return tally((one["completed"], other["completed"]) for one, other in pairs)


def _grouped(pairs: Sequence[Pair], key: str) -> dict[str, Pairs]:
    names = sorted({one[key] for one, _ in pairs})
    return {name: _tally(pair for pair in pairs if pair[0][key] == name) for name in names}


def net_effects(contrast: Contrast) -> list[tuple[float, float]]:
    """Return the net effect by the share of tasks with a fault; without clean cells (P0) clean tasks count as untouched."""
    clean, faulted = Pairs(0, 0, 0, 0), Pairs(0, 0, 0, 0)
    for stratum, pairs in contrast.by_stratum.items():
        if stratum.endswith("/P0"):
            clean += pairs
        else:
            faulted += pairs
    return [
        (share, prevalence_effect(faulted.effect or 0.0, clean.effect or 0.0, share)) for share in PREVALENCES
    ]


def as_json(found: Analysis) -> dict[str, Json]:
    """Return all figures as JSON."""
    return {
        "scripted": found.scripted,
        "episodes": {"done": found.done, "planned": found.planned},
        "amendments": list(found.amendments),
        "completed": {arm: {"completed": c, "of": n} for arm, (c, n) in found.completed.items()},
        "contrasts": [_contrast_json(contrast) for contrast in found.contrasts],
        "arms": {arm: _seen_json(seen) for arm, seen in found.seen.items()},
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
        "net_effect_by_prevalence": [
            {"prevalence": share, "effect": effect} for share, effect in net_effects(contrast)
        ],
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


def _seen_json(seen: Seen) -> Json:
    plain = {name: getattr(seen, name) for name in Seen.__dataclass_fields__}
    return {**plain, "first_actions": dict(sorted(seen.first_actions.items()))}
