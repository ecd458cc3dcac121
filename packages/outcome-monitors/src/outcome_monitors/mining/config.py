"""The thresholds of mining in profile `full`, in one place.

Thresholds of the kinds stand in `rules.config`, the sizes of samples in `rules.evidence`.
"""

from dataclasses import dataclass

from outcome_monitors.contracts.shapes import ALIKE


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningConfig:
    """Each threshold, and where it comes from; one without a source was set by hand, and no experiment has varied it."""

    # Held-out validation (`trials`, `budget`).
    parts: int = 4
    """Parts that tasks are dealt into; clauses are proposed by all but one and tried on that one. It is part of the format of
    stored observations."""
    selection_margin: float = 0.5
    """The validation may use up this share of what is left: the sorts of clause given up are chosen by it, so it flatters the rest."""
    forgiven_share: float = 0.25
    """The share of the budget that clauses may use up which are known to fire."""
    label_noise: float = 0.005
    """A clause that fires on more of the tasks is not kept."""

    # False-positive priors (`priors`), measured on public traffic by `python -m bench.priors`.
    max_cost: float = 0.1
    """The share of the budget that one clause may cost, times what its kind is worth."""
    max_cost_trusted: float = 0.25
    """The same of kinds that are trusted."""
    prior_weight: int = 30
    """So many clauses that came through their trials halve the prior of a sort."""
    shrinkage: float = 3000.0
    """Results checked that weigh as much as what is known of the whole kind, or of clauses with as many tasks behind them."""
    max_band: int = 6
    """Bands of support, by powers of two: from 32 tasks on, more of them change little."""

    # Built-in rules (`taken_back`).
    tasks_to_take_back: int = 3
    """Distinct tasks whose clean results violate a built-in rule before a contract takes it back,"""
    share_to_take_back: float = 0.1
    """and their share of the tool's results: of 216 that the rules flag in 28,216, one is false (`python -m bench.built_in`), so few
    violations are failures among the traces rather than the habit of a tool."""

    # Objects of one shape (`families`, `shapes`).
    shape_similarity: float = ALIKE
    """Two objects are of one shape when this share of all their fields is common to both."""
    min_shape_fields: int = 3
    """Fewer fields tell nothing of what an object is."""
    max_shape_fields: int = 80
    """With more of them, the keys are data."""
    usual_share: float = 0.5
    """A field is one of the shape's when this share of its places has it."""
    tool_groups: int = 4
    """Groups that tools are dealt into, to try the clauses of a shape on tools that were left out."""
    min_tool_groups: int = 3
    """Groups of tools that a clause of a shape must have been tried on."""

    # What is not learned from.
    max_key_sets: int = 3
    """Sets of keys that JSON in the texts of a tool may have: with and without a field or two. An answer has few."""
    tasks_per_key_set: int = 5
    """With more of them, so many tasks stand behind each; or else they are documents, such as files, which have each its own."""
    one_change_in: int = 50
    """Of so many things, one may be said to be different without being taken for a change: traces have noise in them."""
    open_sessions: int = 8
    """Sessions of one bucket (`buckets`) whose calls may be interleaved in the traces: a hundred in all are safe, and a thousand at
    most are held."""


CONFIG = MiningConfig()
