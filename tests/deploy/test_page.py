"""The page on deployment names files, values and numbers that there are."""

import re

import yaml

from tests.deploy.given import CHART, assert_is_ours
from tests.places import DOCS, ROOT

PAGE = (DOCS / "guides" / "deploy.md").read_text(encoding="utf-8")
VALUES = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))


def value(path):
    found = VALUES
    for name in path.split("."):
        found = found[name]
    return found


def test_files_are_there():
    named = re.findall(r"(?<![\w/])(?:deploy|tests)/[\w./]*\w", PAGE)
    assert "deploy/compose.yaml" in named
    made = {"deploy/.env"}
    assert [name for name in named if name not in made and not (ROOT / name).exists()] == []


def test_values_are_there():
    tables = re.findall(r"`((?:image|secret|database|labels|proxy|server|networkPolicy)\.\w+)`", PAGE)
    set_by_hand = re.findall(r"--set(?:-file)? ([\w.]+)=", PAGE)
    assert tables
    assert set_by_hand
    for path in (*tables, *set_by_hand):
        value(path)


def test_seconds_are_those_of_the_chart():
    before, drain = value("proxy.preStopSeconds"), value("proxy.drainSeconds")
    seconds = [int(each) for each in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)]
    assert seconds == [0, before, before + drain, before + drain + 5]
    assert f"`proxy.preStopSeconds` ({before})" in PAGE
    assert f"`proxy.drainSeconds` ({drain})" in PAGE


def test_the_command_of_the_container_is_ours():
    [command] = re.findall(r"outcome-monitors:local (proxy .*)$", PAGE, re.MULTILINE)
    assert_is_ours(command.split())
