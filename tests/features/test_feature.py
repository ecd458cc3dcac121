"""The name of a feature: read, written, and taken apart nowhere else."""

import re

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.features.feature import Feature, Follows, Sort
from outcome_monitors.jsonvalue.paths import Each, render
from outcome_monitors.rules.base.record import is_feature
from tests.places import DOCS
from tests.strategies import keys

EXAMPLES = {
    ".": (Sort.FIELD, "", "(the result)"),
    ".address.city": (Sort.FIELD, "address.city", "address.city"),
    "~note": (Sort.LENGTH, "note", "the length of note"),
    "#items": (Sort.NUMBER, "items", "the number of items"),
    "+items[].price": (Sort.SUM, "items[].price", "the sum of items[].price"),
    "=items": (Sort.WHOLE, "items", "items"),
    "|items": (Sort.MEMBERS, "items", "the members of items"),
    "%items[].id": (Sort.ORDER, "items[].id", "the order of items[].id"),
    "<items[].id": (Sort.FIRST, "items[].id", "the first items[].id"),
    ">items[].id": (Sort.LAST, "items[].id", "the last items[].id"),
    "$": (Sort.KEY, "", "its key"),
    "@": (Sort.ARGUMENTS, "", "the arguments"),
    "@limit": (Sort.ARGUMENT, "limit", "the argument limit"),
    "@not a path.": (Sort.ARGUMENT, "not a path.", "the argument not a path."),
    "@:lines[].sku": (Sort.ARGUMENT_INSIDE, "lines[].sku", "the argument lines[].sku"),
    "@#ids": (Sort.ARGUMENT_NUMBER, "ids", "the number of items in the argument ids"),
    "@+ids": (Sort.ARGUMENT_SUM, "ids", "the sum of the argument ids"),
    "@~sum": (Sort.ARGUMENT_WORTH, "sum", "the worth of the argument sum"),
    "@=ids": (Sort.ARGUMENT_WHOLE, "ids", "the argument ids"),
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_name_is_taken_apart(text: str) -> None:
    feature = Feature.parse(text)
    assert (feature.sort, feature.path, feature.described) == EXAMPLES[text]
    assert feature.sort.of_call is text.startswith("@")


def test_every_sort_is_in_the_table_of_features() -> None:
    page = (DOCS / "reference" / "contracts.md").read_text("utf-8")
    table = page.partition("| feature | stands for |")[2].partition("\n\n")[0]
    # A bar in a cell is escaped.
    shown = filter(is_feature, re.findall("`([^`]+)`", table.replace("\\|", "|")))
    assert {Feature.parse(text).sort for text in shown} == set(Sort)


paths = st.lists(keys | st.sampled_from(Each), max_size=4).map(render)
names = st.text(max_size=5) | keys


@st.composite
def features(draw: st.DrawFn) -> Feature:
    """Draw any feature that there is."""
    sort: Sort = draw(st.sampled_from(Sort))
    follows = {Follows.PATH: paths, Follows.NAME: names, Follows.NOTHING: st.just("")}
    path = draw(follows[sort.follows])
    # An argument of such a name has no feature of its own.
    return sort.of(path if sort is not Sort.ARGUMENT else f"a{path}")


@given(features())
def test_what_is_written_is_read_back(feature: Feature) -> None:
    text = str(feature)
    assert type(text) is str
    read = Feature.parse(text)
    assert (read, read.sort, read.path) == (feature, feature.sort, feature.path)
    assert text == feature.sort.sigil + feature.path
    assert Feature.parse(feature) is feature


@given(st.text(max_size=6) | st.sampled_from([*EXAMPLES]) | st.text(".~#+=%<>$@:[]*ab", max_size=6))
def test_what_is_read_is_written_as_it_was(text: str) -> None:
    if is_feature(text):
        feature = Feature.parse(text)
        assert str(feature) == text
        assert feature.sort.of(feature.path) == feature
    else:
        with pytest.raises(ValueError, match=re.escape(f"{text!r} is not a feature: ")):
            Feature.parse(text)
