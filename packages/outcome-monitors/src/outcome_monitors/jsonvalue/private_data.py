"""What does not belong in a file that is shared, or in what is told to others: personal data and secrets, known by form or by name.

Nothing found is ever printed whole: `masked` shows enough to find it again. Texts come from outside, so every pattern runs in time linear
in the text: what repeats is bounded, or begins where no other match of its own can.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log2

from .paths import parse
from .text import words

__all__ = [
    "LONGEST",
    "looks_personal",
    "looks_private",
    "looks_secret",
    "masked",
    "names_person",
    "names_private",
    "names_secret",
    "private_among",
]


def _names(written: str) -> frozenset[str]:
    """Return the names in a table, in which one of several words is joined by underscores."""
    return frozenset(name.replace("_", " ") for name in written.split())


_PERSON = _names(
    """
    account author buyer client contact customer driver employee guest holder member owner passenger
    patient payer person receiver recipient resident sender subscriber traveler traveller user
    """
)
"""Who has a name."""
_WHO = _names(
    """
    address assignee author birth_place buyer co_author customer driver_license employee gender guest home_address ip
    ip_address latlon license_number login mac mac_address national_id passenger patient payer person postal_address
    postal_code postcode recipient reporter residence resident reviewer sender shipping_address billing_address
    subscriber traveler traveller user user_name zip zip_code zipcode
    """
)
"""Last words of fields whose texts say who someone is, or where, with others if not alone."""
_PERSONAL_NAMES = _names(
    """
    birth_date birthdate birthday credit_card date_birth dob email emails family_name first_name
    firstname forename full_name fullname given_name iban last_name lastname middle_name mobile passport
    phone phones social_security ssn street surname tax_id telephone username
    """
)
_SECRET_NAMES = _names(
    """
    access_key access_token api_key api_token apikey auth_token authorization bearer_token cookie
    credential credentials cvc cvv otp passcode passphrase passwd password pin_code private_key pwd
    refresh_token secret secrets session_token
    """
)
"""Words of a field's name, or two in a row; `of` does not count."""

_IDENTIFYING = _names(
    """
    card_number credit_card email email_address emails iban passport passport_number phone phone_number
    phones social_security social_security_number ssn tax_id telephone
    """
)
"""Names of fields whose values lead to one person, whatever form they have."""
_MOST_WORDS = 3


def names_person(path: str) -> bool:
    """Say whether a path leads to what is personal by its name: `customer.name`, `first_name`, `email`."""
    found = _words(path)
    if _has(found, _PERSONAL_NAMES) or not _WHO.isdisjoint((" ".join(found[-2:]), *found[-1:])):
        return True
    # A name is a person's where a person is what has it.
    return found[-1:] == ["name"] and any(word.removesuffix("s") in _PERSON for word in found[:-1])


def names_secret(path: str) -> bool:
    """Say whether a path leads to what is secret by its name: `password`, `api_key`."""
    found = _words(path)
    return _has(found, _SECRET_NAMES) or found == ["token"]


@lru_cache(maxsize=16384)
def names_private(path: str) -> bool:
    """Say whether the last name of a path says that values there are secret or lead to one person.

    Unlike for a warning, what a name only mentions does not count: `email_verified`, `password_policy`, `phone_type`.
    """
    last = next((step for step in reversed(parse(path)) if isinstance(step, str)), "")
    found = [word for word in words(last) if word != "of"]
    ends = {" ".join(found[-number:]) for number in range(1, _MOST_WORDS + 1)}
    return not ends.isdisjoint(_SECRET_NAMES | _IDENTIFYING) or found == ["token"]


def _words(path: str) -> list[str]:
    return [word for step in parse(path) if isinstance(step, str) for word in words(step)]


def _has(found: Sequence[str], names: frozenset[str]) -> bool:
    plain = [word for word in found if word != "of"]
    return not names.isdisjoint(plain) or not names.isdisjoint(map(" ".join, pairwise(plain)))


LONGEST = 10_000
"""Of a text, so much is looked at."""
LEAST_RANDOM = 32
"""Shorter texts are not taken for keys by their looks alone."""
LEAST_ENTROPY = 4.3
"""Bits a character: more than hashes and UUIDs have, which are written in sixteen digits."""
LEAST_MIXED = 0.1
"""The share of places where a letter meets a digit: words and numbers put together with hyphens have fewer."""
BY_CHANCE = 0.5
"""Of texts of one form, so many must pass the test of their check digits: of order numbers, one in ten does by chance."""

