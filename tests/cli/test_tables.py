"""Tables fit 80 columns: headings and texts break, and numbers never."""

import pytest
from rich.cells import cell_len

from outcome_monitors.cli._output import table

ARMS = ("advisory-v2", "advisory-v2-safe", "generic", "matched-placebo", "always-warn-stripped")
FAULTS = ("fact_contradiction", "missing_required_fields", "irrelevant_response")


def test_headings_break_and_numbers_do_not(capsys):
    table(
        ("fault", *(f">{arm}" for arm in ARMS)),
        [(fault, *(f"{number:,}/69" for number, _ in enumerate(ARMS))) for fault in FAULTS],
    )
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert {"0/69", "1/69", "2/69", "3/69", "4/69"} <= {word for line in lines for word in line.split()}


@pytest.mark.parametrize(
    "rows",
    [
        [("a" * 300, "1,000", "b c " * 60)],
        [("名前" * 60, "12", "https://example.org/" + "path/" * 40)],
        [("", "", "")],
        [],
    ],
)
def test_whatever_stands_in_the_cells(capsys, rows):
    table(("name", ">number", "text"), rows)
    out = capsys.readouterr().out
    assert max(map(cell_len, out.splitlines())) <= 80
    for row in rows:
        assert row[1] in out
        assert out.count("a" if "a" in row[0] else "名") >= len(row[0].replace("前", ""))


def test_what_fits_is_left_as_it_is(capsys):
    table(("clause", ">tasks"), [("total is above zero", "6")])
    assert (
        capsys.readouterr().out
        == " clause                tasks\n ───────────────────────────\n total is above zero       6\n\n"
    )
