"""The table of kinds."""

from outcome_monitors.rules import KINDS


def test_every_kind_stands_under_its_own_name():
    assert [*KINDS] == [kind.name for kind in KINDS.values()]
