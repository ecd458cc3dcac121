"""JSON by its content: digests that say whether two things are the same, and the fields in which they differ."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path

import outcome_monitors
from outcome_monitors.model import Json


def canonical(value: Json) -> str:
    """Write a value in one form only."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def written(content: Json) -> str:
    """Return what a model reads: a text as it is, all else as JSON."""
    return content if isinstance(content, str) else json.dumps(content)


def resource(name: str) -> Json:
    """Return what a data file of this package holds."""
    return json.loads((resources.files(__package__ or "") / name).read_text(encoding="utf-8"))


def digest(value: Json) -> str:
    """Return the SHA-256 of a value."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def files_in(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a folder that match a pattern, in the order of their paths."""
    found = (file for file in folder.glob(pattern) if file.is_file())
    return sorted(found, key=lambda file: file.relative_to(folder).as_posix())


def files_digest(root: Path, files: Iterable[Path]) -> str:
    """Return the SHA-256 over files, their names under a root included."""
    taken = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.relative_to(root).as_posix()):
        taken.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return taken.hexdigest()


def code_digest() -> str:
    """Return the SHA-256 over the source and data of the studies and of the library: other code may give other episodes."""
    roots = (Path(__file__).parent, Path(outcome_monitors.__file__).parent)
    sources = ([file for file in root.rglob("*") if file.suffix in {".py", ".json"}] for root in roots)
    return digest([files_digest(root, files) for root, files in zip(roots, sources, strict=True)])


def differences(true: Json, seen: Json, path: str = "$") -> Iterator[dict[str, Json]]:
    """Yield each field in which two values differ; a field that one of them lacks has no value there."""
    if isinstance(true, dict) and isinstance(seen, dict):
        for key in dict.fromkeys((*true, *seen)):
            place = f"{path}.{key}"
            if key not in seen:
                yield {"path": place, "true": true[key]}
            elif key not in true:
                yield {"path": place, "seen": seen[key]}
            else:
                yield from differences(true[key], seen[key], place)
    elif isinstance(true, list) and isinstance(seen, list) and len(true) == len(seen):
        for index, (one, other) in enumerate(zip(true, seen, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif canonical(true) != canonical(seen):
        yield {"path": path, "true": true, "seen": seen}


def leaves(value: Json) -> Iterator[Json]:
    """Yield the values of a value that hold no others."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    else:
        yield value