_PERSONAL: Mapping[str, re.Pattern[str]] = {
    "an e-mail address": re.compile(r"[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),
    "a telephone number": re.compile(
        r"(?<![\w.+-])(?:\+\d[\d ().-]{7,16}\d|\(\d{3}\) ?\d{3}-\d{4}|\d{3}([ .-])\d{3}\1\d{4})(?![\w-])"
    ),
    "a social security number": re.compile(
        r"(?<![\w-])(?!000|666|9)\d{3}([ -])(?!00)\d\d\1(?!0000)\d{4}(?![\w-])"
    ),
}
_SECRETS: Mapping[str, re.Pattern[str]] = {
    "a web token": re.compile(r"(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}", re.IGNORECASE),
    "a private key": re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY", re.IGNORECASE),
    "an access key": re.compile(
        r"\b(?:A(?:KIA|SIA)[0-9A-Z]{16}|gh[pousr]_\w{30,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{20,}"
        r"|[rsp]k_(?:live|test)_\w{16,}|xox[abeprs]-[\w-]{10,}|xapp-[\w-]{10,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|npm_\w{30,}"
        r"|pypi-AgE[\w-]{16,}|hf_[A-Za-z]{30,}|SG\.[\w-]{16,64}\.[\w-]{16,}|dop_v1_\w{40,}|\d{8,10}:AA[\w-]{32,})",
        re.IGNORECASE,
    ),
    "a token with a prefix": re.compile(
        r"(?<![\w-])(?!(?:sha-?\d{1,3}|md5|blake\w{0,3}|etag|commit|rev|digest|hash|trace|span)[_-])"
        r"[a-z][a-z0-9]{1,11}[_-](?:[a-z0-9]{1,12}[_-]){0,2}(?=[a-z_-]{0,40}\d)(?=[\d_-]{0,40}[a-z])[a-z0-9]{32,}(?![\w.])",
        re.IGNORECASE,
    ),
    "a vault's token": re.compile(r"(?<![\w.-])(?:hv[sbr]|s)\.[\w-]{24,}"),
    "a signed address": re.compile(
        r"[?&](?:sig|signature|x-amz-signature|x-goog-signature|token)=[\w%+/=-]{16,}", re.IGNORECASE
    ),
    "an address that is a secret": re.compile(r"://hooks\.[\w.-]{1,64}/\w{1,32}/[\w/-]{16,}", re.IGNORECASE),
    "a bearer token": re.compile(r"\b(?:bearer|basic)\s{1,8}[\w.~+/-]{16,}", re.IGNORECASE),
    "a password in an address": re.compile(r"://[^\s/:@]{0,64}:[^\s/:@]{1,64}@"),
    "a password with its name": re.compile(
        r"\b(?:passw(?:or)?d|passcode|passphrase|pwd|secret(?:[ _-]?key)?|api[ _-]?key|access[ _-]?(?:key|token)|accountkey)"
        r"""["']?\s{0,3}[:=]\s{0,3}["']?(?!https?:)[^\s"',;<>{}()\[\]]{6,}""",
        re.IGNORECASE,
    ),
}
_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)\b")
_CARD = re.compile(
    r"(?<![\d.-])(?:\d{14,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{2,7}|\d{4}([ -])\d{6}\2\d{4,5})(?![\d-]|\.\d)"
)
_ISSUER = re.compile(
    r"4(?=\d{15}\Z)|5[1-5](?=\d{14}\Z)|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)(?=\d{12}\Z)|3[47](?=\d{13}\Z)"
    r"|3(?:0[0-5]|[68]\d)(?=\d{11}\Z)|(?:6011|64[4-9]\d|65\d\d|35(?:2[89]|[3-8]\d))(?=\d{12}\Z)|62(?=\d{14,17}\Z)"
)
"""The first digits that issuers of cards have, each with the length that its numbers have."""
_RANDOM = re.compile(rf"[A-Za-z0-9+/_=-]{{{LEAST_RANDOM},}}")
_SEGMENT = re.compile(rf"[A-Za-z0-9+_=-]{{{LEAST_RANDOM},}}")
"""The same in a path, where a slash parts what stands beside it."""
_HASH = re.compile(r"[0-9a-fA-F]{24,}")

