"""What a `$ref` points to, inside its own document."""

from collections.abc import Iterator
from functools import cached_property
from urllib.parse import unquote

from outcome_monitors.model import Json
from outcome_monitors.values.display import clip_text

from ._shape import Where

__all__ = ["Document"]

LONGEST = 4096
"""Characters of a pointer: it is followed each time that it is met."""
# Values that look like schemas but are data.
_DATA = frozenset({"const", "default", "enum", "example", "examples"})


class Document:
    """A document whose places refer to each other."""

    def __init__(self, root: Json, where: Where = ("#",), *, siblings: bool = True) -> None:
        self.root = root
        self.where = where
        """How the root is named in reports."""
        self.siblings = siblings
        """Whether keywords beside a `$ref` count; up to draft 7 and OpenAPI 3.0 they do not."""

    def find(self, reference: str) -> tuple[Where, Json]:
        """Return the place that a reference points to, and what is there; a LookupError says why there is none."""
        base, _, fragment = reference.partition("#")
        own = self.root.get("$id") if isinstance(self.root, dict) else None
        if base and not (isinstance(own, str) and base == own.rstrip("#")):
            raise LookupError(f"{clip_text(reference)} is in another document")
        if len(fragment) > LONGEST:
            raise LookupError(f"#{clip_text(fragment)} is longer than {LONGEST:,} characters")
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self._anchored(fragment)
        return self._pointed(fragment)

    def embedded(self, schema: dict[str, Json]) -> bool:
        """Say whether a schema is a document of its own, in which references mean something else."""
        name = schema.get("$id")
        return isinstance(name, str) and not name.startswith("#") and schema is not self.root

    def _pointed(self, pointer: str) -> tuple[Where, Json]:
        where, value = self.where, self.root
        for token in pointer.split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and key in value and not self.embedded(value):
                value = value[key]
            elif isinstance(value, list) and key.isdecimal() and len(key) < 10 and int(key) < len(value):
                value = value[int(key)]
            else:
                raise LookupError(f"#{clip_text(pointer)} points to nothing")
            where = (*where, key)
        return where, value

    def _anchored(self, name: str) -> tuple[Where, Json]:
        found = self._anchors.get(name, [])
        if len(found) != 1:
            often = "nothing" if not found else f"{len(found)} places"
            raise LookupError(f"#{clip_text(name)} points to {often}")
        return found[0]

    @cached_property
    def _anchors(self) -> dict[str, list[tuple[Where, Json]]]:
        anchors: dict[str, list[tuple[Where, Json]]] = {}
        for where, value in self._objects():
            for keyword in ("$anchor", "$dynamicAnchor"):
                if isinstance(name := value.get(keyword), str):
                    anchors.setdefault(name, []).append((where, value))
            # Up to draft 7 an anchor is written as an identifier.
            if isinstance(name := value.get("$id"), str) and name.startswith("#"):
                anchors.setdefault(name[1:], []).append((where, value))
        return anchors

    def _objects(self) -> Iterator[tuple[Where, dict[str, Json]]]:
        """Yield every object once, however often and deep it stands; YAML can put one inside itself."""
        left: list[tuple[Where, Json]] = [(self.where, self.root)]
        seen: set[int] = set()
        while left:
            where, value = left.pop()
            if not isinstance(value, (dict, list)) or id(value) in seen:
                continue
            seen.add(id(value))
            if isinstance(value, list):
                left.extend(((*where, index), item) for index, item in enumerate(value))
            elif not self.embedded(value):
                yield where, value
                left.extend(((*where, key), item) for key, item in value.items() if key not in _DATA)
