"""What an arithmetic expression comes to: callers hand them to calculators, and the answer can be held against it."""

import math
import re
from typing import TYPE_CHECKING, Any

from .late_imports import late

if TYPE_CHECKING:
    from .expression import computed
else:
    late(globals(), ".expression", "computed")

__all__ = ["worth"]

LONGEST = 200
LARGEST = 1e15
"""Beyond this a float is no exact whole number."""

_SIGNS = re.compile(r"[\d\s.+\-*/()]*\d\s*\)*\s*[+\-*/][\d\s.+\-*/()]+")


def worth(text: Any) -> float | None:
    """Return the number that a text of digits, + - * / and brackets comes to; None of any other, and of a bare number."""
    if type(text) is not str or len(text) > LONGEST or not _SIGNS.fullmatch(text):
        return None
    try:
        found = computed(text.strip())
    except (ArithmeticError, KeyError, MemoryError, RecursionError, SyntaxError, TypeError, ValueError):
        return None
    return found if math.isfinite(found) and abs(found) < LARGEST else None
