"""A shop whose traffic goes on for days, by a clock of its own, and a proxy's desk that learns from it without a process around it."""

import copy
import json
import random
from datetime import UTC, datetime, timedelta

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.events import Watch
from outcome_monitors.learning.learner import Learner
from outcome_monitors.learning.recorder import Recorder
from outcome_monitors.learning.rollout import Thresholds
from outcome_monitors.learning.storage import miners
from outcome_monitors.proxy import JsonRpcSession, ProxyContext, TimeLimit
from tests.events.shop import Kept
from tests.proxy.wire import TOOLS, answer, call, line, lists, result

SOON = Thresholds(tasks=20, results=20, calls=40)
HOUR, DAY = 3600.0, 86400.0
NEVER = 10**9
BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC).timestamp()


class Clock:
    """The time, which passes when it is told to."""

    def __init__(self, now=BEGIN):
        self.now = now

    def __call__(self):
        return self.now


class Shop:
    """A proxy's desk that learns; by its clock results may come days apart.

    What was recorded is looked at while it goes on, or, `by_hand`, once at the end: what a test sees then depends on no thread.
    """

    def __init__(
        self, folder, mode="advise", given=None, *, thresholds=SOON, clock=None, weighs=None, by_hand=False
    ):
        self.sink, self.by_hand = Kept(), by_hand
        self.clock = clock or Clock()
        self.learner = Learner(folder, given, thresholds=thresholds, clock=self.clock)
        self.recorder = Recorder(
            folder / "traces",
            self.learner.admits,
            written=None if by_hand else self.learner.written,
            clock=self.clock,
        )
        watch = Watch(
            self.learner.monitor(),
            self.sink,
            mode=mode,
            may_alert=self.learner.alerts,
            policy=self.learner.policy(weighs or AlertPolicy()),
        )
        self.learner.attach(watch)
        self.desk = ProxyContext(
            watch, recorder=self.recorder, limit=TimeLimit(0), listed=self.learner.listed
        )

    def talk(self, *results, name="s", client=None):
        """Have a conversation in which `get_order` gives these results; return what the client is told."""
        asked = [("get_order", {"id": value.get("id", "W1")}, value) for value in results]
        return self.converse(asked, name, client)

    def converse(self, asked, name, client=None):
        """Have a conversation of calls: a tool, its arguments, its result."""
        dialogue = JsonRpcSession(self.desk, name, client=client or "")
        said = []
        for number, (tool, arguments, value) in enumerate(asked):
            dialogue.asked(line(call(number, tool, **arguments)))
            said.append(json.loads(dialogue.answered(line(answer(number, result(value))))))
        return said

    def lists_tools(self):
        dialogue = JsonRpcSession(self.desk, "l")
        dialogue.asked(line(lists(0)))
        return dialogue.answered(line(answer(0, {"tools": TOOLS})))

    def close(self):
        self.recorder.close()
        if self.by_hand:
            self.learner.written(len(self.sink.events))
        self.learner.close()
        for miner in miners:
            miner.wait(60)


def told(said):
    """Return, for each answer, whether it carries a receipt."""
    return [len(message["result"]["content"]) - 1 for message in said]


STATES = ("pending", "paid", "shipped", "delivered")
GOODS = {
    f"SKU-{n:03}": (f"{size} {what}", 3.5 + 7 * n)
    for n, (size, what) in enumerate(
        (size, what)
        for size in ("small", "large", "steel")
        for what in ("mug", "lamp", "chair", "desk", "clock", "shelf")
    )
}
NOTES = (
    "leave at the door",
    "call before delivery",
    "ring twice please",
    "gift for a friend",
    "no rush with this one",
)
NEW_NOTES = (
    "**Gift!** wrap it; deliver by 5pm",
    "- fragile\n- upstairs (3rd floor)",
    "Via e-mail: see <https://shop.example/n/17>",
)


