"""Packed files are read as if they were not; what is wrong with one is said after all that can be unpacked."""

import gzip
import io
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors.files import ERRORS, trouble, unpacked

zstd = pytest.importorskip("backports.zstd", reason="packs what is unpacked here")

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": partial(zstd.compress, options={zstd.CompressionParameter.checksum_flag: 1}),
}
CONTENT = b"".join(b"%d, " % (n * n) for n in range(100_000))


@pytest.mark.parametrize("how", PACK)
@settings(max_examples=20)
@given(parts=st.lists(st.binary(max_size=300_000), min_size=1, max_size=3), size=st.integers(1, 70_000))
def test_what_was_packed_comes_back_whatever_is_read_at_once(how: str, parts: list[bytes], size: int) -> None:
    packed = unpacked(io.BytesIO(b"".join(map(PACK[how], parts))), how)
    assert b"".join(iter(lambda: packed.read(size), b"")) == b"".join(parts)


@pytest.mark.parametrize("how", PACK)
def test_data_that_is_cut_short_gives_what_it_holds_and_says_so(how: str) -> None:
    packed = PACK[how](CONTENT)
    stream = unpacked(io.BytesIO(packed[: len(packed) * 3 // 4]), how)
    pieces: list[bytes] = []
    with pytest.raises(ERRORS) as raised:
        pieces.extend(iter(lambda: stream.read(1000), b""))
    found = b"".join(pieces)
    assert CONTENT.startswith(found)
    assert len(found) > len(CONTENT) // 4
    assert trouble(raised.value, how) == f"{how} data is cut short"


@pytest.mark.parametrize("how", PACK)
def test_data_that_is_broken_is_said_to_be(how: str) -> None:
    packed = PACK[how](CONTENT)
    for content in (b"no packed data at all", packed[:300] + b"\x00" * 300 + packed[600:]):
        with pytest.raises(ERRORS) as raised:
            unpacked(io.BytesIO(content), how).read()
        assert trouble(raised.value, how) == f"{how} data is broken"