_LENGTHS: Mapping[int, str] = {
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
"""How long the IBANs of each country are."""
_LENGTH_OF = {country: length for length, countries in _LENGTHS.items() for country in countries.split()}


def looks_personal(text: str) -> str:
    """Say what personal thing a text holds; nothing where none is seen."""
    text = text[:LONGEST]
    return _matching(text, _PERSONAL) or _checked(text)[0]


@lru_cache(maxsize=8192)
def looks_secret(text: str) -> str:
    """Say what secret thing a text holds; nothing where none is seen."""
    text = text[:LONGEST]
    found = _matching(text, _SECRETS)
    run = _SEGMENT if "://" in text or text[:1] == "/" else _RANDOM
    return found or ("what looks like a key" if any(map(_is_random, run.findall(text))) else "")


@lru_cache(maxsize=8192)
def looks_private(text: str) -> str:
    """Say what secret or personal thing a text holds; nothing where none is seen."""
    return looks_secret(text) or looks_personal(text)


def private_among(texts: Iterable[str]) -> dict[str, str]:
    """Return those of the texts of one field that hold something private, with what it is.

    What only check digits tell from any other number is private where most texts of that form pass: a list of orders is no list of cards.
    """
    distinct = dict.fromkeys(texts)
    checked = {text: _checked(text[:LONGEST]) for text in distinct}
    passed, formed = (Counter(found[part] for found in checked.values() if found[part]) for part in (0, 1))
    chance = {what for what in formed if passed[what] < BY_CHANCE * formed[what]}
    sure = {text: looks_secret(text) or _matching(text[:LONGEST], _PERSONAL) for text in distinct}
    told = {text: sure[text] or (what if what not in chance else "") for text, (what, _) in checked.items()}
    return {text: what for text, what in told.items() if what}


def masked(text: str) -> str:
    """Return enough of a text to find it again, and no more."""
    shown = text[:2] if len(text) > 4 else text[:1]
    return f"{shown}… ({len(text)} characters)" if shown.isprintable() else f"({len(text)} characters)"


def _matching(text: str, patterns: Mapping[str, re.Pattern[str]]) -> str:
    return next((what for what, pattern in patterns.items() if pattern.search(text)), "")


@lru_cache(maxsize=8192)
def _checked(text: str) -> tuple[str, str]:
    """Return what check digits say that a text holds, and of what form it is, whatever they say."""
    # Categories are kept in small letters.
    accounts = [found.group().replace(" ", "") for found in _ACCOUNT.finditer(text.upper())]
    if any(map(_is_account, accounts)):
        return "a bank account", "a bank account"
    cards = [re.sub("[ -]", "", found.group()) for found in _CARD.finditer(text)]
    if any(_ISSUER.match(digits) and _is_card(digits) for digits in cards):
        return "a payment card", "a payment card"
    return "", "a bank account" if accounts else "a payment card" if cards else ""


def _is_account(text: str) -> bool:
    """Test the country, the length and the check digits of an IBAN (ISO 13616)."""
    if _LENGTH_OF.get(text[:2]) != len(text):
        return False
    moved = text[4:] + text[:4]
    return int("".join(str(int(character, 36)) for character in moved)) % 97 == 1


def _is_card(digits: str) -> bool:
    """Test the check digit of a card number (Luhn's)."""
    *numbers, last = map(int, digits)
    doubled = (sum(divmod(2 * digit, 10)) for digit in numbers[::-2])
    return (sum(numbers[-2::-2]) + sum(doubled) + last) % 10 == 0


def _is_random(text: str) -> bool:
    if _HASH.search(text) or not (any(map(str.isdigit, text)) and any(map(str.isalpha, text))):
        return False
    mixed = sum(
        one.isalnum() and two.isalnum() and one.isdigit() != two.isdigit() for one, two in pairwise(text)
    )
    shares = [number / len(text) for number in Counter(text).values()]
    return mixed >= LEAST_MIXED * len(text) and -sum(share * log2(share) for share in shares) >= LEAST_ENTROPY
