"""tau-bench's retail domain, and the retail and airline domains of tau2-bench."""

from .environment import Tau2AirlineEnvironment, Tau2RetailEnvironment, TauRetailEnvironment

__all__ = ["Tau2AirlineEnvironment", "Tau2RetailEnvironment", "TauRetailEnvironment"]
