"""What another process has used so far, where the system tells (Linux does)."""

import os
import re
import sys
from pathlib import Path

__all__ = ["as_installed", "cpu", "memory"]


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


def as_installed(folder: Path) -> dict[str, str]:
    """Return an environment in which modules are compiled once, as they are where a package is installed."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder / sys.implementation.cache_tag)}
