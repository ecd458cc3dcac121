"""Fetches public sources at pinned commits: a commit's id is a checksum of all that it holds, and git checks what arrives against it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError

from . import livemcp

TIMEOUT = 1800
ELSEWHERE = frozenset({"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"})


class FetchPart(NamedTuple):
    """Some files of a git repository, at one commit."""

    url: str
    commit: str
    paths: tuple[str, ...]
    """Files and folders that are wanted, in the repository's own layout."""
    into: str = ""
    """The folder that they are put into."""


class FetchSource(NamedTuple):
    """A public source."""

    what: str
    licence: str
    parts: tuple[FetchPart, ...]
    convert: Callable[[Path], str] | None = None
    """Makes traces of it, beside its files, and says what it has made."""


SOURCES: Mapping[str, FetchSource] = {
    "toolmaze": FetchSource(
        "ToolMaze: tool definitions, plugins and 2,000 perturbed tasks",
        "see LICENSE in the repository, and the dataset's card",
        (
            FetchPart(
                "https://github.com/Zhudongsheng75/ToolMaze",
                "ef0798aa7f31ac9b33403254b1ef76e8673305fa",
                ("tools", "LICENSE"),
            ),
            FetchPart(
                "https://huggingface.co/datasets/dongsheng/ToolMaze",
                "08b0239a98b0b07839d673f5bc0ef7d836db9296",
                ("perturbed_tasks", "README.md"),
                into="data",
            ),
        ),
    ),
    "tau-bench": FetchSource(
        "tau-bench's retail domain: tasks, policy, tools and database",
        "MIT, (c) Sierra",
        (
            FetchPart(
                "https://github.com/sierra-research/tau-bench",
                "59a200c6d575d595120f1cb70fea53cef0632f6b",
                ("tau_bench/envs/retail", "tau_bench/envs/user.py", "LICENSE"),
            ),
        ),
    ),
    "livemcp": FetchSource(
        "LiveMCPBench: 95 tasks of one agent on live MCP servers; with labels of its calls, read by hand",
        "Apache-2.0",
        (
            FetchPart(
                "https://github.com/icip-cas/LiveMCPBench",
                "3c0aabcb9daef8fbb7ab35738c53fdbd2a6ce376",
                (livemcp.RECORDING,),
            ),
        ),
        livemcp.convert,
    ),
}


def fetch(source: FetchSource, to: Path, local: Path | None = None) -> str:
    """Fetch a source, or take a local copy of it, and return what was made of it; the folder is there whole at the end, or not at all."""
    if to.exists() and not (to.is_dir() and not any(to.iterdir())):
        raise OutcomeMonitorsError(f"{to} is not empty; fetch into another folder with --to")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{to.name}.", dir=to.parent) as beside:
            folder = Path(beside) / to.name
            folder.mkdir()
            for part in source.parts:
                own = Path(beside) / "part"
                if local is None:
                    _get_commit(part, own)
                else:
                    _copy(part, local / part.into, own)
                shutil.copytree(own, folder / part.into, dirs_exist_ok=True)
                shutil.rmtree(own)
            made = "" if source.convert is None else source.convert(folder)
            if to.is_dir():
                to.rmdir()
            folder.rename(to)
    except OSError as error:
        raise OutcomeMonitorsError(f"cannot write {to}: {error.strerror or error}") from error
    return made


def _copy(part: FetchPart, origin: Path, folder: Path) -> None:
    """Copy the wanted files from a local copy; raise where some are not there."""
    for path in part.paths:
        if not (origin / path).exists():
            raise OutcomeMonitorsError(f"{origin} has no {path}; give a complete copy")
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (origin / path).is_dir() else shutil.copyfile
        copy(origin / path, target)


def _get_commit(part: FetchPart, folder: Path) -> None:
    """Put the wanted files of a commit into a folder, and no more of the repository than that takes."""
    if shutil.which("git") is None:
        raise OutcomeMonitorsError(
            "fetching this needs git; install it, or take a copy that you have with --from"
        )
    folder.mkdir()
    for step in (
        ("init", "--quiet", "--template="),
        # No file of the repository may become a link, whoever made the repository.
        ("config", "core.symlinks", "false"),
        ("remote", "add", "origin", part.url),
        ("sparse-checkout", "set", "--no-cone", *(f"/{path}" for path in part.paths)),
        ("fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", part.commit),
        ("checkout", "--quiet", "--detach", part.commit),
    ):
        _git(folder, part, *step)
    shutil.rmtree(folder / ".git")


def _git(folder: Path, part: FetchPart, *arguments: str) -> None:
    # A repository that happens to be at hand, as within a hook, is not the one that is meant.
    kept = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    what = f"cannot fetch {part.url} at commit {part.commit[:12]}"
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; what varies is in the table of sources
            ["git", *arguments],  # noqa: S607 - the git that the user has
            cwd=folder,
            env={**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        raise OutcomeMonitorsError(f"{what}: git {arguments[0]} did not end; try again") from None
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["git said nothing"])[-1]
        raise OutcomeMonitorsError(f"{what}: {why}; or take a copy that you have with --from")
