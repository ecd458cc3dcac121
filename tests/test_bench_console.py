"""What the console is measured on: a store like one that a proxy has written, of the size that is said."""

import json
from pathlib import Path

from bench.console import fill
from outcome_monitors.events import events_at
from outcome_monitors.events.summary import summarise
from outcome_monitors.learning.status import StatusSource, status_of
from outcome_monitors_server.console.alarms import last_alarms


def test_a_folder_is_filled_with_events_of_a_week(tmp_path: Path) -> None:
    tools = [{"name": name} for name in ("get_order", "list_orders")]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}))
    fill(tmp_path, 3000)
    fill(tmp_path, 2000)
    counts = summarise(tmp_path)
    assert counts.total.results == 2000
    assert 0.01 < counts.total.outcomes["flagged"] / 2000 < 0.03
    document = status_of(StatusSource(folder=tmp_path, events=tmp_path / "events.sqlite"))
    assert (document["results"], [*document["tools"]]) == (2000, ["get_order", "list_orders"])
    first, *_, last = last_alarms(events_at(tmp_path / "events.sqlite"))[::-1]
    assert first["time"] < last["time"]
    assert last["clauses"]
