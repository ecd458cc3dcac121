"""Mail and to-dos."""
# ruff: noqa: D103 - what a tool does is said in tools.json

from outcome_monitors_study.world.state import TODAY, Record, State

__all__ = [
    "add_todo",
    "complete_task",
    "create_task",
    "dispatch_message",
    "list_tasks",
    "read_mail",
    "search_mail",
    "send_mail",
]


def search_mail(state: State, mailbox: str, folder: str, query: str | None, page: int, limit: int) -> Record:
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


def read_mail(state: State, message_id: str) -> Record:
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


def send_mail(state: State, sender: str, recipient: str, subject: str, body: str) -> Record:
    key = _send(state, sender, recipient, subject, body)
    asked = {"message_id": key, "sender": sender, "recipient": recipient, "subject": subject}
    return {**asked, "folder": "sent", "size_characters": len(body), "sent_at": state.stamp}


def dispatch_message(state: State, origin: str, target: str, headline: str, content: str) -> Record:
    key = _send(state, origin, target, headline, content)
    return {"dispatch": {"ref": key, "route": {"origin": origin, "target": target}}, "accepted": True}


def list_tasks(state: State, assignee: str, status: str | None) -> Record:
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


def create_task(state: State, title: str, assignee: str, due: str, priority: str) -> Record:
    state["contacts"].get(assignee)
    task = {"title": title, "assignee": assignee, "due": due, "priority": priority, "status": "open"}
    return {"task_id": state["tasks"].add(dict(task)), **task}


def add_todo(state: State, text: str, owner: str, deadline: str, level: str) -> Record:
    key = create_task(state, text, owner, deadline, level)["task_id"]
    return {"todo": key, "owner": owner, "deadline": deadline, "urgent": level == "high", "done": False}


def complete_task(state: State, task_id: str) -> Record:
    was = state["tasks"].get(task_id)["status"]
    task = state["tasks"].edit(task_id)
    task["status"] = "done"
    return {"task_id": task_id, "title": task["title"], "status": "done", "was": was}
