"""What the name of a tool tells of it, by one table of verbs."""

import pytest

from outcome_monitors.features.tool_names import may_write, named_action

READS = """
    get_order getOrder shop.list_orders find-user ls check_stock list_updates get_open_orders check_restaurant_opening_hours
    mcp__github__get_issue slack_get_users get_likes_and_count search_or_list think wc look_up_user
"""
MAY_WRITE = """
    cancel_order update_read_flag orders _ capture_payment check_out_cart check_in_guest return_delivered_order_items
    follow_user give_badge log_workout report_user tell_user refund_order charge_card wire_money resolve_ticket track_expense
    print_label convert_lead lookup_and_charge getOrCreateUser find_then_delete get_terms_and_conditions zap_and_get_receipt
    checking_account_transfer run_query kill_query accept_quote deposit_check flight_status select_plan frob approve_and_get
"""


@pytest.mark.parametrize("name", READS.split())
def test_a_name_that_begins_with_a_verb_that_only_reads_reads(name):
    assert not may_write(name)


@pytest.mark.parametrize("name", [*MAY_WRITE.split(), ""])
def test_any_other_may_write(name):
    assert may_write(name)


@pytest.mark.parametrize(
    ("name", "about", "action"),
    [
        ("return_delivered_order_items", "Return some items of a delivered order.", "update"),
        ("capture_payment", "", "run"),
        ("check_out_cart", "", "create"),
        ("refund_order", "", "send"),
        ("list_updates", "", "read"),
        ("lookup_and_charge", "", "send"),
        ("search_and_replace", "Search a text and replace it.", "update"),
        ("flight_status", "", "read"),
        ("place_order", "", "create"),
        ("place_codes", "Give the codes of a place.", "read"),
        ("shuffle", "Returns a new list.", "read"),
        ("user_messages", "", None),
    ],
)
def test_what_a_tool_does_is_guessed_from_its_verb(name, about, action):
    assert named_action(name, about) == action
