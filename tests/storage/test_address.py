"""Addresses of a fleet's state: what is read, what is refused, and what nobody sees of them."""

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.exceptions import StateError
from outcome_monitors.storage.address import StateAddress, is_address
from outcome_monitors.storage.labels import Labels


@pytest.mark.parametrize("text", ["shop", "./postgresql", "sqlite:///a", "mysql://h/d", ""])
def test_a_folder_is_no_address(text):
    assert not is_address(text)
    with pytest.raises(StateError, match="address as in"):
        StateAddress.read(text)


def test_what_is_ours_is_not_the_drivers():
    address = StateAddress.read("postgresql://me:pw@db:5433/shop?sslmode=require&fleet=eu%20west")
    assert address.dsn == "postgresql://me:pw@db:5433/shop?sslmode=require"
    assert address.fleet == "eu west"
    assert address.schema == "outcome_monitors:eu west"


def test_neither_user_nor_password_is_shown():
    address = StateAddress.read("postgresql://alice:s%40crt@db/shop?fleet=eu")
    assert str(address) == "postgresql://db/shop, fleet eu"
    assert address.secret == "s@crt"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://h/d?fleet=",
        "postgresql://h/d?fleet=a%00b",
        "postgresql://h/d?fleet=" + "x" * 201,
        "postgresql://[h/d",
    ],
)
def test_what_has_no_form_is_refused(text):
    with pytest.raises(StateError):
        StateAddress.read(text)


@given(
    st.lists(st.text(min_size=1, max_size=200).filter(str.isprintable), min_size=2, max_size=2, unique=True)
)
def test_two_fleets_have_two_schemas_that_a_database_can_name(names):
    schemas = [StateAddress("postgresql://h/d", name).schema for name in names]
    assert schemas[0] != schemas[1]
    assert all(len(schema.encode()) <= 63 for schema in schemas)


def test_labels_are_read_off_an_address_and_share_the_copy_of_the_fleet():
    plain, labelled = map(
        StateAddress.read, ("postgresql://h/d?fleet=x", "postgresql://h/d?fleet=x&service=shop&agent=a%20b")
    )
    assert labelled.labels == Labels(service="shop", agent="a b")
    assert labelled.dsn == plain.dsn
    assert labelled.cache == plain.cache
    assert str(labelled) == "postgresql://h/d, fleet x, service shop, agent a b"


def test_the_address_says_more_than_the_environment():
    said = Labels.of({"OUTCOME_MONITORS_SERVICE": "env", "OUTCOME_MONITORS_AGENT": "a"}, server="s")
    assert Labels(service="address").over(said) == Labels("address", "", "s", "a")
