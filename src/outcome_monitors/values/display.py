"""Values fit to be shown: in receipts, errors and tables, whatever a result holds."""

import math
from typing import Any

__all__ = ["LONGEST", "clip", "clip_text"]

LONGEST = 80


def clip(value: Any) -> Any:
    """Return a value fit to be shown: bounded in length, without control characters, the same kind where it can be.

    Containers are named by their size, never walked: a result may be a hundred thousand levels deep.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        # Very long integers cannot even be written by default (sys.set_int_max_str_digits).
        return value if -(10**40) < value < 10**40 else "a number of more than 40 digits"
    if isinstance(value, str):
        return clip_text(value)
    if isinstance(value, dict):
        return f"an object of {len(value)} field{'' if len(value) == 1 else 's'}"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)} item{'' if len(value) == 1 else 's'}"
    return clip_text(f"a {type(value).__name__}")


def clip_text(text: str, longest: int = LONGEST) -> str:
    """Cut text to `longest` characters and replace what cannot be printed."""
    shown = text if len(text) <= longest else text[: longest - 1] + "…"
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)
