"""What does not belong in a file that is shared, or in what is told to others: personal data and secrets, known by form or by name.

Nothing found is ever printed whole: `masked` shows enough to find it again. Texts come from outside, so every pattern runs in time linear
in the text: what repeats is bounded, or begins where no other match of its own can.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from .paths import parse
from .text import words


def _names(written: str) -> frozenset[str]:
    """Return the names in a table, in which one of several words is joined by underscores."""
    return frozenset(name.replace("_", " ") for name in written.split())


_PEOPLE = _names(
    """
    applicant assignee attendee author beneficiary borrower buyer candidate cardholder child citizen claimant client colleague
    contact creator customer dependent donor driver editor employee father guardian guest holder husband insured landlord
    manager member mother nominee occupant owner parent passenger patient payee payer person physician player policyholder
    recipient receiver relative renter reporter requester resident reviewer sender signatory signer spouse student
    submitter subscriber supervisor teacher traveler traveller user victim visitor voter wife witness worker
    """
)
"""Whose name a `name` is; alone they stand for it."""
_PERSONAL = _names(
    """
    additional_name alternate_name contact_name display_name family_name first_name firstname forename full_name fullname
    given_name honorific last_name lastname maiden_name middle_name nick nickname preferred_username screen_name
    surname user_name username login
    attention attn bill_to rep representative ship_to signature sold_to
    address address_line address1 address2 street street1 street2 postcode postal_code zip zip_code zipcode residence
    coordinates geolocation gps latlng latlon
    bcc cc cell email e_mail emails fax fax_number mobile msisdn phone phone_number phones reply_to tel telephone whatsapp
    birth_date birth_place birth_year birthdate birthday birthplace born date_birth dob place_birth
    account_number aadhaar bank_account beneficiary_number card card_number certificate_number cnp cpf credit_card curp
    driver_license drivers_license driving_licence health_number iban id_number identity_card insurance_number
    license_number license_plate licence_plate medical_record medical_record_number mrn national_id national_insurance
    nhs_number nif nino passport passport_number personal_number pesel plate_number sin social_security
    social_security_number ssn tax_id tax_number taxpayer vat_id vehicle_identification_number vin
    device_id imei imsi ip ip_address mac mac_address
    facebook instagram linkedin twitter
    biometric blood_group blood_type diagnosis disability ethnicity gender marital_status nationality orientation race religion
    sex
    """
)
"""What tells who someone is: the identifiers that HIPAA's safe harbor lists (45 CFR 164.514), the claims of OpenID Connect, the
properties of vCard (RFC 6350), and the special categories of the GDPR (article 9)."""
_SECRET = _names(
    """
    access_key access_token api_key api_token apikey auth_token authorization bearer_token cookie
    credential credentials cvc cvv otp passcode passphrase passwd password pin_code private_key pwd
    refresh_token secret secrets session_token
    """
)
"""Last words of a field's name; `of` does not count."""
_MOST_WORDS = 3
_NOT_BY_WHOM = _names("divided followed group grouped multiplied order ordered sort sorted")
"""Words before `by` after which no person follows."""


@lru_cache(maxsize=16384)
def names_private(path: str) -> str:
    """Say what values at a path are by its last name: `secret`, `personal`, or neither.

    What a name only mentions does not count: `email_verified`, `password_policy`, `phone_type`.
    """
    steps = [[word for word in words(step) if word != "of"] for step in parse(path) if isinstance(step, str)]
    last = steps[-1] if steps else []
    ends = {" ".join(last[-number:]) for number in range(1, _MOST_WORDS + 1)}
    if not ends.isdisjoint(_SECRET) or last == ["token"]:
        return "secret"
    if last[-1:] == ["name"]:
        # A name is a person's where a person is what has it.
        ends |= {word.removesuffix("s") for step in steps for word in step} & _PEOPLE
    by_whom = last[-1:] == ["by"] and last[-2:-1] and last[-2] not in _NOT_BY_WHOM
    return "personal" if by_whom or not ends.isdisjoint(_PERSONAL | _PEOPLE) else ""


LONGEST = 10_000
"""Of a text, so much is looked at."""
LEAST_RANDOM = 32
"""Shorter texts are not taken for keys by their looks alone."""
LEAST_OPAQUE = 20
"""Shorter texts may be names and codes that people make up."""
LEAST_MIXED = 0.2
"""The share of places where a letter meets a digit, or a small letter a capital: a random text has 0.3 and more, hyphenated words 0.1."""
BY_CHANCE = 0.5
"""Of texts of one form, so many must pass the test of their check digits: of order numbers, one in ten does by chance."""

