"""Rows of one's own: CSV and JSON under names that are nearly ours."""

from pathlib import Path

import pytest

from outcome_monitors.exceptions import TraceError
from outcome_monitors.traces.importers import ImportTally, import_traces
from outcome_monitors.traces.reader import TraceReport, read_traces


def imported(file: Path, **options):
    tally = ImportTally()
    return [*import_traces([file], tally=tally, **options)], tally


def test_a_table_with_a_heading(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text(
        "\ufeffname,input,output,conversation_id,timestamp,error\n"
        'get_order,"{""id"": 7}","{""total"": 3.5}",run-1,2026-03-01T10:00:00Z,\n'
        'get_order,"{""id"": 8}",out of stock,run-1,2026-03-01T10:00:01Z,true\n'
        "get_order,,,run-1,,\n"
        "a,b,c,d,e,f,g\n"
    )
    calls, tally = imported(file)
    assert [(call.arguments, call.result, call.session, call.error) for call in calls] == [
        ({"id": 7}, {"total": 3.5}, "run-1", False),
        ({"id": 8}, "out of stock", "run-1", True),
    ]
    assert calls[0].extra["time"].startswith("2026-03-01T10:00:00")
    said = {reason.one for reason in tally.reasons}
    assert said == {"row has more cells than the heading", "row has no result"}


def test_tabs_and_json_lines(tmp_path: Path) -> None:
    (tmp_path / "log.tsv").write_text('tool_name\tresponse\nping\t{"ok": true}\n')
    (tmp_path / "log.jsonl").write_text('{"name": "ping", "args": {}, "output": {"ok": true}}\n')
    for file in ("log.tsv", "log.jsonl"):
        [call], _ = imported(tmp_path / file)
        assert (call.tool, call.result) == ("ping", {"ok": True})


def test_who_reads_traces_points_to_it(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("name,output\nping,1\n")
    (tmp_path / "log.jsonl").write_text('{"name": "ping", "output": 1}\n{"tool": "ping", "output": 1}\n')
    for name in ("log.csv", "log.jsonl"):
        report = TraceReport()
        assert [*read_traces([tmp_path / name], report=report)] == []
        with pytest.raises(TraceError, match=f"outcome-monitors import .*{name} -o traces.jsonl"):
            report.require_calls()
    assert [*report.reasons] == ["no `tool`, but `name`", "no `result`, but `output`"]
