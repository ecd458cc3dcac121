"""Which flagged results are evidence: what persists over tasks, clients and hours, and not what is sporadic."""

from outcome_monitors import Clause, Violation
from outcome_monitors.learning.flagged_evidence import FlaggedEvidence, marks
from outcome_monitors.model import Call, Outcome

CLAUSE = Clause("domain", "status", {"values": ["paid", "sent"]}, 60, 40, "traces")


def outcome(value, **more):
    broken = ((CLAUSE, Violation("unseen_category", "status", ["paid", "sent"], value, "")),)
    return Outcome("get_order", broken=broken, **{"proven": broken, "untold": "", "odds": 0.4, **more})


def call(number, flagged=None, client=None, hours=480):
    """Return a call, each an hour after the one before; after so many hours it is the first again."""
    day, hour = divmod(number % hours, 24)
    beside = {
        "time": f"2026-03-{2 + day:02}T{hour:02}:00:00Z",
        "client": client or f"c{number % 3}",
    }
    return Call(
        "get_order", {}, {}, task=f"t{number}", extra={**beside, **(marks(flagged) if flagged else {})}
    )


def admitted(calls):
    disputes = FlaggedEvidence()
    for one in calls:
        disputes.add(one)
    return [disputes.admits(one) for one in calls]


def mixed(every, flagged, count=400, **more):
    """Return calls of which every so often one is flagged."""
    return [call(n, flagged if n % every == 0 else None, **more) for n in range(count)]


def taken(calls):
    """Return how many of the flagged calls are evidence, and of how many; all others are."""
    which = admitted(calls)
    assert all(yes for yes, one in zip(which, calls, strict=True) if "flagged" not in one.extra)
    flagged = [yes for yes, one in zip(which, calls, strict=True) if "flagged" in one.extra]
    return sum(flagged), len(flagged)


def test_what_is_sporadic_stays_out_and_what_many_tasks_show_enters():
    assert taken(mixed(100, outcome("returned"))) == (0, 4)
    assert taken(mixed(200, outcome("returned"), 2400)) == (0, 12)
    assert taken(mixed(30, outcome("returned"))) == (14, 14)


def test_what_the_policy_calls_a_change_enters_and_so_do_those_told_before():
    [address, _] = marks(outcome("returned"))["findings"][0]
    change = outcome("returned", untold="a change", suspended=(address,))
    calls = [call(n, outcome("returned") if n < 2 else change if n < 5 else None) for n in range(400)]
    assert taken(calls) == (5, 5)


def test_one_client_or_one_hour_makes_no_contract_give_way():
    flagged = outcome("returned")
    assert taken(mixed(3, flagged, 180, hours=1))[0] == 0
    assert taken(mixed(3, flagged, 180, hours=24, client="c"))[0] == 0
    assert taken(mixed(3, flagged, 180, hours=48, client="c"))[0] == 0
    assert taken(mixed(3, flagged, 180, hours=72, client="c"))[0] == 60
    assert taken(mixed(4, flagged, 180, hours=24))[0] == 45


def test_what_a_clause_on_trial_flags_enters_where_it_is_more_than_faults():
    tried = {"untold": "not proven", "proven": (), "odds": None}
    calls = [call(n, outcome(f"odd {n}", **tried) if n % 10 == 0 else None) for n in range(400)]
    assert taken(calls) == (40, 40)
    assert taken(mixed(200, outcome("returned", **tried), 800)) == (0, 4)
