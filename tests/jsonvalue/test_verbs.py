"""What the name of a tool tells of it, by one table of verbs."""

import pytest

from outcome_monitors.features.tool_names import named_action


@pytest.mark.parametrize(
    ("name", "about", "action"),
    [
        ("return_delivered_order_items", "Return some items of a delivered order.", "update"),
        ("check_out_cart", "", "create"),
        ("list_updates", "", "read"),
        ("lookup_and_charge", "", "send"),
        ("flight_status", "", "read"),
        ("place_order", "", "create"),
        ("place_codes", "Give the codes of a place.", "read"),
        ("user_messages", "", None),
    ],
)
def test_what_a_tool_does_is_guessed_from_its_verb(name, about, action):
    assert named_action(name, about) == action
