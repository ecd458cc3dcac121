"""The time that a look may take, and what does not count."""

import signal
import time
from collections.abc import Iterator

import pytest

from outcome_monitors.proxy.limits import OverBudget, TimeLimit

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