_PERSONAL_FORMS: Mapping[str, re.Pattern[str]] = {
    "an e-mail address": re.compile(r"[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),
    "a telephone number": re.compile(
        r"(?<![\w.+-])(?:\+\d[\d ().-]{7,16}\d|\(\d{3}\) ?\d{3}-\d{4}|\d{3}([ .-])\d{3}\1\d{4})(?![\w-])"
    ),
    "a person's name": re.compile(
        r"\b(?:M(?:r|rs|s|iss|adame|onsieur)|Dr|Prof|Herr|Frau|Se\u00f1ora?|Dear|Hello|Hi)\b\.? (?:(?:Mr|Mrs|Ms|Dr)\b\.? )?[^\W\d_a-z][\w'-]+"
    ),
    "a postal address": re.compile(
        r"\b\d{1,5}[A-Za-z]? (?:[A-Z][\w.'-]{0,30} ){1,4}(?:Ave(?:nue)?|Blvd|Boulevard|Court|Ct|Dr(?:ive)?|Lane|Ln|Road|Rd|Square|St(?:reet)?|Terrace|Way)\b"
        r"|\b\w{2,30}(?:stra(?:\u00dfe|sse)|gasse|platz) \d{1,4}\b|\b(?:rue|calle|via|avenida|rua) (?:\w{1,20} ){1,4}\d{1,4}\b",
    ),
    "a social security number": re.compile(
        r"(?<![\w-])(?!000|666|9)\d{3}([ -])(?!00)\d\d\1(?!0000)\d{4}(?![\w-])"
    ),
}
_SECRET_FORMS: Mapping[str, re.Pattern[str]] = {
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
        r"(?<![A-Za-z])(?:passw(?:or)?[dt]|passcode|passphrase|pwd|secret(?:[ _-]?key)?|api[ _-]?key|access[ _-]?(?:key|token)|accountkey)"
        r"""(?:["']?\s{0,3}[:=]\s{0,3}["']?(?!https?:)[^\s"',;<>{}()\[\]]{6,}|\s{1,3}(?=[a-z]{0,40}\d)(?=\d{0,40}[a-z])[a-z0-9]{8,}\b)""",
        re.IGNORECASE,
    ),
    "a one-time code": re.compile(
        r"\b(?:(?:verification|security|confirmation|login|log-in|one-time|access|authentication) (?:pass)?code|pin|otp|tan)(?: is)?:? \d{4,8}\b",
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
_OPAQUE = re.compile(rf"[A-Za-z0-9+_=~!@#$%^&*-]{{{LEAST_OPAQUE},}}")
_TYPED = re.compile(
    r"(?<=\s)(?=[^\s\d]{0,40}\d)(?=[^\sa-z]{0,40}[a-z])(?=[^\sA-Z]{0,40}[A-Z])[^\s/:.,]{8,}(?!\S)"
)
"""A word behind another with a digit, a small letter and a capital, as passwords in a command."""
_HASH = re.compile(r"[0-9a-fA-F-]{24,}")
_CHANGE = re.compile(r"(?=[A-Za-z][0-9]|[0-9][A-Za-z]|[a-z][A-Z])")

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
    return _matching(text, _PERSONAL_FORMS) or _checked(text)[0]


@lru_cache(maxsize=8192)
def looks_secret(text: str) -> str:
    """Say what secret thing a text holds; nothing where none is seen."""
    text = text[:LONGEST]
    found = _matching(text, _SECRET_FORMS)
    run = _SEGMENT if "://" in text or text[:1] == "/" else _RANDOM
    return found or ("what looks like a key" if any(map(_is_random, run.findall(text))) else "")


@lru_cache(maxsize=8192)
def is_opaque(text: str) -> bool:
    """Say whether a text holds a key, a hash or another identifier: it stands for one thing, and is no category."""
    text = text[:LONGEST]
    return any(map(_is_mixed, _OPAQUE.findall(text))) or _TYPED.search(text) is not None


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
    sure = {text: looks_secret(text) or _matching(text[:LONGEST], _PERSONAL_FORMS) for text in distinct}
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
    return not _HASH.search(text) and _is_mixed(text)


def _is_mixed(text: str) -> bool:
    return sum(1 for _ in _CHANGE.finditer(text)) >= LEAST_MIXED * len(text)
