"""tau-bench's retail domain, and the retail and airline domains of tau2-bench.

A checkout of the benchmark comes in, tasks with stateful tools go out; no code of the checkout is run.
"""

from .retail import TauRetailEnvironment, TauRetailEpisode
from .tau2 import Tau2AirlineEnvironment, Tau2RetailEnvironment

__all__ = ["Tau2AirlineEnvironment", "Tau2RetailEnvironment", "TauRetailEnvironment", "TauRetailEpisode"]
