"""Validators that people would use instead, each given the constraints of one JSON Schema.

The Python types that pydantic and msgspec want are made from the same schema, so that all check the same. Each peer is
imported when it is asked for: none is needed to run the rest.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Annotated, Any, Literal, NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError

__all__ = ["PEERS", "MissingPeer", "Validator", "accepts", "needed"]

Schema = Mapping[str, Any]


class Validator(NamedTuple):
    """A function that takes a result and these further arguments; it refuses by an exception or by False."""

    function: Callable[..., Any]
    further: tuple[Any, ...] = ()


class MissingPeer(OutcomeMonitorsError):  # noqa: N818 - the name says what is missing
    """A package that a comparison is with is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"this comparison needs {package}: pip install --group bench")


def needed(module: str) -> Any:
    """Import a module; raise MissingPeer, with the command to install it, where it is not there."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise MissingPeer(module) from None


def _jsonschema_rs(schema: Schema) -> Validator:
    return Validator(needed("jsonschema_rs").validator_for(dict(schema)).is_valid)


def _fastjsonschema(schema: Schema) -> Validator:
    return Validator(needed("fastjsonschema").compile(dict(schema)))


def _pydantic(schema: Schema) -> Validator:
    pydantic = needed("pydantic")

    def record(fields: dict[str, Any]) -> Any:
        # pydantic refuses the TypedDict of typing itself before Python 3.12.
        made = needed("typing_extensions").TypedDict("made", fields)
        made.__pydantic_config__ = pydantic.ConfigDict(strict=True, extra="forbid")
        return made

    adapter = pydantic.TypeAdapter(_python_type(schema, record, pydantic.Field(gt=0)))
    return Validator(adapter.validate_python)


def _msgspec(schema: Schema) -> Validator:
    msgspec = needed("msgspec")

    def record(fields: dict[str, Any]) -> Any:
        return msgspec.defstruct("Made", list(fields.items()), forbid_unknown_fields=True)

    return Validator(msgspec.convert, (_python_type(schema, record, msgspec.Meta(gt=0)),))


PEERS: Mapping[str, Callable[[Schema], Validator]] = {
    "jsonschema-rs": _jsonschema_rs,
    "fastjsonschema": _fastjsonschema,
    "pydantic, strict TypedDict": _pydantic,
    "msgspec, convert to Struct": _msgspec,
}
"""Each peer, and how its validator of a schema is made."""


def accepts(validator: Validator, result: Any) -> bool:
    """Say whether a validator lets a result pass."""
    try:
        return validator.function(result, *validator.further) is not False
    except Exception:  # noqa: BLE001 - each peer has exceptions of its own
        return False


_SCALARS = {"boolean": bool, "integer": int, "number": float, "string": str}


def _python_type(schema: Schema, record: Callable[[dict[str, Any]], Any], positive: Any) -> Any:
    """Return the type that admits what a schema admits; `record` makes that of an object, `positive` marks numbers."""
    match schema:
        case {"enum": [*values]}:
            return Literal[tuple(values)]
        case {"type": "array", "items": items}:
            return list[_python_type(items, record, positive)]  # type: ignore[misc]  # made at run time
        case {"type": "object", "properties": fields}:
            return record({name: _python_type(inner, record, positive) for name, inner in fields.items()})
        case {"type": kind, "exclusiveMinimum": 0}:
            return Annotated[_SCALARS[kind], positive]
        case _:
            return _SCALARS[schema["type"]]
