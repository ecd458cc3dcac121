"""A hash that is the same on every machine, in every run."""

try:
    # What hashlib has it from: hashlib itself loads all of OpenSSL, which takes longer than to start with anything else.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

__all__ = ["stable_hash"]


def stable_hash(text: str) -> int:
    """Return the same 64-bit number for the same text on every machine, in every run."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
