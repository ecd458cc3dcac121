"""ToolMaze's task files, read and written as they are.

The benchmark's own files can take the place of those that this world makes: docs/internals/world.md says how to get them.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from outcome_monitors.exceptions import SourceError
from outcome_monitors.model import Call
from outcome_monitors.values.files import FilePath, write_atomically

from .toolmaze_form import Task, TaskPath, TaskStep, task_from_json, task_to_json

__all__ = [
    "KNOWN_CHECKSUM",
    "Task",
    "TaskPath",
    "TaskStep",
    "checksum",
    "dump_task",
    "load_task",
    "load_tasks",
    "nominal_calls",
]

KNOWN_CHECKSUM = "9fcd7d7ec3c06afcee098877cca1ae8c29b87a1102be4b365a1055f824a76bc8"
"""Of the dataset `dongsheng/ToolMaze` at revision 08b0239a98b0b07839d673f5bc0ef7d836db9296."""


def load_task(path: FilePath) -> Task:
    """Read one task file."""
    try:
        document = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise SourceError(f"cannot read {os.fspath(path)}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(
            f"{os.fspath(path)} is not JSON: {error}; a ToolMaze task file holds one object"
        ) from error
    return task_from_json(document, os.fspath(path))


def load_tasks(folder: FilePath) -> Iterator[Task]:
    """Yield the tasks of all files under a folder, in the order of their paths."""
    files = _files(Path(folder))
    if not files:
        raise SourceError(
            f"there is no .json file under {os.fspath(folder)}; give ToolMaze's folder perturbed_tasks"
        )
    return (load_task(file) for file in files)


def dump_task(task: Task, path: FilePath) -> None:
    """Write one task file."""
    write_atomically(path, json.dumps(task_to_json(task), indent=2, ensure_ascii=False) + "\n")


def checksum(folder: FilePath) -> str:
    """Return the SHA-256 over the bytes of all task files under a folder, in the order of their paths."""
    digest = hashlib.sha256()
    for file in _files(Path(folder)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.json"), key=lambda file: file.relative_to(folder).as_posix())


def nominal_calls(task: Task) -> Iterator[Call]:
    """Yield the calls of a clean (P0) task, a session for each path."""
    if task.perturbation_mode != "P0":
        raise SourceError(f"task {task.task_id} is {task.perturbation_mode}; only P0 tasks hold clean traces")
    for path in task.paths:
        for step in path.execution_trace:
            yield Call(
                tool=step.tool_name,
                arguments=step.arguments,
                result=step.output,
                task=task.task_id,
                session=f"{task.task_id}/{path.path_id}",
                error=_failed(step),
                tools=task.tools,
                extra={"step": step.step},
            )


def _failed(step: TaskStep) -> bool:
    named = isinstance(step.output, dict) and bool(step.output.get("error"))
    return named or step.status in {"error", "failed"}
