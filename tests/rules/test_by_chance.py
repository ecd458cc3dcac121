"""No relation is found between columns that have nothing to do with each other."""

import random

import pytest

from tests.rules.relations import suggested

WORDS = ["amber", "birch", "cedar", "dusk", "ember", "fjord", "gorse", "heron"]
RELATIONS = [
    *("argument", "before", "conditional", "contains_id", "fields_equal", "functional_dependency"),
    *("linear", "rows", "template"),
]


def row(source):
    """Return a call whose features are all drawn by themselves."""
    rows = [{"id": source.randrange(5), "n": source.randrange(9)} for _ in range(5)]
    return {"q": source.choice(WORDS), "limit": source.randrange(40), "deep": source.random() < 0.5}, {
        "id": source.randrange(10**5, 10**6),
        "url": f"/x/{source.randrange(10**5, 10**6)}",
        "town": source.choice(WORDS),
        "colour": source.choice(["red", "blue", "green"]),
        "a": source.randrange(40),
        "b": source.random() * 40,
        "day": f"2026-03-{source.randrange(1, 28):02}",
        "other": f"2026-03-{source.randrange(1, 28):02}",
        "flag": source.random() < 0.5,
        "note": source.choice([None, "", "text"]),
        "text": " ".join(source.choices(WORDS, k=3)),
        "rows": rows,
    }


@pytest.mark.parametrize("kind", RELATIONS)
def test_columns_that_are_drawn_by_themselves_suggest_nothing(kind):
    for seed in range(4):
        source = random.Random(seed)
        assert suggested(kind, [row(source) for _ in range(200)]) == []
