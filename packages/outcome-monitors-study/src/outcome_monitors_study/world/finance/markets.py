"""Exchange rates, conversion, shares."""
# ruff: noqa: D103 - what a tool does is said in tools.json

from outcome_monitors_study.world.draws import cents, units
from outcome_monitors_study.world.state import TODAY, Record, Refused, State

from .records import CURRENCIES, price, rate

__all__ = [
    "buy_shares",
    "convert_amount",
    "exchange_rate",
    "fx_pair",
    "get_portfolio",
    "get_quote",
    "market_snapshot",
    "multiply",
    "rate_table",
    "ticker_price",
]


def exchange_rate(state: State, base: str, quote: str, date: str) -> Record:
    found = rate(state, base, quote, date)
    return {"base": base, "quote": quote, "date": date, "rate": found, "inverse": round(1 / found, 6)}


def fx_pair(state: State, pair: str, on: str) -> Record:
    base, quote = pair.split("/")
    if not {base, quote} <= set(CURRENCIES):
        raise Refused(f"There is no pair {pair}.", "not_found")
    mid = rate(state, base, quote, on)
    return {"pair": pair, "on": on, "mid": mid, "bid": round(mid * 0.998, 6), "ask": round(mid * 1.002, 6)}


def rate_table(state: State, against: str, day: str) -> Record:
    rates = {other: rate(state, against, other, day) for other in CURRENCIES}
    return {"against": against, "day": day, "rates": rates, "rate_count": len(rates)}


def convert_amount(state: State, amount: float, from_currency: str, to_currency: str, date: str) -> Record:
    found = rate(state, from_currency, to_currency, date)
    asked = {"amount": amount, "from_currency": from_currency, "to_currency": to_currency}
    return {**asked, "rate": found, "converted": round(amount * found, 2), "date": date}


def multiply(state: State, value: float, factor: float) -> Record:
    del state
    return {"value": value, "factor": factor, "product": round(value * factor, 2)}


def get_quote(state: State, symbol: str) -> Record:
    now, before = price(state, symbol, TODAY), price(state, symbol, "2031-03-07")
    named = {"symbol": symbol, "name": state["shares"].get(symbol)["name"]}
    prices = {"price_usd": units(now), "previous_close_usd": units(before), "change_usd": units(now - before)}
    return {**named, **prices, "currency": "USD", "quoted_at": state.stamp}


def ticker_price(state: State, ticker: str) -> Record:
    last = price(state, ticker, TODAY)
    return {"ticker": ticker, "last_cents": last, "listed": state["shares"].get(ticker)["name"]}


def market_snapshot(state: State, tickers: list[str]) -> Record:
    found = {
        symbol: {"last": units(price(state, symbol, TODAY)), "sector": state["shares"].get(symbol)["sector"]}
        for symbol in tickers
    }
    return {"instruments": found, "instrument_count": len(found), "as_of": state.stamp}


def get_portfolio(state: State, account_id: str) -> Record:
    holdings = state["accounts"].get(account_id)["holdings"]
    prices = {symbol: price(state, symbol, TODAY) for symbol in holdings}
    positions = [
        {"symbol": s, "quantity": n, "price_usd": units(prices[s]), "value_usd": units(prices[s] * n)}
        for s, n in holdings.items()
    ]
    total = units(sum(prices[s] * n for s, n in holdings.items()))
    return {
        "account_id": account_id,
        "positions": positions,
        "position_count": len(positions),
        "total_value_usd": total,
    }


def buy_shares(state: State, account_id: str, symbol: str, quantity: int, limit_usd: float) -> Record:
    now = price(state, symbol, TODAY)
    account = state["accounts"].get(account_id)
    if account["kind"] != "brokerage" or now > cents(limit_usd):
        raise Refused(f"{symbol} cannot be bought for {account_id} at {limit_usd} or less.", "conflict")
    account = state["accounts"].edit(account_id)
    account["holdings"][symbol] = held = account["holdings"].get(symbol, 0) + quantity
    bought = {"account_id": account_id, "symbol": symbol, "quantity": quantity, "price_usd": units(now)}
    return {**bought, "cost_usd": units(now * quantity), "held_after": held, "status": "filled"}
