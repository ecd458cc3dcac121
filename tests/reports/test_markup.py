"""Markup cannot be broken by what is put into it."""

import doctest
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.reports import markup, scales, share
from outcome_monitors.reports.markup import Markup, element, number

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><script>",
    "]]><!--",
    "&lt;b&gt; &amp; &#x3c;",
    "\x00\x1b[2J\ud800\u202e\ufffe",
    "<!DOCTYPE html>",
)


def _expected(text: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    made = element("p", text, element("b", text), title=text, data_of=text)
    read = ET.fromstring(made)
    assert [child.tag for child in read.iter()] == ["p", "b"]
    assert read.attrib == {"title": _expected(text), "data-of": _expected(text)}
    assert read.text == read[0].text == _expected(text)


@given(st.text(st.characters()))
def test_any_text_comes_out_as_it_went_in_but_for_what_cannot_be_printed(text):
    read = ET.fromstring(element("td", text))
    assert (read.text or "") == _expected(text)


@given(st.text(st.characters()))
def test_any_attribute_does_too(text):
    # XML reads a line's end in an attribute as a blank; HTML keeps it.
    read = ET.fromstring(element("td", title=text))
    assert read.attrib["title"] == _expected(text).replace("\n", " ").replace("\t", " ")


def test_markup_is_taken_as_it_is_and_joining_it_makes_it_text_again():
    bold = element("b", "1 < 2")
    assert element("p", bold) == "<p><b>1 &lt; 2</b></p>"
    assert not isinstance(bold + "!", Markup)
    assert element("p", bold + "!") == "<p>&lt;b&gt;1 &amp;lt; 2&lt;/b&gt;!</p>"


def test_names_numbers_and_absent_attributes():
    made = element("rect", class_="bar", stroke_width=1.5, x=-0.0001, y=None, viewBox="0 0 1 1")
    assert made == '<rect class="bar" stroke-width="1.5" x="0" viewBox="0 0 1 1"></rect>'
    assert element("meta", charset="utf-8") == '<meta charset="utf-8" />'


@given(st.floats(-1e6, 1e6))
def test_a_number_is_plain_and_near(value):
    text = number(value)
    assert "e" not in text
    assert text != "-0"
    assert abs(float(text) - value) <= 0.0051


@pytest.mark.parametrize("module", [markup, scales, share])
def test_the_examples_in_docstrings_hold(module):
    failed, tried = doctest.testmod(module)
    assert (failed, tried > 0) == (0, True)
