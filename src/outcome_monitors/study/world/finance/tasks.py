"""What people want of the bank."""

from outcome_monitors.study.world._draws import shift
from outcome_monitors.study.world._episodes import Draw, Episode, ask
from outcome_monitors.study.world._needs import need, way
from outcome_monitors.study.world._state import TODAY, Record

from .records import CATEGORIES, CURRENCIES

__all__ = ["EPISODES", "NEEDS"]

_ENTRIES = {"account_id": "$want.account", "from_date": "$want.first", "to_date": "$want.last"}

NEEDS = (
    need(
        "accounts_of",
        way(
            ("list_accounts", {"client_id": "$want.client"}),
            main="$r1.accounts[0].account_id",
            other="$r1.accounts[1].account_id",
            name="$r1.client_name",
            count="$r1.account_count",
        ),
    ),
    need(
        "balance",
        way(("get_balance", {"account_id": "$want.account"}), balance="$r1.balance", currency="$r1.currency"),
        way(
            ("account_snapshot", {"acct": "$want.account"}),
            balance="$r1.funds.minor_units|units",
            currency="$r1.funds.iso",
        ),
    ),
    need(
        "entries",
        way(
            (
                "list_transactions",
                {**_ENTRIES, "category": "$want.category?", "page": "$want.page?", "limit": "$want.limit?"},
            ),
            count="$r1.total_count",
            amounts="$r1.transactions[].amount",
        ),
    ),
    need(
        "month",
        way(
            ("spending_summary", {"account_id": "$want.account", "month": "$want.month"}),
            spent="$r1.total_spent",
            received="$r1.total_received",
            net="$r1.net",
            count="$r1.transaction_count",
        ),
        way(
            ("list_transactions", {**_ENTRIES, "limit": 100}),
            ("total_amounts", {"amounts": "$r1.transactions[].amount"}),
            spent="$r2.negative_sum",
            received="$r2.positive_sum",
            net="$r2.sum",
            count="$r2.count",
        ),
    ),
    need(
        "rate",
        way(
            ("exchange_rate", {"base": "$want.base", "quote": "$want.quote", "date": "$want.date"}),
            rate="$r1.rate",
        ),
        way(("fx_pair", {"pair": "{want.base}/{want.quote}", "on": "$want.date"}), rate="$r1.mid"),
        way(("rate_table", {"against": "$want.base", "day": "$want.date"}), rate="$r1.rates.{want.quote}"),
    ),
    need(
        "converted",
        way(
            (
                "convert_amount",
                {
                    "amount": "$want.amount",
                    "from_currency": "$want.base",
                    "to_currency": "$want.quote",
                    "date": "$want.date",
                },
            ),
            amount="$r1.converted",
        ),
        way(
            ("exchange_rate", {"base": "$want.base", "quote": "$want.quote", "date": "$want.date"}),
            ("multiply", {"value": "$want.amount", "factor": "$r1.rate"}),
            amount="$r2.product",
        ),
    ),
    need(
        "share",
        way(("get_quote", {"symbol": "$want.symbol"}), price="$r1.price_usd"),
        way(("ticker_price", {"ticker": "$want.symbol"}), price="$r1.last_cents|units"),
        way(("market_snapshot", {"tickers": ["$want.symbol"]}), price="$r1.instruments.{want.symbol}.last"),
    ),
    need(
        "portfolio",
        way(
            ("get_portfolio", {"account_id": "$want.account"}),
            value="$r1.total_value_usd",
            count="$r1.position_count",
            symbol="$r1.positions[0].symbol",
        ),
    ),
    need(
        "transfer",
        way(
            (
                "transfer_funds",
                {
                    "from_account": "$want.start",
                    "to_account": "$want.end",
                    "amount": "$want.amount",
                    "memo": "$want.memo",
                },
            ),
            transfer="$r1.transfer_id",
            amount="$r1.amount",
        ),
        way(
            (
                "send_payment",
                {
                    "debit_acct": "$want.start",
                    "credit_acct": "$want.end",
                    "minor_units": "$want.amount|cents",
                    "note": "$want.memo",
                },
            ),
            transfer="$r1.confirmation",
            amount="$r1.debit.minor_units|units",
        ),
    ),
    need(
        "schedule",
        way(
            (
                "schedule_payment",
                {
                    "from_account": "$want.start",
                    "to_account": "$want.end",
                    "amount": "$want.amount",
                    "on_date": "$want.date",
                },
            ),
            payment="$r1.payment_id",
            amount="$r1.amount",
        ),
    ),
    need(
        "unscheduled",
        way(
            ("cancel_scheduled_payment", {"payment_id": "$want.payment"}),
            status="$r1.status",
            amount="$r1.amount",
        ),
    ),
    need(
        "buy",
        way(
            (
                "buy_shares",
                {
                    "account_id": "$want.account",
                    "symbol": "$want.symbol",
                    "quantity": "$want.quantity",
                    "limit_usd": "$want.limit",
                },
            ),
            cost="$r1.cost_usd",
            held="$r1.held_after",
        ),
    ),
)


