"""What another process has used so far, and what it may still write, where the system has it (Linux does)."""

import os
import re
from pathlib import Path

__all__ = ["FullDisk", "cpu", "memory"]


def cpu(process: int) -> float:
    """Return the microseconds of processor time of a process, all threads together; 0 where nobody tells."""
    threads = Path(f"/proc/{process}/task")
    if not threads.exists():
        return 0.0
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads.iterdir()) / 1e3


def memory(process: int) -> int:
    """Return the megabytes that a process uses; 0 where nobody tells."""
    status = Path(f"/proc/{process}/status")
    found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) // 1024 if found else 0


class FullDisk:
    """A process that can write no more, as where the disk is full."""

    def __init__(self, process: int) -> None:
        import resource  # noqa: PLC0415 - not every system has it

        self._process, self._kind, self._set = process, resource.RLIMIT_FSIZE, resource.prlimit
        self._limit = self._set(process, self._kind)

    def fill(self) -> None:
        """Let the process write no more."""
        self._set(self._process, self._kind, (os.sysconf("SC_PAGESIZE"), self._limit[1]))

    def clear(self) -> None:
        """Let it write again."""
        self._set(self._process, self._kind, self._limit)
