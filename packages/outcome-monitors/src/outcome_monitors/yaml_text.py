"""YAML as far as it is JSON: the types of YAML 1.2's core schema, and keys as they are written.

PyYAML follows YAML 1.1, where `on` is true, `2020-01-01` a date and the response `200` a number; an OpenAPI document means strings.
"""

import re
from typing import Any

import yaml

from outcome_monitors.exceptions import SourceError
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.model import Json

_TAG = "tag:yaml.org,2002:"
_SCALARS = {
    "null": (r"(?:~|null|Null|NULL|)\Z", "~nN"),
    "bool": (r"(?:true|True|TRUE|false|False|FALSE)\Z", "tTfF"),
    "int": (r"[-+]?(?:0|[1-9][0-9]*)\Z", "-+0123456789"),
    "float": (
        r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z",
        "-+.0123456789",
    ),
}


# Not CSafeLoader: it overflows the stack of the process on a hundred thousand opening brackets.
class _Loader(yaml.SafeLoader):
    """Reads scalars as YAML 1.2 does, and mappings with the text of their keys."""

    yaml_implicit_resolvers: dict[str, Any] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Build a mapping whose own keys win over merged ones (`<<`)."""
        own: dict[str, Json] = {}
        merged: dict[str, Json] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key must be text", key.start_mark)
            if key.value == "<<" and not isinstance(value, yaml.ScalarNode):
                merged = {**self._merged(value), **merged}
            else:
                own[key.value] = self.construct_object(value, deep=deep)
        return {**merged, **own}

    def _merged(self, node: yaml.Node) -> dict[str, Json]:
        found = self.construct_object(node, deep=True)
        merged: dict[str, Json] = {}
        for part in reversed(found if isinstance(found, list) else [found]):
            if not isinstance(part, dict):
                raise yaml.constructor.ConstructorError(
                    None, None, "only mappings can be merged", node.start_mark
                )
            merged.update(part)
        return merged


for _name, (_pattern, _first) in _SCALARS.items():
    _Loader.add_implicit_resolver(
        _TAG + _name, re.compile(_pattern), [*_first, ""] if _name == "null" else list(_first)
    )


def load(text: str, name: str) -> Json:
    """Read the one document of a YAML text."""
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise SourceError(f"{name}{place}: not YAML ({clip_text(error.problem or str(error))})") from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position].rpartition("\n")
        line, column = before[0].count("\n") + len(before[1]) + 1, len(before[2]) + 1
        raise SourceError(f"{name}, line {line}, column {column}: not YAML ({error.reason})") from None
    except RecursionError:
        raise SourceError(f"{name} is nested too deeply to be read") from None
    except (ValueError, TypeError) as error:
        raise SourceError(f"{name} is not YAML: {clip_text(str(error))}") from None
