"""Exchange rates, conversion, shares."""

from functools import partial

from outcome_monitors.study.world._draws import cents, units
from outcome_monitors.study.world._schema import (
    by_id,
    choice,
    count,
    day,
    ident,
    moment,
    money,
    number,
    obj,
    rows,
    text,
    whole,
)
from outcome_monitors.study.world._state import TODAY, Record, State
from outcome_monitors.study.world._tool import Refused, tool

from .records import CURRENCIES, price, rate

__all__ = ["TOOLS"]

source = partial(tool, "finance", "source")
processor = partial(tool, "finance", "processor")
action = partial(tool, "finance", "action")

_CURRENCY = choice(*CURRENCIES, about="Currency code")
_SYMBOL = text("Symbol of a listed share")
_RATE = number(0.000001, 1000)


@source(
    obj(base=_CURRENCY, quote=_CURRENCY, date=day(), rate=_RATE, inverse=_RATE),
    base=_CURRENCY,
    quote=_CURRENCY,
    date=day("Day of the rate"),
)
def exchange_rate(state: State, base: str, quote: str, date: str = TODAY) -> Record:
    """Give the exchange rate of a day: how many units of the quote currency one of the base buys."""
    found = rate(state, base, quote, date)
    return {"base": base, "quote": quote, "date": date, "rate": found, "inverse": round(1 / found, 6)}


@source(
    obj(pair=text(), on=day(), mid=_RATE, bid=_RATE, ask=_RATE),
    pair={"type": "string", "pattern": "^[A-Z]{3}/[A-Z]{3}$", "description": "Pair, as EUR/USD"},
    on=day("Day"),
)
def fx_pair(state: State, pair: str, on: str = TODAY) -> Record:
    """Quote a currency pair on a day: bid, mid, ask."""
    base, quote = pair.split("/")
    if not {base, quote} <= set(CURRENCIES):
        raise Refused(f"There is no pair {pair}.", "not_found")
    mid = rate(state, base, quote, on)
    return {"pair": pair, "on": on, "mid": mid, "bid": round(mid * 0.998, 6), "ask": round(mid * 1.002, 6)}


@source(
    obj(against=_CURRENCY, day=day(), rates=by_id(_RATE), rate_count=count()),
    against=_CURRENCY,
    day=day("Day"),
)
def rate_table(state: State, against: str, day: str = TODAY) -> Record:
    """Give one currency's rates against all others on a day."""
    rates = {other: rate(state, against, other, day) for other in CURRENCIES}
    return {"against": against, "day": day, "rates": rates, "rate_count": len(rates)}


@processor(
    obj(
        amount=money(),
        from_currency=_CURRENCY,
        to_currency=_CURRENCY,
        rate=_RATE,
        converted=money(),
        date=day(),
    ),
    amount=money("Amount to convert"),
    from_currency=_CURRENCY,
    to_currency=_CURRENCY,
    date=day("Day of the rate"),
)
def convert_amount(
    state: State, amount: float, from_currency: str, to_currency: str, date: str = TODAY
) -> Record:
    """Convert an amount between currencies at a day's rate."""
    found = rate(state, from_currency, to_currency, date)
    asked = {"amount": amount, "from_currency": from_currency, "to_currency": to_currency}
    return {**asked, "rate": found, "converted": round(amount * found, 2), "date": date}


@processor(
    obj(value=number(), factor=number(), product=number()),
    value=number(-1e9, 1e9, "Number to multiply"),
    factor=number(-1e6, 1e6, "Number to multiply it by"),
)
def multiply(state: State, value: float, factor: float) -> Record:
    """Multiply two numbers, to two decimals."""
    del state
    return {"value": value, "factor": factor, "product": round(value * factor, 2)}


@source(
    obj(
        symbol=text(),
        name=text(),
        price_usd=money(),
        previous_close_usd=money(),
        change_usd=number(),
        currency=choice("USD"),
        quoted_at=moment(),
    ),
    symbol=_SYMBOL,
)
def get_quote(state: State, symbol: str) -> Record:
    """Quote a share: price, previous close, change."""
    now, before = price(state, symbol, TODAY), price(state, symbol, "2031-03-07")
    named = {"symbol": symbol, "name": state["shares"].get(symbol)["name"]}
    prices = {"price_usd": units(now), "previous_close_usd": units(before), "change_usd": units(now - before)}
    return {**named, **prices, "currency": "USD", "quoted_at": state.stamp}


@source(obj(ticker=text(), last_cents=count(), listed=text()), ticker=text("Ticker of a listed share"))
def ticker_price(state: State, ticker: str) -> Record:
    """Give a ticker's last price, in cents."""
    last = price(state, ticker, TODAY)
    return {"ticker": ticker, "last_cents": last, "listed": state["shares"].get(ticker)["name"]}


@source(
    obj(
        instruments=by_id(obj(last=money(), sector=text())),
        instrument_count=count(),
        as_of=moment(),
    ),
    tickers=rows(text(), least=1, most=20),
)
def market_snapshot(state: State, tickers: list[str]) -> Record:
    """Give last price and sector of several shares at once."""
    found = {
        symbol: {"last": units(price(state, symbol, TODAY)), "sector": state["shares"].get(symbol)["sector"]}
        for symbol in tickers
    }
    return {"instruments": found, "instrument_count": len(found), "as_of": state.stamp}


@source(
    obj(
        account_id=ident("ACC"),
        positions=rows(obj(symbol=text(), quantity=count(), price_usd=money(), value_usd=money())),
        position_count=count(),
        total_value_usd=money(),
    ),
    account_id=ident("ACC", "Number of a brokerage account"),
)
def get_portfolio(state: State, account_id: str) -> Record:
    """List the shares in a brokerage account with their values and the sum."""
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


@action(
    obj(
        account_id=ident("ACC"),
        symbol=text(),
        quantity=whole(1, 1000),
        price_usd=money(),
        cost_usd=money(),
        held_after=count(),
        status=choice("filled"),
    ),
    account_id=ident("ACC", "Number of a brokerage account"),
    symbol=_SYMBOL,
    quantity=whole(1, 1000, "How many"),
    limit_usd=money("Dearest price to pay for one"),
)
def buy_shares(state: State, account_id: str, symbol: str, quantity: int, limit_usd: float) -> Record:
    """Buy shares for a brokerage account; each call buys more."""
    now = price(state, symbol, TODAY)
    account = state["accounts"].get(account_id)
    if account["kind"] != "brokerage" or now > cents(limit_usd):
        raise Refused(f"{symbol} cannot be bought for {account_id} at {limit_usd} or less.", "conflict")
    account = state["accounts"].edit(account_id)
    account["holdings"][symbol] = held = account["holdings"].get(symbol, 0) + quantity
    bought = {"account_id": account_id, "symbol": symbol, "quantity": quantity, "price_usd": units(now)}
    return {**bought, "cost_usd": units(now * quantity), "held_after": held, "status": "filled"}


TOOLS = (
    exchange_rate,
    fx_pair,
    rate_table,
    convert_amount,
    multiply,
    get_quote,
    ticker_price,
    market_snapshot,
    get_portfolio,
    buy_shares,
)
