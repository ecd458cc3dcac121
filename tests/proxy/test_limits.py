"""The time that a look may take, and what does not count."""

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from outcome_monitors.proxy import TimeLimit
from outcome_monitors.proxy.context import OverBudget

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no alarm")


@pytest.fixture
def limit() -> Iterator[TimeLimit]:
    before = signal.getsignal(signal.SIGALRM)
    yield TimeLimit(0.02)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def wait(seconds: float = 5.0) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def test_what_takes_too_long_is_given_up_and_what_is_decided_is_not(limit: TimeLimit) -> None:
    with pytest.raises(OverBudget):
        limit.run(wait)

    def decided() -> None:
        limit.over()
        wait(0.1)

    limit.run(decided)


def test_a_module_that_is_imported_meanwhile_is_not_given_up(
    limit: TimeLimit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_to_load.py").write_text("import time; time.sleep(0.1)")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        limit.run(__import__, "slow_to_load")
    finally:
        sys.modules.pop("slow_to_load", None)
    with pytest.raises(OverBudget):
        limit.run(wait)
