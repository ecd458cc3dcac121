"""Controlled studies: arms, frozen protocols, paired statistics.

Nothing at run time imports this package: a monitor can reach no task, no fault and no score.
"""

from .statistics import (
    Bootstrap,
    Pairs,
    break_even,
    cluster_bootstrap,
    mcnemar_exact,
    minimum_detectable_effect,
    newcombe,
    power,
    prevalence_effect,
    sign_flip,
    tally,
    wilson,
)

__all__ = [
    "Bootstrap",
    "Pairs",
    "break_even",
    "cluster_bootstrap",
    "mcnemar_exact",
    "minimum_detectable_effect",
    "newcombe",
    "power",
    "prevalence_effect",
    "sign_flip",
    "tally",
    "wilson",
]
