"""Accounts, their entries, and moving money between them."""
# ruff: noqa: D103 - what a tool does is said in tools.json

from outcome_monitors_study.world.draws import cents, units
from outcome_monitors_study.world.state import TODAY, Record, Refused, State

__all__ = [
    "account_snapshot",
    "cancel_scheduled_payment",
    "get_balance",
    "list_accounts",
    "list_transactions",
    "schedule_payment",
    "send_payment",
    "spending_summary",
    "total_amounts",
    "transfer_funds",
]


def list_accounts(state: State, client_id: str) -> Record:
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


def get_balance(state: State, account_id: str) -> Record:
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


def account_snapshot(state: State, acct: str) -> Record:
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


def list_transactions(
    state: State, account_id: str, from_date: str, to_date: str, category: str | None, page: int, limit: int
) -> Record:
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


def spending_summary(state: State, account_id: str, month: str) -> Record:
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


def send_payment(state: State, debit_acct: str, credit_acct: str, minor_units: int, note: str) -> Record:
    key = _move(state, debit_acct, credit_acct, units(minor_units), note)
    return {
        "confirmation": key,
        "debit": {"acct": debit_acct, "minor_units": minor_units},
        "credit_acct": credit_acct,
    }


def schedule_payment(state: State, from_account: str, to_account: str, amount: float, on_date: str) -> Record:
    state["accounts"].get(from_account)
    state["accounts"].get(to_account)
    if on_date <= TODAY:
        raise Refused(f"{on_date} is not a later day.")
    payment = {"from": from_account, "to": to_account, "amount": cents(amount), "on": on_date}
    key = state["payments"].add({**payment, "status": "scheduled"})
    shown = {"payment_id": key, "status": "scheduled", "amount": units(cents(amount))}
    return {**shown, "on_date": on_date, "created_at": state.stamp}


def cancel_scheduled_payment(state: State, payment_id: str) -> Record:
    payment = state["payments"].edit(payment_id)
    payment["status"] = "cancelled"
    shown = {"payment_id": payment_id, "status": "cancelled"}
    return {**shown, "amount": units(payment["amount"]), "on_date": payment["on"]}
