"""`python -m bench.secrets`: how well what is private is found, beside detect-secrets' plugins, on a labelled list.

The texts of the list are made when it is read, so that no file of the repository holds what looks like a secret.
"""

import json
import random
import string
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from importlib import import_module

from outcome_monitors.jsonvalue.private_data import looks_private

from ._report import Table, show

__all__ = ["labelled", "tables"]

SEED = 17
EACH = 40
"""Texts of each sort."""

_Make = Callable[[random.Random], str]
_ALNUM = string.ascii_letters + string.digits


def _some(drawn: random.Random, letters: str, number: int) -> str:
    return "".join(drawn.choices(letters, k=number))


def _digits(drawn: random.Random, number: int) -> str:
    return _some(drawn, string.digits, number)


def _part(claims: dict[str, str]) -> str:
    return urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


def _card(drawn: random.Random) -> str:
    begun = "4" + _digits(drawn, 14)
    total = sum(sum(divmod(int(d) * (2 if place % 2 == 0 else 1), 10)) for place, d in enumerate(begun))
    return f"{begun}{-total % 10}"


def _iban(drawn: random.Random) -> str:
    own = _digits(drawn, 18)
    return f"DE{98 - int(own + '131400') % 97:02}{own}"


SECRET: dict[str, _Make] = {
    "AWS key": lambda r: "AKIA" + _some(r, string.ascii_uppercase + string.digits, 16),
    "GitHub token": lambda r: "ghp_" + _some(r, _ALNUM, 36),
    "OpenAI key": lambda r: "sk-" + _some(r, _ALNUM, 48),
    "Slack token": lambda r: f"xoxb-{_digits(r, 12)}-{_digits(r, 12)}-{_some(r, _ALNUM, 24)}",
    "Stripe key": lambda r: "sk_live_" + _some(r, _ALNUM, 24),
    "web token": lambda r: (
        f"{_part({'alg': 'HS256'})}.{_part({'sub': _digits(r, 8)})}.{_some(r, _ALNUM, 43)}"
    ),
    "random key, 40": lambda r: _some(r, _ALNUM + "+/", 40),
    "password in a URL": lambda r: (
        f"https://{_some(r, string.ascii_lowercase, 6)}:{_some(r, _ALNUM, 10)}@db.example/x"
    ),
    "password in a text": lambda r: f"password = {_some(r, _ALNUM, 10)}",
}
PERSONAL: dict[str, _Make] = {
    "e-mail address": lambda r: f"{_some(r, string.ascii_lowercase, 7)}@mail.example",
    "telephone number": lambda r: f"+{r.randrange(1, 99)} {_digits(r, 3)} {_digits(r, 3)} {_digits(r, 4)}",
    "card number": _card,
    "social security number": lambda r: (
        f"{r.randrange(100, 665)}-{r.randrange(10, 99)}-{r.randrange(1000, 9999)}"
    ),
    "IBAN": _iban,
}
HARMLESS: dict[str, _Make] = {
    "UUID": lambda r: "-".join(_some(r, "0123456789abcdef", n) for n in (8, 4, 4, 4, 12)),
    "hash, 64": lambda r: _some(r, "0123456789abcdef", 64),
    "order number": lambda r: f"#W{_digits(r, 7)}",
    "order number, 16 digits": lambda r: _digits(r, 16),
    "time": lambda r: f"2026-{r.randrange(1, 12):02}-{r.randrange(1, 28):02}T{r.randrange(24):02}:00:00Z",
    "slug": lambda r: "-".join(
        r.choices(["usb", "charging", "cable", "black", "fast", "2m", "2024", "lamp", "oak", "desk"], k=8)
    ),
    "address of a commit": lambda r: f"https://git.example/a/b/commits/{_some(r, '0123456789abcdef', 40)}",
    "price": lambda r: f"{r.randrange(1, 9999)}.{r.randrange(100):02} EUR",
    "user id": lambda r: (
        f"{_some(r, string.ascii_lowercase, 4)}_{_some(r, string.ascii_lowercase, 6)}_{_digits(r, 4)}"
    ),
    "IP address": lambda r: ".".join(str(r.randrange(1, 254)) for _ in range(4)),
}


def labelled() -> Iterator[tuple[str, str, list[str]]]:
    """Yield each sort of text: its label, its name, and the texts."""
    drawn = random.Random(SEED)
    for label, sorts in (("secret", SECRET), ("personal", PERSONAL), ("harmless", HARMLESS)):
        for name, make in sorts.items():
            yield label, name, [make(drawn) for _ in range(EACH)]


def _peer() -> Callable[[str], bool] | None:
    try:
        module = import_module("detect_secrets.core.plugins.util")
    except ImportError:
        return None
    plugins = [plugin() for plugin in module.get_mapping_from_secret_type_to_class().values()]

    def matches(text: str) -> bool:
        # It looks for secrets in lines of programs: bare texts it would hardly look at.
        line = f'value = "{text}"'
        return any(plugin.analyze_line(filename="x.py", line=line, line_number=1) for plugin in plugins)

    return matches


def tables() -> Iterator[Table]:
    """Yield the table."""
    peer = _peer()
    rows = []
    for label, name, texts in labelled():
        by_us = sum(bool(looks_private(text)) for text in texts)
        by_it = "-" if peer is None else str(sum(map(peer, texts)))
        rows.append((label, name, str(len(texts)), str(by_us), by_it))
    notes = () if peer else ("detect-secrets is not installed: `pip install detect-secrets`.",)
    yield Table(
        "Secrets, on a labelled list",
        ("label", "texts", ">n", ">found", ">detect-secrets"),
        tuple(rows),
        notes,
    )


if __name__ == "__main__":
    for each in tables():
        show(each)
