"""What a client is asked to do, and how it answers.

It reads a list of visits from standard input: the command of a server, a tool and its arguments. It prints a list of what
it, or the model behind it, was shown for each.
"""

import json
import sys
from typing import Any

__all__ = ["tell", "visits"]


def visits() -> list[dict[str, Any]]:
    """Return the visits to make."""
    return list(json.load(sys.stdin))


def tell(shown: list[str]) -> None:
    """Print what was shown."""
    print(json.dumps(shown))
