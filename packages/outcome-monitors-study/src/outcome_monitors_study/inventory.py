"""All studies of a folder, and what of them can be handed to reviewers: no outcome of a single task, no answer of a tool or a model."""

import csv
import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import write_atomically
from outcome_monitors.model import Json

from ._json import file_digest
from ._ledger import read_ledger
from .analysis import analyse
from .manifest import Study, load
from .study_tables import tables
from .tables import Table, as_json

LOCAL = frozenset({"checkout", "data", "server"})
"""Settings of an environment that say where things are on one machine."""


def studies_in(folders: Iterable[Path], skip: Callable[[str], object]) -> list[Study]:
    """Return the studies in folders, by their paths; one that cannot be read is named to `skip`."""
    found: list[Study] = []
    for file in sorted({file for folder in folders for file in folder.rglob("manifest.json")}):
        try:
            found.append(load(file.parent))
        except OutcomeMonitorsError as error:
            skip(str(error))
    if not found:
        raise OutcomeMonitorsError("there is no study in these folders; give those that study freeze made")
    return found


def inventory(studies: Iterable[Study]) -> Table:
    """Return what there is: each study with its status, what it is of, and how many episodes were run."""
    rows = [
        (
            study.folder.resolve().name,
            study.status,
            study.manifest["environment"]["environment"],
            len({cell.task for cell in study.cells}),
            len(study.manifest["agents"]),
            len(study.manifest["arms"]),
            len(read_ledger(study.ledger)),
            study.manifest["digest"][:16],
        )
        for study in studies
    ]
    counts = dict.fromkeys(("tasks", "agents", "arms", "episodes"), "count")
    columns = {"study": "text", "status": "text", "environment": "text", **counts, "manifest": "text"}
    return Table("inventory", "Studies", columns, rows)


def package(studies: Iterable[Study], to: Path) -> list[str]:
    """Write manifests without local paths, aggregates or why a study is invalidated, and digests of it all; return the names."""
    kept = list(studies)
    names = [study.folder.resolve().name for study in kept]
    if len(set(names)) < len(names):
        raise OutcomeMonitorsError("two studies have folders of one name; rename one of them")
    if to.exists() and any(to.iterdir()):
        raise OutcomeMonitorsError(f"{to} is not empty; take another folder")
    listed = inventory(kept)
    text = io.StringIO()
    csv.writer(text).writerows([list(listed.columns), *listed.rows])
    written = {"inventory.csv": text.getvalue()}
    for name, study in zip(names, kept, strict=True):
        written[f"{name}/manifest.json"] = _document(sanitized(study))
        if study.invalidated:
            written[f"{name}/invalidation.json"] = _document(study.manifest["amendments"])
        else:
            found = analyse(study)
            about = {"study": dict(found.about), "scripted": found.scripted, "tables": as_json(tables(found))}
            written[f"{name}/figures.json"] = _document(about)
    for name, content in written.items():
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(to / name, content)
    write_atomically(to / "digests.json", _document({name: file_digest(to / name) for name in written}))
    return [*written, "digests.json"]


def sanitized(study: Study) -> dict[str, Json]:
    """Return a manifest without what is of one machine: folders, addresses, and arguments of a provider's client."""
    manifest = dict(study.manifest)
    place, settings = manifest["environment"], manifest["settings"]
    manifest["environment"] = {name: value for name, value in place.items() if name not in LOCAL}
    manifest["settings"] = {name: value for name, value in settings.items() if name != "model_args"}
    return manifest


def _document(value: Json) -> str:
    return json.dumps(value, indent=1) + "\n"
