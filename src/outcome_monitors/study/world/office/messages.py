"""Mail and to-dos."""

from functools import partial

from outcome_monitors.study.world._schema import (
    choice,
    count,
    day,
    flag,
    ident,
    maybe,
    moment,
    obj,
    rows,
    text,
    whole,
)
from outcome_monitors.study.world._state import TODAY, Record, State
from outcome_monitors.study.world._tool import tool

from .records import FOLDERS, PRIORITIES

__all__ = ["TOOLS"]

source = partial(tool, "office", "source")
action = partial(tool, "office", "action")

_EMAIL = text("E-mail address of a colleague")
_PRIORITY = choice(*PRIORITIES, about="Priority")
_TASK_STATUS = choice("open", "done", about="Only to-dos in this status")


@source(
    obj(
        mailbox=text(),
        folder=choice(*FOLDERS),
        query=maybe(text()),
        page=whole(1, 50),
        limit=whole(1, 50),
        total_count=count(),
        messages=rows(
            obj(message_id=ident("MSG"), sender=text(), subject=text(), received_on=day(), unread=flag())
        ),
        unread_count=count(),
    ),
    mailbox=_EMAIL,
    folder=choice(*FOLDERS, about="Folder"),
    query=text("Word in the subject"),
    page=whole(1, 50, "Page, from 1"),
    limit=whole(1, 50, "Rows on a page"),
)
def search_mail(
    state: State,
    mailbox: str,
    folder: str = "inbox",
    query: str | None = None,
    page: int = 1,
    limit: int = 10,
) -> Record:
    """Search a mailbox, newest first; the unread are counted on the page."""
    found = [
        {
            "message_id": key,
            "sender": m["from"],
            "subject": m["subject"],
            "received_on": m["on"],
            "unread": m["unread"],
        }
        for key, m in state["messages"].items()
        if m["mailbox"] == mailbox and m["folder"] == folder and (query or "").lower() in m["subject"].lower()
    ]
    found.sort(key=lambda row: (row["received_on"], row["message_id"]), reverse=True)
    shown = found[(page - 1) * limit : page * limit]
    asked = {"mailbox": mailbox, "folder": folder, "query": query, "page": page, "limit": limit}
    unread = sum(row["unread"] for row in shown)
    return {**asked, "total_count": len(found), "messages": shown, "unread_count": unread}


@source(
    obj(
        message_id=ident("MSG"),
        headers=obj(sender=text(), recipient=text(), subject=text(), date=day()),
        body=text(),
        word_count=count(),
    ),
    message_id=ident("MSG", "Message"),
)
def read_mail(state: State, message_id: str) -> Record:
    """Read one message."""
    m = state["messages"].get(message_id)
    headers = {"sender": m["from"], "recipient": m["to"], "subject": m["subject"], "date": m["on"]}
    return {
        "message_id": message_id,
        "headers": headers,
        "body": m["body"],
        "word_count": len(m["body"].split()),
    }


def _send(state: State, sender: str, recipient: str, subject: str, body: str) -> str:
    state["contacts"].get(sender)
    state["contacts"].get(recipient)
    message = {"mailbox": sender, "folder": "sent", "from": sender, "to": recipient, "subject": subject}
    return state["messages"].add({**message, "body": body, "on": TODAY, "unread": False})


@action(
    obj(
        message_id=ident("MSG"),
        sender=text(),
        recipient=text(),
        subject=text(),
        folder=choice("sent"),
        size_characters=count(),
        sent_at=moment(),
    ),
    sender=_EMAIL,
    recipient=_EMAIL,
    subject=text("Subject"),
    body=text("Text of the message"),
)
def send_mail(state: State, sender: str, recipient: str, subject: str, body: str) -> Record:
    """Send a message; each call sends another one."""
    key = _send(state, sender, recipient, subject, body)
    asked = {"message_id": key, "sender": sender, "recipient": recipient, "subject": subject}
    return {**asked, "folder": "sent", "size_characters": len(body), "sent_at": state.stamp}


