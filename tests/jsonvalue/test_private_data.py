"""What is private is known by its form or its name, in time linear in the text, and what merely looks like it is let be."""

import random

import pytest

from outcome_monitors.jsonvalue import private_data
from outcome_monitors.jsonvalue.private_data import looks_private, names_private, private_among

SECRETS = [
    "postgres://app:hunter22@db.example/orders",
    "password: correcthorse",
    "the api_key=9f8e7d6c5b4a",
    "github_pat_" + "11ABCDEFG0abcdefghij",
    "xoxb-" + "123456789012-abcdef",
    "rk_live_" + "51H8xYzAbCdEfGhIj",
]
PERSONAL = [
    "3782 822463 10005",
    "5555555555554444",
    "DE89 3704 0044 0532 0130 00",
    "219-09-9999",
    "+14155552671",
]
HARMLESS = [
    "Click on this link to reset your password: https://mail.example/reset-password",
    "https://api.example/repos/sferik/rails_admin/git/commits/f2046ef10fe1caafe44ca11877330e4c8eed9eba",
    "high-speed-usb-c-charging-cable-2m-black-2024",
    "000-12-3456",
    "20260301100000",
    "4006381333931",
    "or12345678901234567",
    "password policy",
]


@pytest.mark.parametrize("text", [*SECRETS, *PERSONAL])
def test_it_is_found_in_either_case_and_in_a_sentence(text):
    assert looks_private(text)
    assert looks_private(text.lower())
    assert looks_private(f"it is {text} today")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_merely_looks_like_it_is_let_be(text):
    assert looks_private(text) == ""


def test_an_order_list_is_no_list_of_cards_or_accounts():
    drawn = random.Random(7)
    orders = [f"4{drawn.randrange(10**15):015}" for _ in range(100)]
    accounts = [f"DE{drawn.randrange(10**20):020}" for _ in range(300)]
    assert any(map(looks_private, orders))
    assert any(map(looks_private, accounts))
    assert private_among(orders) == private_among(accounts) == {}
    assert set(private_among([*PERSONAL, "delivered"])) == {*PERSONAL}


def test_names_count_where_the_value_itself_is_named():
    assert all(
        map(names_private, ("user.password", "api_key", "emails[]", "card_number", "contact.phone_number"))
    )
    assert not any(
        map(names_private, ("email_verified", "password_policy", "phone_type", "status", "[]", ""))
    )


HOSTILE = "a|1|a@|a@a.|eyJ|-----BEGIN |1 |1-|+1|bearer |://a:|password=|DE12 |a1|AKIA"


PATTERNS = [
    pattern
    for found in vars(private_data).values()
    for pattern in (found.values() if isinstance(found, dict) else [found])
    if hasattr(pattern, "groupindex")
]


@pytest.mark.parametrize("piece", HOSTILE.split("|"))
def test_a_long_text_takes_no_pattern_long(piece):
    """Each would keep a pattern busy for minutes whose time grows with the square of the text."""
    assert len(PATTERNS) > 10
    for pattern in PATTERNS:
        assert sum(1 for _ in pattern.finditer(piece * (60_000 // len(piece)))) >= 0
