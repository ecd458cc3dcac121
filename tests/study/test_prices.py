"""Every price has a day and a page; what has none costs an unknown amount, never nothing."""

import pytest

from outcome_monitors_study.prices import PRICES, cost_of, price_of, total
from outcome_monitors_study.tables import money

OWN = {"input": 1, "output": 2.5, "date": "2026-11-01"}


@pytest.mark.parametrize(
    ("agent", "known"),
    [
        ("openai/gpt-4o-mini", "gpt-4o-mini"),
        ("openai/gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("openrouter/qwen/qwen3.7-plus:nitro", "qwen3.7-plus"),
        ("openai/gpt-4o-mini-audio", None),
        ("mockllm/model", None),
    ],
)
def test_a_model_is_known_by_the_last_part_of_its_name(agent, known):
    assert price_of(agent, {}) == (PRICES[known] if known else None)


def test_tokens_of_a_cache_cost_as_others_unless_the_price_says_otherwise():
    usage = {
        "input_tokens": 1_000_000,
        "cached_tokens": 700_000,
        "cache_written_tokens": 100_000,
        "output_tokens": 0,
    }
    assert cost_of(OWN, usage) == pytest.approx(1.0)
    assert cost_of({**OWN, "cached": 0.1}, usage) == pytest.approx(0.3 + 0.07)
    assert cost_of({**OWN, "cached": 0.1, "cache_write": 2}, usage) == pytest.approx(0.2 + 0.07 + 0.2)


def test_costs_are_unknown_where_a_price_is():
    usage = {"input_tokens": 2_000_000, "output_tokens": 1_000_000}
    assert cost_of(OWN, usage) == pytest.approx(4.5)
    assert cost_of(None, usage) is None
    assert total([1.0, None]) is None
    assert total([]) == 0.0
    assert (money(None), money(0.0)) == ("unknown", "0.00")
