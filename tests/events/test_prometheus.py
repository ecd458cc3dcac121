"""What Prometheus reads of adapters: in the host's own registry, and at a console whose folder they write to."""

import os

import pytest

from outcome_monitors.adapters import LearnIn
from outcome_monitors.adapters.functions import watched
from outcome_monitors.events import Watch
from tests.console.serving import serving
from tests.events.shop import monitor, order

client = pytest.importorskip("prometheus_client")


def sample(name, **labels):
    return client.REGISTRY.get_sample_value(name, labels) or 0.0


def test_the_registry_of_the_process_counts_the_results_of_all_adapters(tmp_path):
    with Watch.open(events="prometheus") as one, Watch.open(events="prometheus") as other:
        before = sample("outcome_monitors_results_total", tool="get_order", outcome="flagged")
        for watch in (one, other):
            watch.conversation().look("get_order", {}, {"error": "upstream returned 503"})
    assert sample("outcome_monitors_results_total", tool="get_order", outcome="flagged") == before + 2
    watched(learn=LearnIn(tmp_path / "state", events="prometheus"), name="get_order")(lambda: order(1))()
    assert sample("outcome_monitors_results_total", tool="get_order", outcome="not_covered") == 1


def test_a_console_counts_what_others_write_into_its_folder(learned_folder):
    with serving(learned_folder) as reader:
        assert "outcome_monitors_results_total{" not in reader.ask("/metrics").text
        with Watch(monitor(), Watch.open(events=os.fspath(learned_folder / "events.sqlite")).sink) as watch:
            watch.conversation("c").look("get_order", {"id": "W1"}, order(1, total=-1.0))
            watch.conversation("c").look("get_order", {"id": "W1"}, order(1))
        text = reader.ask("/metrics").text
    assert 'outcome_monitors_results_total{outcome="flagged",tool="get_order"} 1.0' in text
    assert 'outcome_monitors_told_total{tool="get_order"} 1.0' in text
    assert "outcome_monitors_check_seconds_count 2.0" in text