@action(
    obj(dispatch=obj(ref=ident("MSG"), route=obj(origin=text(), target=text())), accepted=flag()),
    origin=_EMAIL,
    target=_EMAIL,
    headline=text("Subject line"),
    content=text("Text of the message"),
)
def dispatch_message(state: State, origin: str, target: str, headline: str, content: str) -> Record:
    """Dispatch a message from one mailbox to another; each call dispatches another one."""
    key = _send(state, origin, target, headline, content)
    return {"dispatch": {"ref": key, "route": {"origin": origin, "target": target}}, "accepted": True}


@source(
    obj(
        assignee=text(),
        status=maybe(_TASK_STATUS),
        tasks=rows(
            obj(
                task_id=ident("TSK"),
                title=text(),
                due=day(),
                priority=_PRIORITY,
                status=_TASK_STATUS,
                overdue=flag(),
            )
        ),
        task_count=count(),
        overdue_count=count(),
    ),
    assignee=_EMAIL,
    status=_TASK_STATUS,
)
def list_tasks(state: State, assignee: str, status: str | None = None) -> Record:
    """List a colleague's to-dos, soonest due first."""
    state["contacts"].get(assignee)
    found = [
        {"task_id": key, **{k: t[k] for k in ("title", "due", "priority", "status")}, "overdue": _overdue(t)}
        for key, t in state["tasks"].items()
        if t["assignee"] == assignee and status in {None, t["status"]}
    ]
    found.sort(key=lambda row: (row["due"], row["task_id"]))
    overdue = sum(row["overdue"] for row in found)
    return {
        "assignee": assignee,
        "status": status,
        "tasks": found,
        "task_count": len(found),
        "overdue_count": overdue,
    }


def _overdue(task: Record) -> bool:
    return bool(task["status"] == "open" and task["due"] < TODAY)


@action(
    obj(
        task_id=ident("TSK"),
        title=text(),
        assignee=text(),
        due=day(),
        priority=_PRIORITY,
        status=_TASK_STATUS,
    ),
    title=text("What is to be done"),
    assignee=_EMAIL,
    due=day("Day by which it is due"),
    priority=_PRIORITY,
)
def create_task(state: State, title: str, assignee: str, due: str, priority: str = "normal") -> Record:
    """Create a to-do; each call creates another one."""
    state["contacts"].get(assignee)
    task = {"title": title, "assignee": assignee, "due": due, "priority": priority, "status": "open"}
    return {"task_id": state["tasks"].add(dict(task)), **task}


@action(
    obj(todo=ident("TSK"), owner=text(), deadline=day(), urgent=flag(), done=flag()),
    text=text("What is to be done"),
    owner=_EMAIL,
    deadline=day("Day by which it is due"),
    level=_PRIORITY,
)
def add_todo(state: State, text: str, owner: str, deadline: str, level: str = "normal") -> Record:
    """Add a to-do to a colleague's list; each call adds another one."""
    key = create_task.run(state, text, owner, deadline, level)["task_id"]
    return {"todo": key, "owner": owner, "deadline": deadline, "urgent": level == "high", "done": False}


@action(
    obj(task_id=ident("TSK"), title=text(), status=choice("done"), was=_TASK_STATUS),
    idempotent=True,
    task_id=ident("TSK", "To-do"),
)
def complete_task(state: State, task_id: str) -> Record:
    """Mark a to-do as done."""
    was = state["tasks"].get(task_id)["status"]
    task = state["tasks"].edit(task_id)
    task["status"] = "done"
    return {"task_id": task_id, "title": task["title"], "status": "done", "was": was}


TOOLS = (
    search_mail,
    read_mail,
    send_mail,
    dispatch_message,
    list_tasks,
    create_task,
    add_todo,
    complete_task,
)
