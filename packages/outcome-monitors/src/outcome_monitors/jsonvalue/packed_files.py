"""Packed files, read as if they were not: gzip, which Python has, and zstd, which it has from 3.14 on.

Of data that is cut short or broken all is given that can be unpacked, and then one of `ERRORS` is raised: `trouble` says it in words.
"""

import gzip
import io
import zlib
from typing import IO, TYPE_CHECKING, Any

from outcome_monitors.exceptions import MissingExtra

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["ERRORS", "SUFFIXES", "is_packed", "trouble", "unpacked", "without_suffix"]

_BEGINNINGS = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
SUFFIXES = {".gz": "gzip", ".zst": "zstd"}
CHUNK = 2**17


class _ZstdError(ValueError):
    """What is no zstd, or not all the way."""


ERRORS = (EOFError, gzip.BadGzipFile, zlib.error, _ZstdError)
"""What reading a packed file may raise beside what reading any file may."""


def is_packed(beginning: bytes) -> str:
    """Return how a file is packed that begins so, or nothing; the first four bytes tell."""
    return next((how for how, first in _BEGINNINGS.items() if beginning.startswith(first)), "")


def without_suffix(name: str) -> str:
    """Return a file's name in small letters, without what says that it is packed."""
    small = name.lower()
    return next((small.removesuffix(suffix) for suffix in SUFFIXES if small.endswith(suffix)), small)


def unpacked(packed: IO[bytes], how: str) -> io.BufferedIOBase:
    """Return what a packed file holds, to be read in order."""
    if how == "gzip":
        return gzip.GzipFile(fileobj=packed, mode="rb")
    return io.BufferedReader(_Zstd(packed), CHUNK)


def trouble(error: BaseException, how: str) -> str:
    """Say what is wrong with packed data."""
    return f"{how} data is {'cut short' if isinstance(error, EOFError) else 'broken'}"


class _Zstd(io.RawIOBase):
    """Unpacks one frame after the other; `zstandard` takes the end of the file in the middle of one for the end of the data."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._new = _unpacker()
        self._frame = self._new()
        self._begun = False
        self._waiting = b""

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Fill a buffer as far as there is something."""
        room = memoryview(buffer)
        while not self._waiting and self._more():
            pass
        given, self._waiting = self._waiting[: len(room)], self._waiting[len(room) :]
        room[: len(given)] = given
        return len(given)

    def _more(self) -> bool:
        """Unpack a piece; say whether there may be another."""
        ended = self._begun and self._frame.eof
        piece = self._frame.unused_data if ended else b""
        piece = piece or self._packed.read(CHUNK)
        if not piece:
            if self._begun and not ended:
                raise EOFError
            return False
        if ended:
            self._frame = self._new()
        self._begun = True
        try:
            self._waiting = self._frame.decompress(piece)
        except Exception as error:
            # The error is the library's own, and there are two libraries.
            raise _ZstdError(str(error)) from error
        return True


def _unpacker() -> Any:
    """Return what makes a decompressor of one frame."""
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415 - from Python 3.14 on
    except ImportError:
        pass
    else:
        return zstd.ZstdDecompressor
    try:
        import zstandard  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("reading what is packed with zstd", "zstandard", "zstd") from error
    return lambda: zstandard.ZstdDecompressor().decompressobj()
