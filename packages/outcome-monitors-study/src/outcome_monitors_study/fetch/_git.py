"""Gets some files of a git repository at one commit, and no more of it than that takes."""

import os
import shutil
import subprocess
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError

from ._sources import Git

__all__ = ["get_commit"]

PATIENCE = 1800
"""Seconds for one step of git."""
_ELSEWHERE = frozenset({"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"})


def get_commit(part: Git, folder: Path) -> None:
    """Put the wanted files of a commit into a folder; the repository itself is not kept."""
    if shutil.which("git") is None:
        raise OutcomeMonitorsError(
            "fetching this needs git; install it, or take a copy that you have with --from"
        )
    _git(folder, part, "init", "--quiet", "--template=")
    # No file of the repository may become a link, whoever made the repository.
    _git(folder, part, "config", "core.symlinks", "false")
    _git(folder, part, "remote", "add", "origin", part.url)
    _git(folder, part, "sparse-checkout", "set", "--no-cone", *(f"/{path}" for path in part.paths))
    _git(folder, part, "fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", part.commit)
    _git(folder, part, "checkout", "--quiet", "--detach", "FETCH_HEAD")
    arrived = _git(folder, part, "rev-parse", "HEAD").strip()
    if arrived != part.commit:
        raise OutcomeMonitorsError(f"{part.pin} gave commit {arrived[:12]}; nothing was kept")
    shutil.rmtree(folder / ".git")


def _git(folder: Path, part: Git, *arguments: str) -> str:
    # A repository that happens to be at hand, as within a hook, is not the one that is meant.
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; what varies is in the table of sources
            ["git", *arguments],  # noqa: S607 - the git that the user has
            cwd=folder,
            env={**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise OutcomeMonitorsError(
            f"cannot fetch {part.pin}: git {arguments[0]} did not end; try again"
        ) from None
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["git said nothing"])[-1]
        raise OutcomeMonitorsError(
            f"cannot fetch {part.pin}: {why}; or take a copy that you have with --from"
        )
    return done.stdout
