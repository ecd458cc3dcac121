"""StableToolBench's cache of recorded responses, as calls.

The cache is a folder `tool_response_cache`, with a file `CATEGORY/TOOL/API.json` for each API: an object from the arguments,
written as Python writes them, to `{"error": "", "response": ...}` (https://github.com/THUNLP-MT/StableToolBench, `server/main.py`).
As in the paper, a response is taken where its error is empty and its payload is an object, also one written out as a text.
"""

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Call, Json

__all__ = ["read_cache"]

CACHE = "tool_response_cache"
LONGEST = 2**20
"""Characters of a text that is parsed."""


def read_cache(folder: Path, skip: Callable[[str], object] = lambda _: None) -> Iterator[Call]:
    """Yield the successful responses of a cache, or of the folder that holds one; files of another form are told to `skip`."""
    root = folder / CACHE if (folder / CACHE).is_dir() else folder
    files = sorted(root.glob("*/*/*.json"))
    if not files:
        raise OutcomeMonitorsError(
            f"{folder} holds no {CACHE}/CATEGORY/TOOL/API.json; study fetch stabletoolbench gets one"
        )
    for file in files:
        responses = _responses(file)
        if responses is None:
            skip(f"{file} is not of the cache's form")
            continue
        tool = f"{file.parent.name}/{file.stem}"
        for number, (asked, answer) in enumerate(responses.items()):
            payload = _payload(answer)
            if payload is not None:
                yield Call(tool, _arguments(asked), payload, task=f"{tool}#{number}")


def _responses(file: Path) -> dict[str, Json] | None:
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _payload(answer: Json) -> dict[str, Json] | None:
    if not isinstance(answer, dict) or answer.get("error") != "":
        return None
    payload = answer.get("response")
    if isinstance(payload, str):
        payload = _parsed(payload)
    return payload if isinstance(payload, dict) else None


def _arguments(asked: str) -> dict[str, Json]:
    found = _parsed(asked)
    return found if isinstance(found, dict) and all(isinstance(name, str) for name in found) else {}


def _parsed(text: str) -> Json:
    """Return what a text says in JSON, or as Python writes it; None where it says neither."""
    if len(text) > LONGEST or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        # Only what JSON can say: a set or a tuple in it would be no response.
        return json.loads(json.dumps(ast.literal_eval(text.strip())))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
