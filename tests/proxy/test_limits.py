"""The time that a look may take, and what does not count."""

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors.proxy import TimeLimit
from outcome_monitors.proxy.limits import OverBudget
from outcome_monitors.values.late_imports import late

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no alarm")


@pytest.fixture
def limit() -> Iterator[TimeLimit]:
    before = signal.getsignal(signal.SIGALRM)
    yield TimeLimit(0.02)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def wait() -> None:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        pass


def test_what_takes_too_long_is_given_up(limit):
    with pytest.raises(OverBudget):
        limit.run(wait)


def test_a_module_that_is_loaded_with_the_first_result_is_not(limit, tmp_path: Path, monkeypatch):
    (tmp_path / "slow_to_load.py").write_text(
        "import time; time.sleep(0.1)\ndef twice(number): return 2 * number"
    )
    monkeypatch.syspath_prepend(tmp_path)
    room: dict[str, Any] = {"__package__": None}
    late(room, "slow_to_load", "twice")
    try:
        assert limit.run(lambda: room["twice"](3)) == 6
    finally:
        sys.modules.pop("slow_to_load", None)
    with pytest.raises(OverBudget):
        limit.run(wait)
