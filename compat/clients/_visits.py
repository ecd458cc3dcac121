"""What a client is asked to do, and how it answers.

It reads a list of visits from standard input: the command or the address of a server, an era of the protocol, a tool and its
arguments. It prints what it, or the model behind it, was shown for each, and the era that was spoken, where it can tell.
"""

import json
import sys
from typing import Any

__all__ = ["main", "tell", "visits"]


def visits() -> list[dict[str, Any]]:
    """Return the visits to make."""
    return list(json.load(sys.stdin))


def tell(found: Any) -> None:
    """Print what was found."""
    print(json.dumps(found))


async def main(visit: Any) -> None:
    """Make each visit, and tell what was shown."""
    shown = [await visit(**one) for one in visits()]
    tell({"shown": [text for text, _ in shown], "era": shown[-1][1]})