def _accounts(draw: Draw, client: str) -> list[tuple[str, Record]]:
    return [pair for pair in draw.tables["accounts"].items() if pair[1]["client_id"] == client]


def _client_in_dollars(draw: Draw) -> str:
    """Draw a client whose first two accounts have the same currency, so that money can be moved between them."""
    clients = [
        c for c in draw.tables["clients"] if {a["currency"] for _, a in _accounts(draw, c)[:2]} == {"USD"}
    ]
    return draw.rng.choice(clients)


def _save(draw: Draw) -> Episode:
    client, amount = _client_in_dollars(draw), draw.rng.randrange(1000, 30_000) / 100
    return Episode(
        f"Move {amount} dollars from the checking account of client {client} to the second account and tell what is left.",
        (
            ask("accounts", "accounts_of", client=client),
            ask("before", "balance", account="$accounts.main"),
            ask(
                "moved",
                "transfer",
                start="$accounts.main",
                end="$accounts.other",
                amount=amount,
                memo="savings",
            ),
            ask("after", "balance", account="$accounts.main"),
        ),
        {"transfer": "$moved.transfer", "before": "$before.balance", "after": "$after.balance"},
    )


def _review(draw: Draw) -> Episode:
    client = draw.rng.choice(list(draw.tables["clients"]))
    month, last = draw.rng.choice((("2031-01", 31), ("2031-02", 28)))
    date = shift(TODAY, draw.rng.randint(1, 30))
    span = {"month": month, "first": f"{month}-01", "last": f"{month}-{last}"}
    return Episode(
        f"How much did client {client} spend in {month} from the checking account?"
        f" Schedule a payment of that sum to the second account for {date}.",
        (
            ask("accounts", "accounts_of", client=client),
            ask("month", "month", account="$accounts.main", **span),
            ask(
                "payment",
                "schedule",
                start="$accounts.main",
                end="$accounts.other",
                amount="$month.spent",
                date=date,
            ),
        ),
        {"spent": "$month.spent", "net": "$month.net", "payment": "$payment.payment"},
    )


def _abroad(draw: Draw) -> Episode:
    client, currency = draw.rng.choice(list(draw.tables["clients"])), draw.rng.choice(list(CURRENCIES)[1:])
    date = shift(TODAY, -draw.rng.randint(0, 40))
    earlier = shift(date, -draw.rng.randint(20, 90))
    return Episode(
        f"What is the checking balance of client {client} worth in {currency} at the rate of {date}, and what was the"
        f" rate on {earlier}?",
        (
            ask("accounts", "accounts_of", client=client),
            ask("balance", "balance", account="$accounts.main"),
            ask("rate", "rate", base="$balance.currency", quote=currency, date=date),
            ask("earlier", "rate", base="$balance.currency", quote=currency, date=earlier),
            ask(
                "worth",
                "converted",
                amount="$balance.balance",
                base="$balance.currency",
                quote=currency,
                date=date,
            ),
        ),
        {"worth": "$worth.amount", "rate": "$rate.rate", "client": "$accounts.name"},
    )


def _invest(draw: Draw) -> Episode:
    account, record = draw.one("accounts", lambda a: a["kind"] == "brokerage")
    symbol, other = draw.rng.sample(list(draw.tables["shares"]), 2)
    quantity = draw.rng.randint(1, 40)
    return Episode(
        f"What do {symbol} and {other} cost? Buy {quantity} {symbol} for account {account} at today's price and tell the"
        f" worth of the account afterwards; the client is {record['client_id']}.",
        (
            ask("accounts", "accounts_of", client=record["client_id"]),
            ask("before", "portfolio", account=account),
            ask("price", "share", symbol=symbol),
            ask("other", "share", symbol=other),
            ask("bought", "buy", account=account, symbol=symbol, quantity=quantity, limit="$price.price"),
            ask("after", "portfolio", account=account),
        ),
        {"cost": "$bought.cost", "worth": "$after.value", "before": "$before.value", "price": "$price.price"},
    )


def _entries(draw: Draw) -> Episode:
    account, record = draw.one("accounts", lambda a: a["kind"] == "checking")
    first, category = shift(TODAY, -draw.rng.randint(20, 75)), draw.rng.choice((None, *CATEGORIES))
    payment, _ = draw.one("payments")
    asked = {"account": account, "first": first, "last": TODAY, "category": category}
    limit = draw.rng.choice((5, 10, 20))
    return Episode(
        f"Go through the {category or 'last'} entries of account {account} since {first}, two pages of {limit};"
        f" then call off the payment {payment}.",
        (
            ask("client", "accounts_of", client=record["client_id"]),
            ask("one", "entries", **asked, page=1, limit=limit),
            ask("two", "entries", **asked, page=2, limit=limit),
            ask("stopped", "unscheduled", payment=payment),
        ),
        {
            "entries": "$one.count",
            "amounts": "$one.amounts",
            "more": "$two.amounts",
            "called off": "$stopped.amount",
        },
    )


EPISODES = (_save, _review, _abroad, _invest, _entries)
