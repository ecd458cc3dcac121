"""What does not belong in a file that is shared: personal data and secrets, known by their form or by the name of their field.

Nothing found is ever printed whole: `masked` shows enough to find it again.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import log2

from outcome_monitors.values.paths import parse
from outcome_monitors.values.words import words

__all__ = ["looks_personal", "looks_secret", "masked", "names_person", "names_secret"]

LONGEST = 400
"""Of a text, so much is looked at."""
LEAST_RANDOM = 32
"""Shorter texts are not taken for keys by their looks alone."""
LEAST_ENTROPY = 4.3
"""Bits a character: more than hashes and UUIDs have, which are written in sixteen digits."""

_PERSON = frozenset(
    [
        "account",
        "author",
        "buyer",
        "client",
        "contact",
        "customer",
        "driver",
        "employee",
        "guest",
        "holder",
        "member",
        "owner",
        "passenger",
        "patient",
        "payer",
        "person",
        "receiver",
        "recipient",
        "resident",
        "sender",
        "subscriber",
        "traveler",
        "traveller",
        "user",
    ]
)
"""Who has a name."""
_PERSONAL_NAMES = frozenset(
    [
        "birth date",
        "birthdate",
        "birthday",
        "credit card",
        "date birth",
        "dob",
        "email",
        "emails",
        "family name",
        "first name",
        "firstname",
        "forename",
        "full name",
        "fullname",
        "given name",
        "iban",
        "last name",
        "lastname",
        "middle name",
        "mobile",
        "passport",
        "phone",
        "phones",
        "social security",
        "ssn",
        "street",
        "surname",
        "tax id",
        "telephone",
        "username",
    ]
)
_SECRET_NAMES = frozenset(
    [
        "access key",
        "access token",
        "api key",
        "api token",
        "apikey",
        "auth token",
        "authorization",
        "bearer token",
        "cookie",
        "credential",
        "credentials",
        "cvc",
        "cvv",
        "otp",
        "passcode",
        "passphrase",
        "passwd",
        "password",
        "pin code",
        "private key",
        "pwd",
        "refresh token",
        "secret",
        "secrets",
        "session token",
    ]
)
"""Words of a field's name, or two in a row; `of` does not count."""

_PERSONAL: Mapping[str, re.Pattern[str]] = {
    "an e-mail address": re.compile(r"[\w.%+-]{1,64}@[\w-]+(?:\.[\w-]+)+"),
    "a telephone number": re.compile(
        r"(?<![\w.+-])(?:\+\d[\d ().-]{7,16}\d|\(\d{3}\) ?\d{3}-\d{4}|\d{3}[ .-]\d{3}[ .-]\d{4})(?![\w-])"
    ),
    "a social security number": re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])"),
}
_SECRETS: Mapping[str, re.Pattern[str]] = {
    "a web token": re.compile(r"eyJ[\w-]{10,}\.[\w-]{10,}", re.IGNORECASE),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY", re.IGNORECASE),
    "an access key": re.compile(
        r"\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_\w{30,}|glpat-[\w-]{16,}|sk-[\w-]{20,}|sk_(?:live|test)_\w{16,}"
        r"|xox[abprs]-[\w-]{10,}|AIza[\w-]{30,}|npm_\w{30,})",
        re.IGNORECASE,
    ),
    "a bearer token": re.compile(r"\bbearer\s+[\w.~+/-]{16,}", re.IGNORECASE),
}
_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b")
_CARD = re.compile(r"(?<!\d)[3-6]\d{3}[ -]?\d{4}[ -]?\d{4}[ -]?\d{3,4}(?!\d)")
_RANDOM = re.compile(rf"[A-Za-z0-9+/_=-]{{{LEAST_RANDOM},}}")


def names_person(path: str) -> bool:
    """Say whether a path leads to what is personal by its name: `customer.name`, `first_name`, `email`."""
    found = _words(path)
    if _has(found, _PERSONAL_NAMES):
        return True
    # A name is a person's where a person is what has it.
    return found[-1:] == ["name"] and any(word.removesuffix("s") in _PERSON for word in found[:-1])


def names_secret(path: str) -> bool:
    """Say whether a path leads to what is secret by its name: `password`, `api_key`."""
    found = _words(path)
    return _has(found, _SECRET_NAMES) or found == ["token"]


def looks_personal(text: str) -> str:
    """Say what personal thing a text holds; nothing where none is seen."""
    text = text[:LONGEST]
    for what, pattern in _PERSONAL.items():
        if pattern.search(text):
            return what
    for what, pattern, holds in (
        ("a bank account", _ACCOUNT, _is_account),
        ("a payment card", _CARD, _is_card),
    ):
        # Categories are kept in small letters.
        if any(holds(found.group()) for found in pattern.finditer(text.upper())):
            return what
    return ""


def looks_secret(text: str) -> str:
    """Say what secret thing a text holds; nothing where none is seen."""
    text = text[:LONGEST]
    for what, pattern in _SECRETS.items():
        if pattern.search(text):
            return what
    return "what looks like a key" if any(map(_is_random, _RANDOM.findall(text))) else ""


def masked(text: str) -> str:
    """Return enough of a text to find it again, and no more."""
    shown = text[:2] if len(text) > 4 else text[:1]
    return f"{shown}… ({len(text)} characters)" if shown.isprintable() else f"({len(text)} characters)"


def _words(path: str) -> list[str]:
    return [word for step in parse(path) if isinstance(step, str) for word in words(step)]


def _has(found: Sequence[str], names: frozenset[str]) -> bool:
    plain = [word for word in found if word != "of"]
    return not names.isdisjoint(plain) or not names.isdisjoint(map(" ".join, pairwise(plain)))


def _is_account(text: str) -> bool:
    """Test the check digits of an IBAN (ISO 13616)."""
    moved = text[4:] + text[:4]
    return int("".join(str(int(character, 36)) for character in moved)) % 97 == 1


def _is_card(text: str) -> bool:
    """Test the check digit of a card number (Luhn's)."""
    digits = [int(character) for character in reversed(text) if character.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _is_random(text: str) -> bool:
    classes: tuple[Callable[[str], bool], ...] = (str.isdigit, str.isalpha)
    if not all(any(map(test, text)) for test in classes):
        return False
    shares = [number / len(text) for number in Counter(text).values()]
    return -sum(share * log2(share) for share in shares) >= LEAST_ENTROPY
