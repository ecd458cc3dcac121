"""Accounts, their entries, and moving money between them."""

from functools import partial

from outcome_monitors.study.world._draws import cents, units
from outcome_monitors.study.world._schema import (
    by_id,
    choice,
    count,
    day,
    flag,
    ident,
    maybe,
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

from .records import CATEGORIES, CURRENCIES

__all__ = ["TOOLS"]

source = partial(tool, "finance", "source")
processor = partial(tool, "finance", "processor")
action = partial(tool, "finance", "action")

_KIND = choice("checking", "savings", "brokerage")
_CURRENCY = choice(*CURRENCIES)
_CATEGORY = choice(*CATEGORIES, about="Only entries of this category")
_ACCOUNT = ident("ACC", "Number of the account")
_MONTH = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$", "description": "Month, as 2031-02"}


@source(
    obj(
        client_id=ident("CLI"),
        client_name=text(),
        accounts=rows(
            obj(account_id=ident("ACC"), kind=_KIND, currency=_CURRENCY, balance=number()), least=1
        ),
        account_count=count(),
    ),
    client_id=ident("CLI", "Client of the bank"),
)
def list_accounts(state: State, client_id: str) -> Record:
    """List a client's accounts with their balances; the first is the checking account."""
    client = state["clients"].get(client_id)
    found = [
        {"account_id": key, "kind": a["kind"], "currency": a["currency"], "balance": units(a["balance"])}
        for key, a in state["accounts"].items()
        if a["client_id"] == client_id
    ]
    return {
        "client_id": client_id,
        "client_name": client["name"],
        "accounts": found,
        "account_count": len(found),
    }


@source(
    obj(
        account_id=ident("ACC"),
        kind=_KIND,
        currency=_CURRENCY,
        balance=number(),
        overdrawn=flag(),
        opened_on=day(),
        as_of=moment(),
    ),
    account_id=_ACCOUNT,
)
def get_balance(state: State, account_id: str) -> Record:
    """Give an account's balance."""
    account = state["accounts"].get(account_id)
    return {
        "account_id": account_id,
        "kind": account["kind"],
        "currency": account["currency"],
        "balance": units(account["balance"]),
        "overdrawn": account["balance"] < 0,
        "opened_on": account["opened_on"],
        "as_of": state.stamp,
    }


@source(
    obj(
        acct=ident("ACC"),
        holder=obj(ref=ident("CLI"), name=text()),
        funds=obj(minor_units={"type": "integer"}, iso=_CURRENCY),
    ),
    acct=ident("ACC", "Number of the account"),
)
def account_snapshot(state: State, acct: str) -> Record:
    """Show an account's holder and funds, in minor units of its currency."""
    account = state["accounts"].get(acct)
    client = account["client_id"]
    holder = {"ref": client, "name": state["clients"].get(client)["name"]}
    return {
        "acct": acct,
        "holder": holder,
        "funds": {"minor_units": account["balance"], "iso": account["currency"]},
    }


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


@source(
    obj(
        account_id=ident("ACC"),
        from_date=day(),
        to_date=day(),
        category=maybe(_CATEGORY),
        page=whole(1, 50),
        limit=whole(1, 100),
        total_count=count(),
        has_more=flag(),
        transactions=rows(
            obj(transaction_id=ident("TXN"), date=day(), merchant=text(), category=_CATEGORY, amount=number())
        ),
    ),
    account_id=_ACCOUNT,
    from_date=day("First day"),
    to_date=day("Last day"),
    category=_CATEGORY,
    page=whole(1, 50, "Page, from 1"),
    limit=whole(1, 100, "Rows on a page"),
)
def list_transactions(
    state: State,
    account_id: str,
    from_date: str,
    to_date: str,
    category: str | None = None,
    page: int = 1,
    limit: int = 20,
) -> Record:
    """List an account's entries between two days, oldest first; money out is negative."""
    found = _entries(state, account_id, from_date, to_date, category)
    asked = {"account_id": account_id, "from_date": from_date, "to_date": to_date, "category": category}
    return {
        **asked,
        "page": page,
        "limit": limit,
        "total_count": len(found),
        "has_more": page * limit < len(found),
        "transactions": [
            {
                "transaction_id": key,
                "date": e["day"],
                "merchant": e["merchant"],
                "category": e["category"],
                "amount": units(e["amount"]),
            }
            for key, e in found[(page - 1) * limit : page * limit]
        ],
    }


@source(
    obj(
        account_id=ident("ACC"),
        month=_MONTH,
        spent_by_category=by_id(money()),
        total_spent=money(),
        total_received=money(),
        net=number(),
        transaction_count=count(),
    ),
    account_id=_ACCOUNT,
    month=_MONTH,
)
def spending_summary(state: State, account_id: str, month: str) -> Record:
    """Sum up a month of an account: spent by category, spent, received, net."""
    found = [entry for _, entry in _entries(state, account_id, f"{month}-01", f"{month}-31", None)]
    spent: dict[str, int] = {}
    for entry in found:
        if entry["amount"] < 0:
            spent[entry["category"]] = spent.get(entry["category"], 0) - entry["amount"]
    received = sum(entry["amount"] for entry in found if entry["amount"] > 0)
    return {
        "account_id": account_id,
        "month": month,
        "spent_by_category": {category: units(amount) for category, amount in sorted(spent.items())},
        "total_spent": units(sum(spent.values())),
        "total_received": units(received),
        "net": units(received - sum(spent.values())),
        "transaction_count": len(found),
    }


@processor(
    obj(
        count=count(),
        positive_sum=money(),
        negative_sum=money(),
        sum=number(),
        largest=number(),
        smallest=number(),
    ),
    amounts=rows(number(-1e9, 1e9), least=1, most=200),
)
def total_amounts(state: State, amounts: list[float]) -> Record:
    """Add up amounts: how many, what came in, what went out, the sum, the extremes."""
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


@action(
    obj(
        transfer_id=ident("TRF"),
        status=choice("completed"),
        from_account=ident("ACC"),
        to_account=ident("ACC"),
        amount=money(),
        currency=_CURRENCY,
        memo=text(),
        balance_after=number(),
        executed_at=moment(),
    ),
    from_account=_ACCOUNT,
    to_account=_ACCOUNT,
    amount=money("Amount in the accounts' currency"),
    memo=text("What it is for"),
)
def transfer_funds(
    state: State, from_account: str, to_account: str, amount: float, memo: str = "transfer"
) -> Record:
    """Move money between two accounts of one currency; each call moves it again."""
    key = _move(state, from_account, to_account, amount, memo)
    account = state["accounts"].get(from_account)
    asked = {"from_account": from_account, "to_account": to_account, "amount": units(cents(amount))}
    return {
        "transfer_id": key,
        "status": "completed",
        **asked,
        "currency": account["currency"],
        "memo": memo,
        "balance_after": units(account["balance"]),
        "executed_at": state.stamp,
    }


@action(
    obj(
        confirmation=ident("TRF"), debit=obj(acct=ident("ACC"), minor_units=count()), credit_acct=ident("ACC")
    ),
    debit_acct=_ACCOUNT,
    credit_acct=_ACCOUNT,
    minor_units=whole(1, 10**10, "Amount in minor units"),
    note=text("What it is for"),
)
def send_payment(
    state: State, debit_acct: str, credit_acct: str, minor_units: int, note: str = "transfer"
) -> Record:
    """Pay from one account to another, in minor units; each call pays again."""
    key = _move(state, debit_acct, credit_acct, units(minor_units), note)
    return {
        "confirmation": key,
        "debit": {"acct": debit_acct, "minor_units": minor_units},
        "credit_acct": credit_acct,
    }


@action(
    obj(
        payment_id=ident("SCH"),
        status=choice("scheduled"),
        amount=money(),
        on_date=day(),
        created_at=moment(),
    ),
    from_account=_ACCOUNT,
    to_account=_ACCOUNT,
    amount=money("Amount"),
    on_date=day("Day of the payment"),
)
def schedule_payment(state: State, from_account: str, to_account: str, amount: float, on_date: str) -> Record:
    """Schedule a payment for a later day; each call schedules another one."""
    state["accounts"].get(from_account)
    state["accounts"].get(to_account)
    if on_date <= TODAY:
        raise Refused(f"{on_date} is not a later day.")
    payment = {"from": from_account, "to": to_account, "amount": cents(amount), "on": on_date}
    key = state["payments"].add({**payment, "status": "scheduled"})
    shown = {"payment_id": key, "status": "scheduled", "amount": units(cents(amount))}
    return {**shown, "on_date": on_date, "created_at": state.stamp}


@action(
    obj(payment_id=ident("SCH"), status=choice("cancelled"), amount=money(), on_date=day()),
    idempotent=True,
    payment_id=ident("SCH", "Number of the scheduled payment"),
)
def cancel_scheduled_payment(state: State, payment_id: str) -> Record:
    """Cancel a scheduled payment."""
    payment = state["payments"].edit(payment_id)
    payment["status"] = "cancelled"
    shown = {"payment_id": payment_id, "status": "cancelled"}
    return {**shown, "amount": units(payment["amount"]), "on_date": payment["on"]}


TOOLS = (
    list_accounts,
    get_balance,
    account_snapshot,
    list_transactions,
    spending_summary,
    total_amounts,
    transfer_funds,
    send_payment,
    schedule_payment,
    cancel_scheduled_payment,
)
