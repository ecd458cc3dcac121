"""A disk that is full for a while: a small file system that is filled up, or a process that may write no more."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

__all__ = ["Disk"]

SMALL = 2 * 2**30
"""Bytes of a file system that is filled up; a larger one serves others too."""


class Disk:
    """Where a process writes."""

    def __init__(self, folder: Path, process: int) -> None:
        self._ballast = folder / "ballast"
        self._process = process
        self._small = shutil.disk_usage(folder).total <= SMALL
        self._limit: tuple[int, int] | None = None

    @property
    def kind(self) -> str:
        """In what way it is full."""
        return "a file system without room" if self._small else "a process that may write no more"

    def fill(self) -> None:
        """Leave no room."""
        if not self._small:
            self.forbid()
            return
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    def clear(self) -> None:
        """Give the room back."""
        if self._small:
            self._ballast.unlink(missing_ok=True)
        elif self._limit is not None:
            import resource  # noqa: PLC0415 - not every system has it

            resource.prlimit(self._process, resource.RLIMIT_FSIZE, self._limit)

    def forbid(self) -> None:
        """Let the process write no more."""
        import resource  # noqa: PLC0415 - not every system has it

        self._limit = resource.prlimit(self._process, resource.RLIMIT_FSIZE)
        resource.prlimit(self._process, resource.RLIMIT_FSIZE, (os.sysconf("SC_PAGESIZE"), self._limit[1]))
