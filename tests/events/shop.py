"""What the tests of events and of the proxy share: a contract, clean calls, and calls that break it."""

from outcome_monitors import Call, Clause, Contract, Monitor, Registry, Relations, mine

STATUSES = ("paid", "sent")


def order(number: int, **changes):
    return {"id": f"W{number}", "total": 10.5 + number * number, "status": STATUSES[number % 2], **changes}


def calls(count: int = 30):
    return [Call("get_order", {"id": f"W{i}"}, order(i), task=f"t{i}") for i in range(count)]


def contracts() -> Registry:
    return mine(calls(), "paper")


def monitor() -> Monitor:
    return Monitor(contracts())


def remembering(relations: Relations | None = None) -> Monitor:
    """A monitor that holds an order's status against what the session heard before."""
    clause = Clause("memory", "", {"key": ".order_id", "field": ".status"}, 60, 40, "traces")
    return Monitor(Registry({"get_order": Contract("get_order", (clause,))}), relations)


class Kept:
    """A sink that keeps events."""

    lost = 0

    def __init__(self):
        self.events = []

    def put(self, event):
        self.events.append(event)

    def close(self):
        pass

    @property
    def outcomes(self):
        return [event.outcome for event in self.events]
