"""What the sequel comes to, in one sentence."""

from .figures import Sequel

__all__ = ["advice"]


def advice(found: Sequel, budget: float) -> str:
    """Return the sentence: what is told in vain is within the budget, or which tool tells most of it."""
    more = "; of what changed, accept what is right" if found.changes else ""
    if (found.right.told.value or 0.0) <= budget:
        return f"What is told of right results is within the budget{more}."
    # The first by name, where several have as many.
    name, tool = max(found.tools.items(), key=lambda item: item[1].told)
    code = max(tool.codes, key=lambda each: tool.codes[each])
    return (
        f"What is told of right results is above the budget: {name} has {tool.told:,} of"
        f" {found.right.told.part:,}, most often {code} ({tool.codes[code]:,}); if those results are right, learn from"
        f" traces of more tasks{more}."
    )
