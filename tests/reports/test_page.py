"""Pages, tables and markup: nothing put into them becomes markup, and nothing comes from elsewhere."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.reports import Dots, Estimate, dots, element, page, paragraph, section, table
from tests.reports.hostile import HOSTILE


def read(made: str) -> ET.Element:
    return ET.fromstring(made.removeprefix("<!DOCTYPE html>\n"))


def expected(text: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    made = element("p", text, element("b", text), title=text, data_of=text)
    found = read(made)
    assert [child.tag for child in found.iter()] == ["p", "b"]
    assert found.attrib == {"title": expected(text), "data-of": expected(text)}
    assert found.text == found[0].text == expected(text)
    whole = read(
        page(
            text,
            text,
            section(text, paragraph(text), table((text, f">{text}"), [(text, text)], text)),
            dots(text, [text], [Dots(text, [Estimate(0.5)], text, text)]),
        )
    )
    assert not {each.tag for each in whole.iter()} & {"script", "img", "link", "iframe", "object"}
    assert not [name for each in whole.iter() for name in each.attrib if name.startswith("on")]


@given(st.text(st.characters()))
def test_any_text_comes_out_as_it_went_in_but_for_what_cannot_be_printed(text):
    found = read(element("td", text, title=text))
    assert (found.text or "") == expected(text)
    # XML reads a line's end in an attribute as a blank; HTML keeps it.
    assert found.attrib["title"] == expected(text).replace("\n", " ").replace("\t", " ")


def test_a_page_needs_nothing_from_elsewhere_and_says_so():
    made = page("Title", "Lead", paragraph("text"))
    assert not re.search(r"(?i)https?:|src=|href=|@import|url\(", made)
    policy = next(each for each in read(made).iter("meta") if "http-equiv" in each.attrib)
    assert policy.attrib["content"].startswith("default-src 'none'")
    assert made.startswith("<!DOCTYPE html>\n<html lang=")
