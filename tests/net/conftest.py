"""The shop: a folder with its traces and what was learned from them, made once."""

import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from tests.net.support import DATA, run

# The same examples every time, however slow the machine; the net stands without the other tests' settings.
settings.register_profile("net", derandomize=True, deadline=None, max_examples=60)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with shop.jsonl, wrong.jsonl, paper.json, full.json."""
    folder = tmp_path_factory.mktemp("shop")
    for file in DATA.glob("*.json*"):
        shutil.copy(file, folder)
    for profile in ("paper", "full"):
        run("mine", "shop.jsonl", "-o", f"{profile}.json", "--profile", profile, cwd=folder)
    return folder
