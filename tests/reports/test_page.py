"""The page and its tables."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from outcome_monitors.reports import Mark, bars, charts, code, page, paragraph, section, table, tiles
from outcome_monitors.reports.style import STYLE
from tests.reports.test_markup import HOSTILE


def _read(made: str) -> ET.Element:
    return ET.fromstring(made.removeprefix("<!DOCTYPE html>\n"))


def test_a_page_of_hostile_text_holds_no_element_of_its_own():
    assert HOSTILE
    for text in HOSTILE:
        made = page(
            text,
            text,
            tiles([(text, text)]),
            section(text, paragraph(text), code(text, text), table((text, f">{text}"), [(text, text)], text)),
            bars(text, [Mark(text, charts.Estimate(0.5), text, text)]),
        )
        tags = {each.tag for each in _read(made).iter()}
        assert not tags & {"script", "img", "link", "iframe", "object"}
        assert not [name for each in _read(made).iter() for name in each.attrib if name.startswith("on")]
        made.encode()


def test_a_page_needs_nothing_from_elsewhere_and_says_so():
    made = page("Title", "Lead", paragraph("text"))
    assert not re.search(r"(?i)https?:|src=|href=|@import|url\(", made)
    policy = next(each for each in _read(made).iter("meta") if "http-equiv" in each.attrib)
    assert policy.attrib["content"].startswith("default-src 'none'")
    assert made.startswith("<!DOCTYPE html>\n<html lang=")


def test_the_style_needs_no_escaping_and_knows_dark_and_paper():
    assert not set("<&]") & set(STYLE)
    assert "prefers-color-scheme: dark" in STYLE
    assert "@media print" in STYLE


def test_every_class_that_charts_and_pages_use_has_a_style():
    folder = Path(charts.__file__).parent
    used = {
        name
        for file in folder.glob("*.py")
        for name in re.findall(r'class_="(\w+)"', file.read_text(encoding="utf-8"))
    }
    assert {"bar", "whisker", "tiles", "scroll"} <= used
    assert not [name for name in used if f".{name}" not in STYLE]


def test_columns_of_numbers_are_marked():
    read = ET.fromstring(table(("name", ">n"), [("a", "1"), ("b", "2")], "Counts"))
    assert [(cell.text, cell.get("class")) for cell in read.iter("th")] == [("name", None), ("n", "number")]
    assert [cell.text for cell in read.iter("td")] == ["a", "1", "b", "2"]
    assert [caption.text for caption in read.iter("caption")] == ["Counts"]
