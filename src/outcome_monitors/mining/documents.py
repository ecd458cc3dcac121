"""JSON that stands in texts: the answer of a tool that answers in a text, or a document that somebody wrote.

Answers of one tool have the same few keys. Documents, such as the files that a tool reads, have each its own, and nothing is learned of
what stands in them but that they are JSON.
"""

from functools import lru_cache

from outcome_monitors.evidence.evidence import Evidence
from outcome_monitors.values.paths import InText, parse, render

__all__ = ["in_documents"]

MOST_SETS = 3
"""Sets of keys that any answer may have: with and without a field or two."""
TASKS_A_SET = 5
"""With more of them, so many tasks stand behind each."""


def in_documents(evidence: Evidence, path: str) -> bool:
    """Say whether a path leads into texts that are documents."""
    return any(_are_documents(evidence, outer) for outer in _texts_on(path))


@lru_cache(maxsize=16384)
def _texts_on(path: str) -> tuple[str, ...]:
    """Return the paths of the JSON in texts that a path leads through."""
    steps = parse(path)
    return tuple(render(steps[: n + 1]) for n, step in enumerate(steps) if step is InText.JSON)


def _are_documents(evidence: Evidence, path: str) -> bool:
    if path not in evidence.records:
        return False
    sets = {
        frozenset(name.steps[0] for name in names if name.sort.of_answer and name.steps)
        for names in evidence.table(path).shapes
    }
    return len(sets) > MOST_SETS and TASKS_A_SET * len(sets) > evidence.tasks(path)
