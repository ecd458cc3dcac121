"""Regular expressions that are compiled when they are first used: to compile one takes longer than to load a module."""

import re
from typing import Any, cast

__all__ = ["late_pattern"]


def late_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what can do all that the compiled pattern can; its first use compiles it."""
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))


class _LatePattern:
    """Has no method of a pattern until one is asked for, and then has those of the compiled one as its own."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._said = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # Python asks here for what is not there yet, so from the second use on it costs nothing.
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(re.compile(*self._said), name)
        setattr(self, name, found)
        return found
