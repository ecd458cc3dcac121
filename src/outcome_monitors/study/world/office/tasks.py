"""What people want of the office."""

from outcome_monitors.study.world._draws import shift
from outcome_monitors.study.world._episodes import Draw, Episode, ask
from outcome_monitors.study.world._needs import need, way
from outcome_monitors.study.world._state import TODAY, Record

from .records import PRIORITIES

__all__ = ["EPISODES", "NEEDS"]

NEEDS = (
    need(
        "contact",
        way(
            ("find_contact", {"name": "$want.name"}),
            email="$r1.email",
            department="$r1.department",
            city="$r1.city",
        ),
        way(
            ("directory_lookup", {"query": "$want.name"}),
            email="$r1.hits[0].mail",
            department="$r1.hits[0].unit|lower",
            city="$r1.hits[0].site",
        ),
    ),
    need(
        "meetings",
        way(
            ("list_events", {"email": "$want.email", "date": "$want.date"}),
            first="$r1.events[0].event_id",
            count="$r1.event_count",
            busy="$r1.busy_minutes",
        ),
    ),
    need(
        "slot",
        way(
            ("find_free_slot", {"email": "$want.email", "date": "$want.date", "minutes": "$want.minutes"}),
            start="$r1.slot.start",
        ),
        way(
            ("list_events", {"email": "$want.email", "date": "$want.date"}),
            (
                "first_gap",
                {"starts": "$r1.events[].start", "ends": "$r1.events[].end", "length": "$want.minutes"},
            ),
            start="$r2.opens",
        ),
    ),
    need(
        "meeting",
        way(
            (
                "create_event",
                {
                    "title": "$want.title",
                    "attendees": "$want.people",
                    "date": "$want.date",
                    "start": "$want.start",
                    "minutes": "$want.minutes",
                },
            ),
            event="$r1.event_id",
            invited="$r1.attendee_count",
        ),
        way(
            (
                "schedule_meeting",
                {
                    "subject": "$want.title",
                    "invitees": "$want.people",
                    "on": "$want.date",
                    "at": "$want.start",
                    "length": "$want.minutes",
                },
            ),
            event="$r1.meeting.ref",
            invited="$r1.invited",
        ),
    ),
    need(
        "moved",
        way(
            ("move_event", {"event_id": "$want.event", "date": "$want.date", "start": "$want.start"}),
            end="$r1.end",
            before="$r1.moved_from.start",
        ),
    ),
    need(
        "called_off",
        way(("cancel_event", {"event_id": "$want.event"}), title="$r1.title", told="$r1.notified_count"),
    ),
    need(
        "inbox",
        way(
            (
                "search_mail",
                {
                    "mailbox": "$want.email",
                    "folder": "$want.folder?",
                    "query": "$want.query?",
                    "page": "$want.page?",
                    "limit": "$want.limit?",
                },
            ),
            first="$r1.messages[0].message_id",
            count="$r1.total_count",
            unread="$r1.unread_count",
        ),
    ),
    need(
        "letter",
        way(
            ("read_mail", {"message_id": "$want.message"}),
            subject="$r1.headers.subject",
            sender="$r1.headers.sender",
            body="$r1.body",
        ),
    ),
    need(
        "mail",
        way(
            (
                "send_mail",
                {
                    "sender": "$want.sender",
                    "recipient": "$want.recipient",
                    "subject": "$want.subject",
                    "body": "$want.body",
                },
            ),
            message="$r1.message_id",
        ),
        way(
            (
                "dispatch_message",
                {
                    "origin": "$want.sender",
                    "target": "$want.recipient",
                    "headline": "$want.subject",
                    "content": "$want.body",
                },
            ),
            message="$r1.dispatch.ref",
        ),
    ),
    need(
        "todos",
        way(
            ("list_tasks", {"assignee": "$want.email", "status": "$want.status?"}),
            first="$r1.tasks[0].task_id",
            count="$r1.task_count",
            overdue="$r1.overdue_count",
        ),
    ),
    need(
        "todo",
        way(
            (
                "create_task",
                {
                    "title": "$want.title",
                    "assignee": "$want.email",
                    "due": "$want.due",
                    "priority": "$want.priority",
                },
            ),
            task="$r1.task_id",
        ),
        way(
            (
                "add_todo",
                {
                    "text": "$want.title",
                    "owner": "$want.email",
                    "deadline": "$want.due",
                    "level": "$want.priority",
                },
            ),
            task="$r1.todo",
        ),
    ),
    need("done", way(("complete_task", {"task_id": "$want.task"}), title="$r1.title", status="$r1.status")),
)


def _people(draw: Draw) -> list[tuple[str, Record]]:
    return draw.rng.sample(list(draw.tables["contacts"].items()), 2)


