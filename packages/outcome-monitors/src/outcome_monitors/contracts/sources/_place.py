"""Where in a schema the reading is."""

from collections.abc import Iterable
from functools import reduce
from typing import NamedTuple

from ._references import Document
from ._shape import ANYTHING, Some, Where, join, meet
from ._source import SourceReading

__all__ = ["SchemaPlace"]


class SchemaPlace(NamedTuple):
    """Where in a schema the reading is, and how it came there."""

    reading: SourceReading
    document: Document
    where: Where
    levels: int
    """How many more may be entered."""
    inside: tuple[int, ...] = ()
    """The schemas on the way, by identity: a `$ref` to one of them is a loop."""

    def into(self, *keys: object) -> "SchemaPlace":
        """Return the place that keys lead to, one level down."""
        return self.to((*self.where, *keys))

    def to(self, where: Where) -> "SchemaPlace":
        """Return a place elsewhere in the document, one level down."""
        return SchemaPlace(self.reading, self.document, where, self.levels - 1, self.inside)

    def refuse(self, why: str, *keys: object) -> Some:
        """Report something that cannot be used; as far as it goes, the value may be anything."""
        self.reading.refuse((*self.where, *keys), why)
        return ANYTHING

    def misused(self, keyword: str, wanted: str) -> Some:
        """Report a keyword that is not what it must be."""
        return self.refuse(f"`{keyword}` must be {wanted}", keyword)

    def all_of(self, shapes: Iterable[Some]) -> Some:
        """Return what holds for a value that has every one of the shapes."""
        return reduce(lambda first, second: meet(first, second, self.reading.spend), shapes, ANYTHING)

    def any_of(self, shapes: Iterable[Some]) -> Some:
        """Return what holds for a value that has one of the shapes."""
        return reduce(lambda first, second: join(first, second, self.reading.spend), shapes)
