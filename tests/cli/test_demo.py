"""The demo's traffic is what its generator makes; what the demo prints is tested where the package is installed."""

from bench.demo_traffic import traffic
from outcome_monitors import read_traces
from outcome_monitors.cli.demo import TRAFFIC


def test_the_traffic_is_what_its_generator_makes() -> None:
    assert list(read_traces([TRAFFIC], strict=True)) == list(traffic())