def _meet(draw: Draw) -> Episode:
    (_, one), (_, two) = _people(draw)
    date, minutes = shift(TODAY, draw.rng.randint(1, 14)), draw.rng.choice((15, 30, 45, 60))
    return Episode(
        f"Set up {minutes} minutes between {one['name']} and {two['name']} on {date},"
        f" in the first slot that {one['name']} has free, and let {two['name']} know by mail.",
        (
            ask("one", "contact", name=one["name"]),
            ask("two", "contact", name=two["name"]),
            ask("slot", "slot", email="$one.email", date=date, minutes=minutes),
            ask(
                "meeting",
                "meeting",
                title=f"{one['name']} and {two['name']}",
                people=["$one.email", "$two.email"],
                date=date,
                start="$slot.start",
                minutes=minutes,
            ),
            ask(
                "told",
                "mail",
                sender="$one.email",
                recipient="$two.email",
                subject="Meeting",
                body=f"We meet on {date} at {{slot.start}}.",
            ),
        ),
        {"meeting": "$meeting.event", "start": "$slot.start", "message": "$told.message"},
    )


def _move(draw: Draw) -> Episode:
    _, event = draw.one("events")
    name, email = draw.tables["contacts"][event["organiser"]]["name"], event["organiser"]
    date, start = shift(event["date"], draw.rng.randint(1, 5)), f"{draw.rng.randint(9, 16):02d}:30"
    return Episode(
        f"Move the first meeting of {name} on {event['date']} to {start} on {date}.",
        (
            ask("who", "contact", name=name),
            ask("day", "meetings", email="$who.email", date=event["date"]),
            ask("moved", "moved", event="$day.first", date=date, start=start),
            ask("after", "meetings", email=email, date=date),
        ),
        {"meeting": "$day.first", "ends": "$moved.end", "minutes that day": "$after.busy"},
    )


def _answer(draw: Draw) -> Episode:
    _, message = draw.one("messages", lambda m: m["folder"] == "inbox")
    owner = draw.tables["contacts"][message["mailbox"]]["name"]
    word = message["subject"].split()[0].lower()
    return Episode(
        f"Answer the latest message about the {word} in the inbox of {owner}: say that it will be done this week.",
        (
            ask("who", "contact", name=owner),
            ask(
                "inbox",
                "inbox",
                email="$who.email",
                folder="inbox",
                query=word,
                limit=draw.rng.choice((5, 10, 20)),
            ),
            ask("letter", "letter", message="$inbox.first"),
            ask(
                "sent",
                "mail",
                sender="$who.email",
                recipient="$letter.sender",
                subject="Re: {letter.subject}",
                body="It will be done this week. You wrote: {letter.body}",
            ),
            ask("outbox", "inbox", email="$who.email", folder="sent", query=draw.rng.choice((None, word))),
        ),
        {
            "message": "$sent.message",
            "to": "$letter.sender",
            "found": "$inbox.count",
            "sent": "$outbox.count",
        },
    )


def _delegate(draw: Draw) -> Episode:
    (_, one), _ = _people(draw)
    due, priority = shift(TODAY, draw.rng.randint(1, 20)), draw.rng.choice(PRIORITIES)
    title = f"Check the {draw.rng.choice(('figures', 'minutes', 'inventory', 'rota'))}"
    return Episode(
        f"Give {one['name']} a {priority} priority to-do '{title}', due {due}, and tell how many are open then.",
        (
            ask("who", "contact", name=one["name"]),
            ask("before", "todos", email="$who.email", status="open"),
            ask("made", "todo", title=title, email="$who.email", due=due, priority=priority),
            ask("after", "todos", email="$who.email", status="open"),
        ),
        {"to-do": "$made.task", "open": "$after.count", "overdue": "$before.overdue"},
    )


def _tidy(draw: Draw) -> Episode:
    _, task = draw.one("tasks", lambda t: t["status"] == "open")
    event_id, event = draw.one("events")
    name = draw.tables["contacts"][task["assignee"]]["name"]
    return Episode(
        f"Mark the most urgent open to-do of {name} as done, and cancel meeting {event_id} on {event['date']}.",
        (
            ask("who", "contact", name=name),
            ask("open", "todos", email="$who.email", status="open"),
            ask("done", "done", task="$open.first"),
            ask("off", "called_off", event=event_id),
            ask("after", "todos", email="$who.email", status=draw.rng.choice((None, "done"))),
        ),
        {"done": "$open.first", "title": "$done.title", "called off": "$off.title", "to-dos": "$after.count"},
    )


EPISODES = (_meet, _move, _answer, _delegate, _tidy)
