"""docs/guides/audit.md cannot rot: its examples are run, and every key of the JSON file is on it."""

import json
import re
from pathlib import Path

from outcome_monitors.audit import as_json
from tests.audit.counts import SETTINGS, audited
from tests.page_examples import holds
from tests.places import DOCS

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


def test_the_examples_of_the_page_give_what_it_says(tmp_path: Path):
    holds(DOCS / "guides" / "audit.md", tmp_path)
