"""A hash that is the same on every machine, in every run."""

import hashlib

__all__ = ["stable_hash"]


def stable_hash(text: str) -> int:
    """Return the same 64-bit number for the same text on every machine, in every run."""
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
    )
