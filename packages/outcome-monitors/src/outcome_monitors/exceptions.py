"""What can go wrong, as a tree.

OutcomeMonitorsError
├── TraceError          a trace line or file that cannot be read
├── ContractError       a contract file that cannot be used
│   └── NewerContract   a contract file written by a later version
├── SourceError         a schema, database or definition file that cannot be turned into contracts
├── RelationError       a recovery-relation file that cannot be used
├── StateError          a fleet's state that cannot be used
├── MissingExtra        an optional dependency that is not installed
└── MissingDistribution  one of the distributions that go with this one is not installed

All of them are raised while files are read and contracts are built. Nothing is ever raised by `Monitor.check` or
`Monitor.advise`.
"""

__all__ = [
    "ContractError",
    "MissingDistribution",
    "MissingExtra",
    "NewerContract",
    "OutcomeMonitorsError",
    "RelationError",
    "SourceError",
    "StateError",
    "TraceError",
]


class OutcomeMonitorsError(ValueError):
    """The base of every error raised here; its text is one sentence a person can act on."""


class TraceError(OutcomeMonitorsError):
    """A trace line or file cannot be read."""


class ContractError(OutcomeMonitorsError):
    """A contract file cannot be used."""


class NewerContract(ContractError):  # noqa: N818 - the name says what the file is
    """A contract file was written by a later version than this one."""


class SourceError(OutcomeMonitorsError):
    """A schema, database or definition file cannot be turned into contracts."""


class RelationError(OutcomeMonitorsError):
    """A recovery-relation file cannot be used."""


class StateError(OutcomeMonitorsError):
    """The state of a fleet cannot be used."""


class MissingExtra(OutcomeMonitorsError, ImportError):  # noqa: N818 - the name says what is missing
    """An optional dependency is not installed."""

    def __init__(self, job: str, package: str, extra: str, distribution: str = "outcome-monitors") -> None:
        super().__init__(job, package, extra, distribution)

    def __str__(self) -> str:
        job, package, extra, distribution = self.args
        return f"{job} needs {package}: pip install '{distribution}[{extra}]'"


class MissingDistribution(OutcomeMonitorsError, ImportError):  # noqa: N818 - the name says what is missing
    """One of the distributions that go with this one is not installed."""

    def __init__(self, job: str, distribution: str) -> None:
        super().__init__(job, distribution)

    def __str__(self) -> str:
        job, distribution = self.args
        return f"{job} needs {distribution}: pip install {distribution}"
