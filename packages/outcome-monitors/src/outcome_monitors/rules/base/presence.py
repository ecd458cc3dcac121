"""What all kinds stand on when they accept: how often each place was there, and in how many tasks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from outcome_monitors.evidence.tasks import Tasks, count_tasks, join_tasks
from outcome_monitors.model import Clause, Json
from outcome_monitors.records.walk import Seen
from outcome_monitors.values.paths import ROOT, parent

__all__ = ["Ground", "Presence"]


@dataclass(slots=True)
class Presence:
    """How many values, and how many objects, stood at each path, and in which tasks."""

    calls: int = 0
    values: dict[str, int] = field(default_factory=dict)
    objects: dict[str, int] = field(default_factory=dict)
    tasks: dict[str, Tasks] = field(default_factory=dict)

    def observe(self, seen: Seen) -> None:
        """Count one call."""
        self.calls += 1
        task = (seen.task,)
        for path, found in seen.values.items():
            self.values[path] = self.values.get(path, 0) + len(found)
            join_tasks(self.tasks.setdefault(path, set()), task)
        for path, objects in seen.objects.items():
            self.objects[path] = self.objects.get(path, 0) + len(objects)

    def merge(self, other: "Presence") -> None:
        """Add what another has counted."""
        self.calls += other.calls
        for mine, theirs in ((self.values, other.values), (self.objects, other.objects)):
            for path, count in theirs.items():
                mine[path] = mine.get(path, 0) + count
        for path, tasks in other.tasks.items():
            join_tasks(self.tasks.setdefault(path, set()), tasks)


@dataclass(frozen=True, slots=True)
class Ground:
    """The presence of places, and the words to make a clause from it."""

    profile: str
    presence: Presence
    source: str = "traces"

    def required(self, path: str) -> bool:
        """Say whether every object at the parent had this field."""
        return self.presence.values.get(path, 0) == self.presence.objects.get(parent(path), -1)

    def samples(self, path: str) -> int:
        """Return how many values stood at a path."""
        return self.presence.values.get(path, 0)

    def tasks(self, path: str) -> int:
        """Return in how many distinct tasks something stood at a path."""
        return count_tasks(self.presence.tasks.get(path, set()))

    def fields(self) -> Iterator[str]:
        """Yield the path of every field that was seen, in a stable order."""
        return (path for path in sorted(self.presence.values) if path != ROOT)

    def clause(
        self, kind: str, path: str, params: Mapping[str, Json], samples: int, evidence: str | None = None
    ) -> Clause:
        """Make a clause; `evidence` is the path whose tasks support it, where that is not its own."""
        return Clause(
            kind, path, params, samples, self.tasks(path if evidence is None else evidence), self.source
        )
