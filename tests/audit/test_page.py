"""docs/guides/audit.md cannot rot: its Python runs, and every key of the JSON file is on it."""

import json
import re
import shutil
from pathlib import Path

import pytest

from outcome_monitors.audit import as_json
from tests.audit.counts import SETTINGS, audited

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "guides" / "audit.md").read_text(encoding="utf-8")


def test_every_key_of_the_json_file_is_on_the_page():
    document = json.loads(as_json(audited(), SETTINGS, []))
    rows = dict(re.findall(r"^\| (`.*?`) \| (.*) \|$", PAGE, re.MULTILINE))
    named = [key for cell in rows for key in re.findall(r"`(\w+)`", cell)]
    assert named == list(document)
    inner = {"settings": document["settings"], "faults": document["faults"][0], "folds": document["folds"][0]}
    inner |= {"calls": document["calls"], "suites": document["suites"]["toolmaze"]}
    for key, value in inner.items():
        assert re.findall(r"`(\w+)`", rows[f"`{key}`"]) == list(value)


def test_the_python_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    shutil.copy(DOCS / "examples" / "traces.jsonl", tmp_path)
    monkeypatch.chdir(tmp_path)
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out.startswith("False alarms are within the budget")
