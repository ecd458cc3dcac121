"""What the order of calls says: turns, and news that become usual."""

import pytest

from outcome_monitors.upkeep.series import becomes_usual, turning_point


@pytest.mark.parametrize(
    ("series", "start"),
    [("0001111", 3), ("1111", 0), ("0000", 0), ("0100011111", 5), ("1", 0), ("11110000", 0)],
)
def test_the_turning_point(series, start):
    assert turning_point([letter == "1" for letter in series]).start == start


def test_a_series_that_is_broken_alike_all_along_has_no_turn():
    """Every series has a best split; the last two of this one are broken, and that says nothing."""
    series = [place % 4 == 0 for place in range(100)] + [True, True]
    assert turning_point(series).start == 0


def usual(series: str, tasks: list[int] | None = None) -> bool:
    news = [(place, letter) for place, letter in enumerate(series) if letter != "."]
    return becomes_usual(news, tasks or list(range(len(series))), 0.1, 100.0)


def test_the_same_news_again_and_again_become_usual():
    assert usual("a..." * 50)
    assert usual("." * 100 + "a" * 8)


def test_news_that_are_rare_or_each_of_another_sort_do_not():
    assert not usual(("a" + "." * 30) * 10)
    assert not usual("abcdefgh" + "." * 10)
    assert not usual("")


def test_what_is_over_is_not_usual_even_if_it_comes_once_more():
    assert not usual("." * 20 + "a" * 20 + "." * 40)
    assert not usual("." * 20 + "a" * 20 + "." * 40 + "a")


def test_a_task_is_one_witness():
    assert not usual("a" * 40, [7] * 40)
