"""Files are read whole, and an error names the line and column."""

import json
import os
from pathlib import Path
from typing import NoReturn

from outcome_monitors.exceptions import MissingExtra, SourceError
from outcome_monitors.model import Json

from .display import clip_text
from .files import FilePath

__all__ = ["read_json", "read_json_or_yaml"]


def read_json(path: FilePath) -> Json:
    """Read a JSON file."""
    text = _text(path)
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise SourceError(
            f"{os.fspath(path)}, line {error.lineno}, column {error.colno}: not JSON ({error.msg})"
        ) from None
    except RecursionError:
        raise SourceError(f"{os.fspath(path)} is nested too deeply to be read") from None
    except ValueError as error:
        raise SourceError(f"{os.fspath(path)} is not JSON: {clip_text(str(error))}") from None


def read_json_or_yaml(path: FilePath) -> Json:
    """Read a JSON file, or a YAML file if it is named so."""
    if Path(path).suffix.lower() not in {".yaml", ".yml"}:
        return read_json(path)
    try:
        from .yaml_text import load  # noqa: PLC0415 - needs an optional dependency
    except ImportError:
        raise MissingExtra("Reading YAML", "PyYAML", "yaml") from None
    return load(_text(path), os.fspath(path))


def _text(path: FilePath) -> str:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise SourceError(f"cannot read {os.fspath(path)}: {error.strerror or error}") from error
    if data.startswith(b"\xef\xbb\xbf"):
        raise SourceError(
            f"{os.fspath(path)}, line 1, column 1: a byte order mark; save it as UTF-8 without one"
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].rpartition(b"\n")
        line, column = before[0].count(b"\n") + len(before[1]) + 1, len(before[2].decode()) + 1
        raise SourceError(
            f"{os.fspath(path)}, line {line}, column {column}: not UTF-8; save it as UTF-8"
        ) from None
    if not text.strip():
        raise SourceError(f"{os.fspath(path)}, line 1, column 1: the file is empty")
    return text


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
