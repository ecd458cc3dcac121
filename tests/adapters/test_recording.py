"""Recording in one line, mining, and the same line with contracts."""

import subprocess
import sys
import time
from datetime import date
from decimal import Decimal

import pytest

from outcome_monitors import mine
from outcome_monitors.adapters._observer import ToolCallObserver
from outcome_monitors.adapters.functions import run, watched
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.traces.reader import read_traces
from tests.mcp.fleets import asked
from tests.mcp.wire import PATIENCE


def order(number, **changes):
    found = {
        "order_id": f"W{number:04}",
        "total": Decimal(number) + Decimal("10.50"),
        "sent": date(2026, 3, 1),
    }
    return {**found, **changes}


def lines(path, number):
    """Return the calls that a file, or a folder of files, comes to hold."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        calls = list(read_traces(files)) if files and all(file.exists() for file in files) else []
        if len(calls) >= number:
            return calls
        time.sleep(0.05)
    raise AssertionError(f"{path} holds {len(calls)} calls")


def test_record_mine_and_check_in_three_lines(tmp_path):
    record = tmp_path / "traces.jsonl"
    get_order = watched(record=record, name="get_order")(order)
    get_stock = watched(record=record, name="get_stock")(lambda: {"left": 3})
    for number in range(40):
        with run(f"run-{number}"):
            assert get_order(number)["sent"] == date(2026, 3, 1)
            get_stock()
    calls = lines(record, 80)
    assert len(calls) == 80
    first = calls[0]
    assert (first.tool, first.session, first.arguments) == ("get_order", "run-0", {"number": 0})
    assert first.result == {"order_id": "W0000", "total": 10.5, "sent": "2026-03-01"}
    mine(calls, "full").save(tmp_path / "contracts.json")

    told = []
    checked = watched(tmp_path / "contracts.json", name="get_order", tell=lambda *heard: told.append(heard))
    clean = checked(order)
    assert [clean(number)["order_id"] for number in range(2, 22)]
    assert told == []
    checked(lambda number: order(number, total=Decimal(-4)))(41)
    assert len(told) == 1


def test_learning_keeps_all_in_its_folder(tmp_path):
    get_order = watched(learn=tmp_path / "state", name="get_order")(order)
    with run("a"):
        get_order(1)
        get_order(2)
    assert [call.arguments for call in lines(tmp_path / "state" / "traces", 2)] == [
        {"number": 1},
        {"number": 2},
    ]
    assert (tmp_path / "state" / "stages.sqlite").exists()
    one, other = (ToolCallObserver(None, learn=tmp_path / "state") for _ in range(2))
    assert one.watch is other.watch


def test_what_makes_no_sense_is_refused():
    with pytest.raises(OutcomeMonitorsError, match="leave out record"):
        watched(record="a.jsonl", learn="b")


def test_without_contracts_the_built_in_rules_hold(caplog):
    get_order = watched(name="get_order")(lambda number: order(number) if number else {"error": "timed out"})
    assert get_order(1) == order(1)
    assert caplog.text == ""
    get_order(0)
    assert "'get_order' is inconsistent" in caplog.text


FLEET = """
import sys
from outcome_monitors.adapters.functions import run, watched
from tests.events.shop import order
orders = {order(number)["id"]: order(number) for number in range(5)}
get_order = watched(learn=sys.argv[1], name="get_order")(lambda id: orders[id])
for number, id in enumerate(orders):
    with run(f"run {number}"):
        assert get_order(id) is orders[id]
"""


def test_an_adapter_learns_in_a_fleet_and_what_waits_at_its_end_is_written(fleet):
    done = subprocess.run([sys.executable, "-c", FLEET, fleet], capture_output=True, text=True, check=True)
    assert "outcome-monitors learn" in done.stderr
    for table in ("events", "traces"):
        assert asked(fleet, f"SELECT count(*), max(tool) FROM {table}") == [(5, "get_order")]
    assert asked(fleet, "SELECT recorded FROM progress") == [(5,)]
