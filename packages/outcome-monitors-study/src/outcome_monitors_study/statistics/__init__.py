"""Paired statistics for studies: plain Python, exact wherever that can be done."""

from ._bootstrap import Bootstrap, cluster_bootstrap
from ._clusters import Clusters
from ._intervals import newcombe, wilson
from ._mcnemar import mcnemar_exact
from ._pairs import Pairs, break_even, prevalence_effect, tally
from ._power import minimum_detectable_effect, power
from ._repeats import pass_every
from ._signflip import sign_flip

__all__ = [
    "Bootstrap",
    "Clusters",
    "Pairs",
    "break_even",
    "cluster_bootstrap",
    "mcnemar_exact",
    "minimum_detectable_effect",
    "newcombe",
    "pass_every",
    "power",
    "prevalence_effect",
    "sign_flip",
    "tally",
    "wilson",
]
