"""JSON Schema (2020-12, and older drafts where they differ) to contracts.

Each keyword says something of a value by itself; a schema says all of it at once. `KEYWORDS` has a row for every keyword that clauses
carry. A keyword that is in neither of the two tables beside it is a constraint that is counted: a word we have never heard of.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial, reduce
from math import inf
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import FilePath, read_json
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.types import finite, is_number, kind_of, normalise
from outcome_monitors.model import Json
from outcome_monitors.rules.pattern import compile_linear

from ._reading import Report, SourceReading
from ._shape import ANYTHING, KINDS, LARGEST, UNBOUNDED, SchemaShape, Some, Where, field_of, join, meet

LONGEST_POINTER = 4096
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
        if len(fragment) > LONGEST_POINTER:
            raise LookupError(f"#{clip_text(fragment)} is longer than {LONGEST_POINTER:,} characters")
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


_OLDER = re.compile(r"draft-0[3-7]")

REFUSED = frozenset(
    """
    $dynamicRef $recursiveRef contains dependencies dependentRequired dependentSchemas else if not patternProperties propertyNames then
    unevaluatedItems unevaluatedProperties
    """.split()  # noqa: SIM905 - words read better as words
)
"""Each of these can forbid or demand something that a path with a type cannot say."""
ANNOTATIONS = frozenset(
    """
    $anchor $comment $defs $dynamicAnchor $id $recursiveAnchor $schema $vocabulary additionalItems contentEncoding contentMediaType
    contentSchema default definitions deprecated description discriminator example examples externalDocs id nullable readOnly title
    writeOnly xml
    """.split()  # noqa: SIM905 - as above
)
"""These constrain nothing by themselves. `additionalItems` and `nullable` are read together with the keywords they change."""


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


Schema = Mapping[str, Json]
Keyword = Callable[[SchemaPlace, Schema], Some]


def read_json_schema(path: FilePath, tool: str) -> Report:
    """Read the contract of one tool from the JSON Schema of its result."""
    return from_json_schema(read_json(path), tool, Path(path).name)


def from_json_schema(document: Json, tool: str, source: str) -> Report:
    """Turn the JSON Schema of a tool's result into its contract."""
    if not isinstance(document, (dict, bool)):
        raise SourceError(f"{source} is not a JSON Schema: it holds {kind_of(document)}, not an object")
    reading = SourceReading(source)
    reading.tool = tool
    root = ("#",)
    reading.contract(root, partial(shape_of, document, root, standing_alone(document, root), reading))
    return reading.report()


def standing_alone(schema: Json, where: Where) -> Document:
    """Return the document of a schema that is one by itself, read by the rules of the draft it names."""
    draft = schema.get("$schema") if isinstance(schema, dict) else None
    return Document(schema, where, siblings=not (isinstance(draft, str) and _OLDER.search(draft)))


def shape_of(schema: Json, where: Where, document: Document, reading: SourceReading, levels: int) -> Some:
    """Return what a schema says of a value, as far as it says so within so many levels."""
    return _shape(SchemaPlace(reading, document, where, levels), schema)


def _shape(place: SchemaPlace, schema: Json) -> Some:
    place.reading.spend(_size(schema))
    if schema is True or schema is False:
        return ANYTHING if schema else SchemaShape(kinds=frozenset(), at=place.where)
    if not isinstance(schema, dict):
        return place.refuse(f"a schema is an object or a boolean, not {kind_of(schema)}")
    if place.levels < 0:
        place.reading.cut(place.where)
        return ANYTHING
    if place.document.embedded(schema):
        return place.refuse("has an `$id` of its own: a document inside the document")
    keywords = _in_force(place, schema)
    place = place._replace(inside=(*place.inside, id(schema)))
    parts = [read(place, schema) for keyword, read in KEYWORDS.items() if keyword in keywords]
    shape = place.all_of(parts)
    # Beside `$ref` or `enum` OpenAPI 3.0 gives the word no force, yet those who write it there mean it.
    if schema.get("nullable") is True:
        return place.any_of([shape, SchemaShape(kinds=frozenset({"null"}))])
    return shape


def _size(value: Json) -> int:
    """Return how much work a value is by itself: lists are walked in passing, unless they are very long."""
    return 1 + len(value) // 64 if isinstance(value, (dict, list)) else 1


