"""What an arithmetic expression comes to: the four operations, and nothing that could run away."""

import pytest

from outcome_monitors.features.aggregates import worth


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 * (3 + 4)", 14),
        ("-3 - -4", 1),
        ("+1 - 2", -1),
        ("((1.5))*2", 3),
        ("2+3*4-5/10", 13.5),
        (".5 + .5", 1),
    ],
)
def test_an_expression_has_a_worth(text, expected):
    assert worth(text) == pytest.approx(expected)


NO_EXPRESSIONS = """
    7 | -7 | (7) | 3.5 | two plus two | 1 + | + 1 | 1 1 | 1 / 0 | 0 / 0 | (1 + 2 | 1 + 2) | 1 + 2; 3 | a + 1 | 1e5 + 1 | 1_000 + 1
    | 0x10 + 1 | 1j + 1 | 2026-03-01 | 555-0199 | 1.2.3 + 4 | (1)(2) + 3 | ٣ + ٤ | 1 + 2 # 3 | [1][0] + 1 | len('a') + 1
    | __import__('os').getpid() + 1 | 7 % 4 | 7 // 2 | 2 ** 3 | 9**9**9 | 9**9**9 + 1 | (1, 2) + 3
"""


@pytest.mark.parametrize(
    "text",
    [*map(str.strip, NO_EXPRESSIONS.split("|")), "", "1 +\n2", "9" * 20 + " + 1", None, 7, True, ["1 + 1"]],
)
def test_all_else_has_none(text):
    assert worth(text) is None
