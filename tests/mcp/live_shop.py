"""A shop whose traffic goes on for days, by a clock of its own, and a proxy that learns from it without a process around it."""

from datetime import UTC, datetime

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.events import Watch
from outcome_monitors.learning.learner import Learner
from outcome_monitors.learning.recorder import Recorder
from outcome_monitors.learning.rollout import Thresholds
from outcome_monitors.learning.storage import miners
from outcome_monitors.mcp import ProxyContext, TimeLimit
from tests.events.shop import Kept
from tests.mcp.wire import TOOLS, Session, answer, lists, result

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
    """A proxy that learns; by its clock results may come days apart.

    What was recorded is looked at while it goes on, or, `by_hand`, once at the end: what a test sees then depends on no thread.
    """

    def __init__(
        self, folder, mode="advise", given=None, *, thresholds=SOON, clock=None, weighs=None, by_hand=False
    ):
        self.sink, self.by_hand = Kept(), by_hand
        self.clock = clock or Clock()
        self.learner = Learner(folder, given, thresholds=thresholds, clock=self.clock)
        traces, written = folder / "traces", None if by_hand else self.learner.written
        self.recorder = Recorder(traces, self.learner.admits, written=written, clock=self.clock)
        self.serve(self.sink, [AlertPolicy()] if weighs is None else weighs, mode)

    def serve(self, sink, policies, mode="advise"):
        """Check by what is learned."""
        self.watch = Watch(
            self.learner.monitor(),
            sink,
            mode=mode,
            policies=self.learner.policies(*policies),
        )
        self.learner.attach(self.watch)
        self.context = ProxyContext(
            self.watch, recorder=self.recorder, limit=TimeLimit(0), listed=self.learner.listed
        )

    def talk(self, *results, name="s", client=None):
        """Have a conversation in which `get_order` gives these results; return what the client hears."""
        return self.converse(
            [("get_order", {"id": one.get("id", "W1")}, one) for one in results], name, client
        )

    def converse(self, asked, name, client=None):
        """Have a conversation of calls: a tool, its arguments, its result."""
        talk = Session(self.context, name, client=client or "")
        return [
            {"result": talk.call(result(value), number, tool=tool, **arguments)}
            for number, (tool, arguments, value) in enumerate(asked)
        ]

    def lists_tools(self):
        talk = Session(self.context, "l")
        talk.ask(lists(0))
        return talk.hear(answer(0, {"tools": TOOLS}))

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