def _in_force(place: SchemaPlace, schema: Schema) -> frozenset[str]:
    """Return the keywords that count, and report those that give no clause."""
    constraints = [str(k) for k in schema if k not in ANNOTATIONS and not str(k).startswith("x-")]
    if "$ref" in schema and not place.document.siblings:
        for keyword in constraints:
            if keyword != "$ref":
                place.refuse("beside `$ref`, where this version of the format gives it no force", keyword)
        return frozenset({"$ref"})
    for keyword in constraints:
        if keyword in REFUSED:
            place.refuse(f"`{keyword}` is not turned into clauses", keyword)
        elif keyword not in KEYWORDS:
            place.reading.unused(keyword, schema)
    return frozenset(constraints)


def _type(place: SchemaPlace, schema: Schema) -> Some:
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    place.reading.spend(_size(names))
    if not isinstance(names, list) or not names or not all(isinstance(n, str) and n in KINDS for n in names):
        return place.misused("type", "a JSON type or a list of them")
    return SchemaShape(kinds=frozenset(names) | ({"integer"} if "number" in names else set()), at=place.where)


def _listed(place: SchemaPlace, schema: Schema, keyword: str) -> Some:
    values = [schema[keyword]] if keyword == "const" else schema[keyword]
    if not isinstance(values, list):
        return place.misused(keyword, "a list")
    place.reading.spend(_size(values))
    kinds = {"integer" if isinstance(v, float) and v.is_integer() else kind_of(v) for v in values}
    if not kinds <= KINDS:
        return place.misused(keyword, "made of JSON values")
    texts = frozenset(normalise(value) for value in values if isinstance(value, str))
    numbers = [value for value in values if is_number(value) and finite(value)]
    if any(abs(number) > LARGEST for number in numbers):
        numbers = []
    if len(numbers) + sum(isinstance(value, str) for value in values) < len(values) - (None in values):
        # Of listed objects, lists and truth values only the types are carried.
        place.reading.unused(keyword, schema)
    return SchemaShape(
        kinds=frozenset(kinds),
        values=texts or None,
        numbers=(min(numbers), max(numbers)) if numbers else UNBOUNDED,
        at=place.where,
    )


def _bound(place: SchemaPlace, schema: Schema, keyword: str, of: str, *, upper: bool = False) -> Some:
    bound = schema[keyword]
    if isinstance(bound, bool) and keyword.startswith("exclusive"):
        return ANYTHING  # up to draft 4 and OpenAPI 3.0: it says of `minimum` that the bound itself is none
    if not is_number(bound) or not finite(bound) or (of != "numbers" and bound < 0):
        return place.misused(keyword, "a number" if of == "numbers" else "a whole number")
    if abs(bound) > LARGEST:
        return ANYTHING
    # An excluded bound is admitted: a clause may say less than its source.
    here = {of: (-inf, float(bound)) if upper else (float(bound), inf)}
    return SchemaShape(
        numbers=here.get("numbers", UNBOUNDED),
        texts=here.get("texts", UNBOUNDED),
        lists=here.get("lists", UNBOUNDED),
        at=place.where,
    )


FORMATS: Mapping[str, str] = {
    "date": r"^\d{4}-\d{2}-\d{2}$",
    "date-time": r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}",
    "email": r"^[^@ ]+@[^@ ]+$",
    "ipv4": r"^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$",
    "time": r"^\d{2}:\d{2}",
    "uri": r"^[A-Za-z][A-Za-z0-9+.-]*:",
    "uuid": r"^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
}
"""What every text of a format matches; each says less than its standard."""


def _matching(place: SchemaPlace, schema: Schema, keyword: str) -> Some:
    said = schema[keyword]
    if not isinstance(said, str):
        return place.misused(keyword, "a text")
    pattern = FORMATS.get(said) if keyword == "format" else said
    if pattern is None or compile_linear(pattern) is None:
        place.reading.unused(keyword, schema)
        return ANYTHING
    return SchemaShape(patterns=frozenset({pattern}), at=place.where)


def _properties(place: SchemaPlace, schema: Schema) -> Some:
    named = schema["properties"]
    if not isinstance(named, dict) or not all(isinstance(name, str) for name in named):
        return place.misused("properties", "an object of schemas")
    fields = {name: _shape(place.into("properties", name), inner) for name, inner in named.items()}
    return SchemaShape(fields=fields, at=place.where)


def _required(place: SchemaPlace, schema: Schema) -> Some:
    names = schema["required"]
    place.reading.spend(_size(names))
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return place.misused("required", "a list of field names")
    properties = schema.get("properties")
    hidden = {name for name in names if _write_only(properties, name)}
    for name in sorted(hidden):
        place.refuse("required, but `writeOnly`: no result has it", "properties", name)
    return SchemaShape(required=frozenset(names) - hidden, at=place.where)


