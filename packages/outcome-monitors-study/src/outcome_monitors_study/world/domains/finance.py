"""Bank accounts and their entries, payments, exchange rates, shares."""
# ruff: noqa: D103 - what a tool does is said in tools.json

import random
from collections.abc import Iterator

from outcome_monitors_study.world.records import (
    cents,
    generator,
    numbered,
    paged,
    person,
    shift,
    units,
    vocabulary,
)
from outcome_monitors_study.world.state import TODAY, Record, Refused, State, Tables

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
                entries |= _first_entries(rng, key, entry_ids)
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


def _first_entries(rng: random.Random, account: str, ids: Iterator[str]) -> dict[str, Record]:
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


def list_accounts(state: State, client_id: str) -> Record:
    client = state["clients"].get(client_id)
    found = [
        {"account_id": key, **account, "balance": units(account["balance"])}
        for key, account in state["accounts"].items()
        if account["client_id"] == client_id
    ]
    return {"client_name": client["name"], "accounts": found}


def get_balance(state: State, account_id: str) -> Record:
    account = state["accounts"].get(account_id)
    return {**account, "balance": units(account["balance"]), "overdrawn": account["balance"] < 0}


def account_snapshot(state: State, acct: str) -> Record:
    account = state["accounts"].get(acct)
    client = account["client_id"]
    holder = {"ref": client, "name": state["clients"].get(client)["name"]}
    return {"holder": holder, "funds": {"minor_units": account["balance"], "iso": account["currency"]}}


def _entries(
    state: State, account: str, start: str, end: str, category: str | None
) -> list[tuple[str, Record]]:
    state["accounts"].get(account)
    return [
        (key, entry)
        for key, entry in state["entries"].items()
        if entry["account"] == account
        and start <= entry["day"] <= end
        and category in {None, entry["category"]}
    ]


def list_transactions(
    state: State, account_id: str, from_date: str, to_date: str, category: str | None, page: int, limit: int
) -> Record:
    found = [
        {**entry, "transaction_id": key, "date": entry["day"], "amount": units(entry["amount"])}
        for key, entry in _entries(state, account_id, from_date, to_date, category)
    ]
    return paged("transactions", found, page, limit)


def spending_summary(state: State, account_id: str, month: str) -> Record:
    found = [entry for _, entry in _entries(state, account_id, f"{month}-01", f"{month}-31", None)]
    spent: dict[str, int] = {}
    for entry in found:
        if entry["amount"] < 0:
            spent[entry["category"]] = spent.get(entry["category"], 0) - entry["amount"]
    received = sum(entry["amount"] for entry in found if entry["amount"] > 0)
    return {
        "spent_by_category": {category: units(amount) for category, amount in sorted(spent.items())},
        "total_spent": units(sum(spent.values())),
        "total_received": units(received),
        "net": units(received - sum(spent.values())),
        "transaction_count": len(found),
    }


def total_amounts(state: State, amounts: list[float]) -> Record:
    del state
    values = [cents(amount) for amount in amounts]
    up, down = sum(v for v in values if v > 0), -sum(v for v in values if v < 0)
    sums = {"positive_sum": units(up), "negative_sum": units(down), "sum": units(up - down)}
    return {"count": len(values), **sums, "largest": units(max(values)), "smallest": units(min(values))}


def _move(state: State, start: str, end: str, amount: float, memo: str) -> str:
    source_account, value = state["accounts"].get(start), cents(amount)
    if state["accounts"].get(end)["currency"] != source_account["currency"]:
        raise Refused("The accounts have different currencies.", "conflict")
    if start == end or not 0 < value <= source_account["balance"]:
        raise Refused(f"{amount} cannot be moved from {start} to {end}.", "conflict")
    state["accounts"].edit(start)["balance"] -= value
    state["accounts"].edit(end)["balance"] += value
    return state["transfers"].add({"from": start, "to": end, "amount": value, "memo": memo, "on": TODAY})


def transfer_funds(state: State, from_account: str, to_account: str, amount: float, memo: str) -> Record:
    key = _move(state, from_account, to_account, amount, memo)
    account = state["accounts"].get(from_account)
    return {
        "transfer_id": key,
        "status": "completed",
        "amount": units(cents(amount)),
        "currency": account["currency"],
        "balance_after": units(account["balance"]),
    }


