"""The figures of a study as JSON, for other programs."""

from outcome_monitors.model import Json

from ._receipts_seen import ReceiptSeen
from .analysis import Analysis, Contrast, net_effects
from .statistics import Pairs, break_even

__all__ = ["as_json", "pairs_json"]


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
        "arms": {arm: _seen_json(seen) for arm, seen in found.seen.items()},
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


def _seen_json(seen: ReceiptSeen) -> Json:
    plain = {name: getattr(seen, name) for name in ReceiptSeen.__dataclass_fields__}
    by_fault = {fault: {"flagged": k, "injected": n} for fault, (k, n) in seen.by_fault.items()}
    return {**plain, "first_actions": dict(sorted(seen.first_actions.items())), "by_fault": by_fault}
