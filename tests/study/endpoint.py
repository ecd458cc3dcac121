"""A server on this machine that speaks OpenAI's chat completions and Anthropic's messages, and fails as it is told to."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server:
    """Answers each request as the next word of `plan` says, and properly when it is used up."""

    def __init__(self, *plan: str, then: str = "answer") -> None:
        self.plan, self.then, self.requests = list(plan), then, 0
        self.asked: list[dict[str, Any]] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self):
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._http.shutdown()
        self._http.server_close()

    def _handler(server):  # noqa: N805 - the handler has a self of its own
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests += 1
                server.asked.append(request)
                how = server.plan.pop(0) if server.plan else server.then
                status, body = (anthropic if self.path.endswith("/messages") else respond)(how, request)
                if body is None:
                    return
                self.send_response(status)
                form = "text/event-stream" if body.startswith(b"event:") else "application/json"
                self.send_header("Content-Type", form)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                """Keep still."""

        return Handler


STATUSES = {"rejected": 400, "limit": 429, "broken": 503, "key": 401, "forbidden": 403, "money": 402}


def respond(how, request):
    """Return a status and a body; no body closes the connection."""
    match how:
        case "drop":
            return 0, None
        case "hang":
            time.sleep(5)
            return 0, None
        case "rejected" | "limit" | "broken" | "key" | "forbidden" | "money":
            error = {"error": {"message": f"for {how}", "type": how, "code": how}}
            return STATUSES[how], json.dumps(error).encode()
        case "garbage":
            return 200, b"<html>Bad gateway</html>"
        case "half":
            return 200, b'{"id": "r", "object": "chat.completion", "choices": [{"index": 0, "mess'
    called = any(message["role"] == "tool" for message in request["messages"])
    message: dict[str, object] = {"role": "assistant", "content": "" if how == "nothing" else "All done."}
    if how == "malformed" or (how == "answer" and not called):
        name = request["tools"][0]["function"]["name"]
        function = {"name": name, "arguments": '{"torn": ' if how == "malformed" else "{}"}
        message |= {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    usage: dict[str, object] = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    if how == "cached":
        usage["prompt_tokens_details"] = {"cached_tokens": 900}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    answer = {"id": "r", "object": "chat.completion", "created": 0, "model": "any", "choices": [choice]}
    return 200, json.dumps({**answer, "usage": usage}).encode()


def anthropic(_how, request):
    """Answer as Anthropic's messages do where they are streamed: one call of the first tool, then a last word."""
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": "All done."}
    if len(request["messages"]) == 1:
        block = {"type": "tool_use", "id": "c1", "name": request["tools"][0]["name"], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": "{}"}
    usage = {"input_tokens": 1000, "output_tokens": 100}
    message = {"id": "m", "type": "message", "role": "assistant", "model": request["model"], "content": []}
    stop = {"stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn", "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
    ]
    return 200, "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events).encode()
