"""What a client asks, and what it says of itself: when a conversation begins or, where there are none, with every request."""

from typing import Any, NamedTuple

__all__ = ["CALL", "LIST", "TASK", "Asked", "Id", "asked_of", "client_of"]

CALL, LIST, TASK = "tools/call", "tools/list", "tasks/result"
IN_REQUEST = "io.modelcontextprotocol/clientInfo"
LONGEST = 80

Id = str | int | float


class Asked(NamedTuple):
    """A request whose answer is looked at."""

    method: str
    tool: str = ""
    arguments: dict[str, Any] = {}
    trace: str | None = None
    first_page: bool = True
    task: str = ""
    """The task whose result is asked for."""


def asked_of(message: Any) -> Asked | None:
    """Return what a message asks for, where the answer is looked at."""
    if not isinstance(message, dict) or not isinstance(message.get("id"), Id):
        return None
    method, params = message.get("method"), message.get("params")
    params = params if isinstance(params, dict) else {}
    if method == LIST:
        return Asked(LIST, first_page=params.get("cursor") is None)
    if method == TASK and isinstance(params.get("taskId"), str):
        return Asked(TASK, task=params["taskId"])
    if method != CALL or not isinstance(params.get("name"), str):
        return None
    arguments, meta = params.get("arguments"), params.get("_meta")
    trace = meta.get("traceparent") if isinstance(meta, dict) else None
    return Asked(
        CALL,
        params["name"],
        arguments if isinstance(arguments, dict) else {},
        trace if isinstance(trace, str) else None,
    )


def client_of(message: Any) -> str:
    """Return the name and version that a message gives of its client; nothing where it gives none."""
    params = message.get("params") if isinstance(message, dict) else None
    if not isinstance(params, dict):
        return ""
    meta = params.get("_meta")
    info = params.get("clientInfo") or (meta.get(IN_REQUEST) if isinstance(meta, dict) else None)
    if not isinstance(info, dict) or not isinstance(info.get("name"), str):
        return ""
    version = info.get("version")
    return f"{info['name']} {version}"[:LONGEST] if isinstance(version, str) else info["name"][:LONGEST]