def send_payment(state: State, debit_acct: str, credit_acct: str, minor_units: int, note: str) -> Record:
    key = _move(state, debit_acct, credit_acct, units(minor_units), note)
    return {"confirmation": key, "debit": {"acct": debit_acct, "minor_units": minor_units}}


def schedule_payment(state: State, from_account: str, to_account: str, amount: float, on_date: str) -> Record:
    state["accounts"].get(from_account)
    state["accounts"].get(to_account)
    if on_date <= TODAY:
        raise Refused(f"{on_date} is not a later day.")
    payment = {"from": from_account, "to": to_account, "amount": cents(amount), "on": on_date}
    key = state["payments"].add({**payment, "status": "scheduled"})
    return {"payment_id": key, "status": "scheduled", "amount": units(cents(amount))}


def cancel_scheduled_payment(state: State, payment_id: str) -> Record:
    payment = state["payments"].edit(payment_id)
    payment["status"] = "cancelled"
    return {"status": "cancelled", "amount": units(payment["amount"]), "on_date": payment["on"]}


def exchange_rate(state: State, base: str, quote: str, date: str) -> Record:
    found = rate(state, base, quote, date)
    return {"rate": found, "inverse": round(1 / found, 6)}


def fx_pair(state: State, pair: str, on: str) -> Record:
    base, quote = pair.split("/")
    if not {base, quote} <= set(CURRENCIES):
        raise Refused(f"There is no pair {pair}.", "not_found")
    mid = rate(state, base, quote, on)
    return {"mid": mid, "bid": round(mid * 0.998, 6), "ask": round(mid * 1.002, 6)}


def rate_table(state: State, against: str, day: str) -> Record:
    return {"rates": {other: rate(state, against, other, day) for other in CURRENCIES}}


def convert_amount(state: State, amount: float, from_currency: str, to_currency: str, date: str) -> Record:
    found = rate(state, from_currency, to_currency, date)
    return {"rate": found, "converted": round(amount * found, 2)}


def multiply(state: State, value: float, factor: float) -> Record:
    del state
    return {"product": round(value * factor, 2)}


def get_quote(state: State, symbol: str) -> Record:
    now, before = price(state, symbol, TODAY), price(state, symbol, "2031-03-07")
    prices = {"price_usd": units(now), "previous_close_usd": units(before), "change_usd": units(now - before)}
    return {"name": state["shares"].get(symbol)["name"], **prices, "currency": "USD"}


def ticker_price(state: State, ticker: str) -> Record:
    return {"last_cents": price(state, ticker, TODAY), "listed": state["shares"].get(ticker)["name"]}


def market_snapshot(state: State, tickers: list[str]) -> Record:
    found = {
        symbol: {**state["shares"].get(symbol), "last": units(price(state, symbol, TODAY))}
        for symbol in tickers
    }
    return {"instruments": found}


def get_portfolio(state: State, account_id: str) -> Record:
    holdings = state["accounts"].get(account_id)["holdings"]
    prices = {symbol: price(state, symbol, TODAY) for symbol in holdings}
    positions = [
        {"symbol": s, "quantity": n, "price_usd": units(prices[s]), "value_usd": units(prices[s] * n)}
        for s, n in holdings.items()
    ]
    total = units(sum(prices[s] * n for s, n in holdings.items()))
    return {"positions": positions, "total_value_usd": total}


def buy_shares(state: State, account_id: str, symbol: str, quantity: int, limit_usd: float) -> Record:
    now = price(state, symbol, TODAY)
    account = state["accounts"].get(account_id)
    if account["kind"] != "brokerage" or now > cents(limit_usd):
        raise Refused(f"{symbol} cannot be bought for {account_id} at {limit_usd} or less.", "conflict")
    account = state["accounts"].edit(account_id)
    account["holdings"][symbol] = held = account["holdings"].get(symbol, 0) + quantity
    costs = {"price_usd": units(now), "cost_usd": units(now * quantity)}
    return {**costs, "held_after": held, "status": "filled"}
