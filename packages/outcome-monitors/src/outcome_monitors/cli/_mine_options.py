"""The options of `mine` on size and time: more cores, more machines, more evidence later, and what must not be kept."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.state import load_state, save_state, state_beside
from outcome_monitors.model import Contract
from outcome_monitors.state.address import is_address
from outcome_monitors.traces.private import private_paths
from outcome_monitors.traces.stores import Query
from outcome_monitors.values.files import FilePath

__all__ = ["Work", "continued", "not_from_traces", "scale_options"]

Command = TypeVar("Command", bound=Callable[..., Any])

ENGINES = ("local", "spark")


@dataclass(frozen=True, slots=True)
class Work:
    """How the traces are worked through."""

    update: str | None = None
    state: str | None = None
    private: tuple[str, ...] = ()
    workers: int = 1
    engine: str = "local"
    master: str | None = None

    @property
    def state_file(self) -> Path | None:
        """Where the state is read and written, if it is."""
        if self.state is not None:
            return Path(self.state)
        return None if self.update is None else state_beside(self.update)

    def refuse_nonsense(self, inputs: tuple[FilePath, ...], folds: int | None, output: str | None) -> None:
        """Refuse options that do not go together, before any work is done."""
        if self.update is not None and output is not None:
            raise click.UsageError("--update writes the contracts that it updates: leave out -o")
        if self.update is None and output is None:
            raise click.UsageError("Missing option '-o' / '--output'.")
        if not inputs and (self.state_file or self.private or self.workers > 1 or self.engine != "local"):
            raise click.UsageError(
                "--update, --state, --private, --workers and --engine are for traces: name some"
            )
        if folds is not None and (self.state_file or self.engine != "local"):
            raise click.UsageError("--folds goes with none of --update, --state and --engine spark")
        if self.engine == "spark":
            self._refuse_for_spark(inputs)
        elif self.master is not None:
            raise click.UsageError("--master is where Spark runs: add --engine spark")

    def _refuse_for_spark(self, inputs: tuple[FilePath, ...]) -> None:
        if self.workers > 1:
            raise click.UsageError(
                "--workers is for --engine local; Spark's cores are named as --master local[4]"
            )
        if any(not isinstance(path, Query) and is_address(path) for path in inputs):
            raise click.UsageError(
                "Spark reads files: what a fleet has recorded is learned from by `outcome-monitors learn --state ADDRESS --engine spark`"
            )
        if any(isinstance(path, Query) or path == "-" for path in inputs):
            raise click.UsageError("Spark reads files: a query and standard input are for --engine local")

    def save(self, observations: Observations | None) -> None:
        """Write the state, where one is kept; after the contracts, so that an update cut short can be run again."""
        if self.state_file is not None and observations is not None:
            save_state(self.state_file, observations)


def scale_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(
        (
            click.option("--update", metavar="FILE", help="Add the traces to those of this contract file."),
            click.option(
                "--state",
                metavar="FILE",
                help="Save the mining state for --update.  [default: FILE.state.json.gz]",
            ),
            click.option(
                "--private",
                multiple=True,
                metavar="PATH",
                help="A path whose values are never kept: customer.email, @password. Repeatable.",
            ),
            click.option(
                "--workers",
                type=click.IntRange(1, 256),
                default=1,
                show_default=True,
                metavar="N",
                help="Worker processes.",
            ),
            click.option(
                "--engine",
                type=click.Choice(ENGINES),
                default="local",
                show_default=True,
                help="The execution engine.",
            ),
            click.option("--master", metavar="URL", help="The Spark master.  [default: local[*]]"),
        )
    ):
        command = option(command)
    return command


def continued(work: Work, profile: str | None, budget: float | None) -> Observations:
    """Return what is known from before an update; refuse what an update cannot change."""
    assert work.state_file is not None
    if not work.state_file.exists():
        raise OutcomeMonitorsError(
            f"{work.update} has no state to go on from ({work.state_file} is missing); make one from all traces that it was learned"
            f" from, old and new: outcome-monitors mine TRACES... -o {work.update} --state {work.state_file}"
        )
    before = load_state(work.state_file)
    if profile is not None and profile != before.profile:
        raise click.UsageError(
            f"the state is of profile {before.profile}: leave out --profile, or mine all traces again"
        )
    if more := set(private_paths(work.private)) - set(before.private):
        raise click.UsageError(
            f"{', '.join(sorted(more))} was not private before, so its values may be kept: mine all traces again"
        )
    if budget is None:
        return before
    changed = Observations(before.profile, budget, before.private)
    changed.merge(before)
    return changed


def not_from_traces(contracts: str) -> Registry:
    """Return the clauses of a contract file that do not come from traces: an update leaves them as they are."""
    kept = {
        tool: Contract(tool, tuple(clause for clause in contract.clauses if clause.source != "traces"))
        for tool, contract in Registry.load(contracts).contracts.items()
    }
    return Registry({tool: contract for tool, contract in kept.items() if contract.clauses})
