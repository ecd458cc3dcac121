"""Clients, accounts, their entries, listed shares and scheduled payments."""

import random
from collections.abc import Iterator

from outcome_monitors_study.world.data import vocabulary
from outcome_monitors_study.world.draws import generator, numbered, person, shift
from outcome_monitors_study.world.state import TODAY, Record, State, Tables

__all__ = ["CURRENCIES", "price", "rate", "tables"]

_WORDS = vocabulary("finance")
CURRENCIES = _WORDS["currencies"]
"""About how many units one dollar buys; the day's rate swings around it."""
_SHARES, _MERCHANTS = _WORDS["shares"], _WORDS["categories"]


def tables(seed: int) -> Tables:
    """Make the bank's tables."""
    rng = generator(seed, "finance")
    taken: set[str] = set()
    clients = {
        key: {"name": person(rng, taken)[0], "since": shift(TODAY, -rng.randint(400, 4000))}
        for key in numbered(rng, "CLI", 40, 500)
    }
    accounts: dict[str, Record] = {}
    entries: dict[str, Record] = {}
    entry_ids = numbered(rng, "TXN", 10_000, 100_000)
    account_ids = numbered(rng, "ACC", 200, 4000)
    for client in clients:
        for kind in ("checking", *rng.sample(("savings", "brokerage"), rng.randint(1, 2))):
            accounts[key := next(account_ids)] = {
                "client_id": client,
                "kind": kind,
                "currency": "USD" if kind == "checking" else rng.choice(("USD", "USD", "EUR", "GBP")),
                "opened_on": shift(TODAY, -rng.randint(90, 390)),
                "balance": rng.randint(50_000, 900_000),
                "holdings": _holdings(rng) if kind == "brokerage" else {},
            }
            if kind == "checking":
                entries |= _entries(rng, key, entry_ids)
    shares = {
        name[:4].upper(): {
            "name": f"{name} Group",
            "sector": rng.choice(_WORDS["sectors"]),
            "price": rng.randint(900, 42_000),
        }
        for name in _SHARES
    }
    payments = {key: _payment(rng, list(accounts)) for key in numbered(rng, "SCH", 30, 800)}
    tables = {
        "clients": clients,
        "accounts": accounts,
        "entries": entries,
        "shares": shares,
        "payments": payments,
    }
    return {**tables, "transfers": {"TRF-90000": {"note": "opening entry of the book of transfers"}}}


def _holdings(rng: random.Random) -> dict[str, int]:
    return {name[:4].upper(): rng.randint(1, 120) for name in sorted(rng.sample(_SHARES, rng.randint(1, 4)))}


def _entries(rng: random.Random, account: str, ids: Iterator[str]) -> dict[str, Record]:
    days = sorted(shift(TODAY, -rng.randint(1, 75)) for _ in range(rng.randint(20, 34)))
    found = {}
    for day in days:
        category = rng.choice(list(_MERCHANTS))
        amount = rng.randint(180_000, 420_000) if category == "salary" else -rng.randint(350, 24_000)
        merchant = rng.choice(_MERCHANTS[category])
        found[next(ids)] = {
            "account": account,
            "day": day,
            "amount": amount,
            "category": category,
            "merchant": merchant,
        }
    return found


def _payment(rng: random.Random, accounts: list[str]) -> Record:
    start, end = rng.sample(accounts, 2)
    day = shift(TODAY, rng.randint(1, 40))
    return {"from": start, "to": end, "amount": rng.randint(1000, 90_000), "on": day, "status": "scheduled"}


def rate(state: State, base: str, quote: str, day: str) -> float:
    """Return how many units of `quote` one of `base` buys on a day."""
    level: dict[str, float] = {
        c: CURRENCIES[c] * (1 if c == "USD" else 0.97 + 0.06 * state.noise("fx", c, day))
        for c in (base, quote)
    }
    return round(level[quote] / level[base], 6)


def price(state: State, symbol: str, day: str) -> int:
    """Return what a share costs on a day, in cents."""
    return int(
        state["shares"].get(symbol)["price"] * (90 + round(20 * state.noise("share", symbol, day))) // 100
    )
