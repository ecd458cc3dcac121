"""Which fields hold what is private, told by their names: `customer.name`, `api_key`, `email`."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from .paths import parse
from .words import words

__all__ = ["names_person", "names_private", "names_secret"]


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
    if _has(found, _PERSONAL_NAMES):
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