def _write_only(properties: Json, name: str) -> bool:
    schema = properties.get(name) if isinstance(properties, dict) else None
    return isinstance(schema, dict) and schema.get("writeOnly") is True


def _additional(place: SchemaPlace, schema: Schema) -> Some:
    keyword = "additionalProperties"
    if schema[keyword] is False:
        place.reading.unused(keyword, schema)
    rest = _shape(place.into(keyword), schema[keyword])
    if "patternProperties" in schema and rest is not ANYTHING:
        return place.refuse(
            f"`{keyword}` beside `patternProperties`: other fields have no path of their own", keyword
        )
    named = schema.get("properties")
    return SchemaShape(
        fields=dict.fromkeys(named) if isinstance(named, dict) else {}, rest=rest, at=place.where
    )


def _items(place: SchemaPlace, schema: Schema) -> Some:
    if isinstance(schema["items"], list):
        return _tuple(place, schema, "items", "additionalItems")
    if "prefixItems" in schema:
        return ANYTHING  # `prefixItems` reads both
    return SchemaShape(items=_shape(place.into("items"), schema["items"]), at=place.where)


def _tuple(place: SchemaPlace, schema: Schema, keyword: str, after: str) -> Some:
    """Read items that have a schema each: there is a path for all of them or for none."""
    if not isinstance(schema[keyword], list) or not schema[keyword]:
        return place.misused(keyword, "a list of schemas")
    shapes = [_shape(place.into(keyword, index), inner) for index, inner in enumerate(schema[keyword])]
    longest = schema.get("maxItems")
    if type(longest) is not int or longest > len(shapes):
        shapes.append(_shape(place.into(after), schema.get(after, True)))
    alike = [shape for shape in shapes if shape is ANYTHING or shape.kinds]
    if any(shape != alike[0] for shape in alike):
        return place.refuse(
            f"`{keyword}`: the items are not all alike, and have no path of their own", keyword
        )
    return SchemaShape(items=(alike or shapes)[0], at=place.where)


def _all_of(place: SchemaPlace, schema: Schema) -> Some:
    return place.all_of(_branches(place, schema, "allOf"))


def _union(place: SchemaPlace, schema: Schema, keyword: str) -> Some:
    shapes = _branches(place, schema, keyword)
    union = place.any_of(shapes) if shapes else ANYTHING
    known = {name: None for shape in shapes if shape for name, inner in shape.fields.items() if inner}
    lost = [name for name in known if union is ANYTHING or field_of(union, name) is ANYTHING]
    if lost:
        names = clip_text(", ".join(lost))
        place.refuse(f"`{keyword}`: not every branch says what these fields are: {names}", keyword)
    return union


def _branches(place: SchemaPlace, schema: Schema, keyword: str) -> list[Some]:
    if not isinstance(schema[keyword], list) or not schema[keyword]:
        place.misused(keyword, "a list of schemas")
        return []
    return [_shape(place.into(keyword, index), inner) for index, inner in enumerate(schema[keyword])]


def _reference(place: SchemaPlace, schema: Schema) -> Some:
    if not isinstance(schema["$ref"], str):
        return place.misused("$ref", "a string")
    try:
        where, target = place.document.find(schema["$ref"])
    except LookupError as error:
        return place.refuse(str(error.args[0]), "$ref")
    if id(target) in place.inside:
        return place.refuse("a loop: it points to what it is inside of; nothing below is checked", "$ref")
    return _shape(place.to(where), target)


KEYWORDS: Mapping[str, Keyword] = {
    "$ref": _reference,
    "additionalProperties": _additional,
    "allOf": _all_of,
    "anyOf": partial(_union, keyword="anyOf"),
    **{
        keyword: partial(_bound, keyword=keyword, of=of, upper="ax" in keyword)
        for of, keywords in {
            "numbers": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
            "texts": ("minLength", "maxLength"),
            "lists": ("minItems", "maxItems"),
        }.items()
        for keyword in keywords
    },
    "const": partial(_listed, keyword="const"),
    "enum": partial(_listed, keyword="enum"),
    "format": partial(_matching, keyword="format"),
    "items": _items,
    "oneOf": partial(_union, keyword="oneOf"),
    "pattern": partial(_matching, keyword="pattern"),
    "prefixItems": partial(_tuple, keyword="prefixItems", after="items"),
    "properties": _properties,
    "required": _required,
    "type": _type,
}
