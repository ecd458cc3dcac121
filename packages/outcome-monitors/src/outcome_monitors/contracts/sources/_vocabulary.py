"""The keywords of JSON Schema and OpenAPI that give no clause.

Those that clauses carry are the rows of `json_schema.KEYWORDS`. A keyword in none of the three tables is a constraint that is counted:
`minimum`, `pattern`, or a word we have never heard of.
"""

__all__ = ["ANNOTATIONS", "REFUSED"]

# Each of these can forbid or demand something that a path with a type cannot say.
REFUSED = frozenset(
    (
        "$dynamicRef",
        "$recursiveRef",
        "contains",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "patternProperties",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    )
)
# These constrain nothing by themselves. `additionalItems` and `nullable` are read together with the keywords they change.
ANNOTATIONS = frozenset(
    (
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$id",
        "$recursiveAnchor",
        "$schema",
        "$vocabulary",
        "additionalItems",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "deprecated",
        "description",
        "discriminator",
        "example",
        "examples",
        "externalDocs",
        "id",
        "nullable",
        "readOnly",
        "title",
        "writeOnly",
        "xml",
    )
)
