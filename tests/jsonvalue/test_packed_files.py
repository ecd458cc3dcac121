"""Packed files are read as if they were not; what is wrong with one is said after all that can be unpacked."""

import gzip
from pathlib import Path

import pytest

from outcome_monitors.files import ERRORS, open_text, trouble

CONTENT = b"".join(b"%d\n" % (n * n) for n in range(100_000))


def test_lines_that_were_packed_come_back_from_several_members(tmp_path: Path) -> None:
    (tmp_path / "t.gz").write_bytes(gzip.compress(CONTENT) + gzip.compress(b"last"))
    with open_text(tmp_path / "t.gz") as lines:
        assert b"".join(lines) == CONTENT + b"last"


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda packed: packed[: len(packed) * 3 // 4], "cut short"),
        (lambda packed: packed[:300] + b"\x00" * 300 + packed[600:], "broken"),
        (lambda _packed: b"no packed data at all", "broken"),
    ],
)
def test_damaged_data_gives_what_it_holds_and_says_so(tmp_path: Path, damage, said: str) -> None:
    (tmp_path / "t.gz").write_bytes(damage(gzip.compress(CONTENT)))
    found: list[bytes] = []
    with open_text(tmp_path / "t.gz") as lines, pytest.raises(ERRORS) as raised:
        found.extend(lines)
    assert CONTENT.startswith(b"".join(found))
    assert (len(b"".join(found)) > len(CONTENT) // 4) == (said == "cut short")
    assert trouble(raised.value) == f"gzip data is {said}"
