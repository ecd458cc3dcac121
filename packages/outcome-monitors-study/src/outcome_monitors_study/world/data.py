"""The world's data files: JSON beside the code, read once."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["document", "vocabulary"]


@cache
def document(*path: str) -> Any:
    """Return what a file of this package holds; all readers share it, and nobody changes it."""
    return json.loads(resources.files(__package__ or "").joinpath(*path).read_text(encoding="utf-8"))


@cache
def vocabulary(domain: str = "") -> Mapping[str, Any]:
    """Return the words of a domain and those that all domains share, by the name of their list."""
    own = document(domain, "vocabulary.json") if domain else {}
    return {**document("vocabulary.json"), **own}
