"""A tool: its definition as data, and the function that answers it."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._schema import Schema

__all__ = ["Refused", "Tool", "tool"]

Run = Callable[..., Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Refused(Exception):  # noqa: N818 - it is an answer that the caller gets, not a mistake in the program
    """The call fails openly: the caller gets the sentence and the code as the result."""

    def __init__(self, sentence: str, code: str = "rejected") -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of the world."""

    name: str
    domain: str
    category: str
    """`source` reads, `processor` computes from its arguments, `action` changes something."""
    description: str
    inputs: Schema
    output: Schema
    idempotent: bool
    """Calling it again with the same arguments changes nothing more."""
    run: Run

    @property
    def read_only(self) -> bool:
        """Say whether it leaves the world as it was."""
        return self.category != "action"


def tool(
    domain: str, category: str, output: Schema, /, *, idempotent: bool = False, **properties: Schema
) -> Callable[[Run], Tool]:
    """Make a tool of a function.

    Its name and docstring are the tool's, and a parameter without a default is a required argument, so that the definition
    and the function cannot drift apart.
    """

    def make(run: Run) -> Tool:
        parameters = list(inspect.signature(run).parameters.values())[1:]  # the first is the state
        assert [p.name for p in parameters] == list(properties), run.__name__
        inputs: Schema = {
            "type": "object",
            "properties": {p.name: _with_default(properties[p.name], p.default) for p in parameters},
            "required": [p.name for p in parameters if p.default is p.empty],
            "additionalProperties": False,
        }
        return Tool(
            name=run.__name__,
            domain=domain,
            category=category,
            description=" ".join(inspect.cleandoc(run.__doc__ or "").split()),
            inputs=inputs,
            output={"$schema": DIALECT, **output},
            idempotent=idempotent or category != "action",
            run=run,
        )

    return make


def _with_default(schema: Schema, default: Any) -> Schema:
    if default is inspect.Parameter.empty or default is None:
        return schema
    return {**schema, "default": default}