class Traffic:
    """The shop's tools, as they answer on a day; with `changed` they are of their next version."""

    def __init__(self, seed=1):
        self.random = random.Random(seed)
        self.changed = False
        self.orders = {}
        self.day = 0

    def opens(self, day):
        """Begin a day: some orders come, and those there are move on."""
        self.day = day
        for order in self.orders.values():
            place = STATES.index(order["status"]) if order["status"] in STATES else len(STATES)
            if place < len(STATES) - 1 and self.random.random() < 0.5:
                order["status"] = STATES[place + 1]
            elif self.changed and self.random.random() < 0.02:
                order["status"] = "returned"
        for _ in range(40):
            self._order()

    def _order(self):
        number, rand = len(self.orders), self.random
        at = datetime.fromtimestamp(BEGIN, UTC) + timedelta(days=self.day, minutes=rand.randrange(600))
        items = []
        for sku in rand.sample(sorted(GOODS), rand.randint(1, 4)):
            title, price = GOODS[sku]
            amount = rand.randint(1, 5)
            items.append(
                {
                    "sku": sku,
                    "title": title,
                    "quantity": amount,
                    "unit_price": price,
                    "line_total": price * amount,
                }
            )
        status = STATES[rand.randrange(len(STATES))]
        if self.changed and rand.random() < 0.05:
            status = "returned"
        self.orders[f"W{1000 + number}"] = {
            "order_id": f"W{1000 + number}",
            "customer_id": f"C{rand.randrange(60):03}",
            "status": status,
            "created_at": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "items": items,
            "total": sum(item["line_total"] for item in items),
            "note": rand.choice(NEW_NOTES if self.changed and rand.random() < 0.5 else NOTES),
        }

    def task(self):
        """Return what an agent asks in one task: calls with right results."""
        order = self.orders[self.random.choice(sorted(self.orders)[-160:])]
        asked = [("get_order", {"order_id": order["order_id"]}, self._shown(order))]
        if self.random.random() < 0.6:
            whose = order["customer_id"]
            theirs = [one for one in self.orders.values() if one["customer_id"] == whose]
            rows = [
                {"order_id": one["order_id"], "status": one["status"], "total": one["total"]}
                for one in theirs
            ]
            found = {"customer_id": whose, "orders": rows, "count": len(rows)}
            asked.append(("list_orders", {"customer_id": whose}, found))
        if self.random.random() < 0.6:
            sku = self.random.choice(order["items"])["sku"]
            title, price = GOODS[sku]
            stock = self.random.randint(0, 40)
            found = {"sku": sku, "title": title, "price": price, "in_stock": stock > 0, "stock": stock}
            asked.append(("get_product", {"sku": sku}, found))
        return copy.deepcopy(asked)

    def _shown(self, order):
        return {**order, "gift_message": None} if self.changed else order

    def spoil(self, tool, arguments, value):
        """Return a wrong result in place of a right one."""
        fault = self.random.choice(_FAULTS)
        return fault(self, tool, arguments, copy.deepcopy(value))


def _number_of(value):
    return next(key for key in ("total", "count", "price") if key in value)


def _negative(_shop, _tool, _arguments, value):
    key = _number_of(value)
    return {**value, key: -value[key] - 1}


def _as_text(_shop, _tool, _arguments, value):
    key = _number_of(value)
    return {**value, key: f"about {value[key]}"}


def _cut(shop, _tool, _arguments, value):
    gone = shop.random.choice(sorted(value))
    return {key: item for key, item in value.items() if key != gone}


def _error(_shop, _tool, _arguments, _value):
    return {"error": "upstream timed out", "code": 504}


def _page(_shop, _tool, _arguments, value):
    key = next(key for key in ("status", "title", "customer_id") if key in value)
    return {**value, key: "<html><body>502 Bad Gateway</body></html>"}


def _another(shop, tool, arguments, value):
    while True:
        for other_tool, other, found in shop.task():
            if other_tool == tool and other != arguments:
                return found


def _nothing(_shop, _tool, _arguments, value):
    return dict.fromkeys(value)


def _hundredfold(_shop, _tool, _arguments, value):
    key = _number_of(value)
    return {**value, key: value[key] * 100}


_FAULTS = (_negative, _as_text, _cut, _error, _page, _another, _nothing, _hundredfold)
