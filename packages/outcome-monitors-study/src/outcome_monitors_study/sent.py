"""What a request to a model says beside its messages, measured: one is sent to a recorder on this machine.

Providers' clients rename, round, add and drop settings, each version in its own way. What a study certifies is what leaves for the
endpoint, so it is looked at when the study is frozen, and again before it is run.
"""

import asyncio
import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError
from outcome_monitors.model import Json

from ._json import canonical, leaves
from .design import generation

CONVERSATION = frozenset({"messages", "tools", "input", "instructions", "system", "contents", "prompt"})
"""The fields of a request that are no settings."""
OFF: tuple[Json, ...] = ("none", "disabled", "off", False, 0)
"""How providers write that a model is not to think."""
ASKED = ("temperature", "max_tokens", "reasoning", "reasoning_tokens", "request")
PATIENCE = 20
"""Seconds for a request to arrive on this machine."""


def sent_to(models: Iterable[str], settings: Mapping[str, Json]) -> dict[str, Json]:
    """Return what is sent to each model that can be seen; raise where a setting that was asked for does not arrive.

    Nothing is known of a model without an endpoint, or without its provider's client: then nothing may be asked of it either.
    """
    asked = [name for name in ASKED[1:] if settings.get(name)]
    if find_spec("inspect_ai") is None:
        if asked and list(models):
            raise MissingExtra("looking at what is sent", "inspect-ai", "models", "outcome-monitors-study")
        return {}
    found: dict[str, Json] = {}
    for model in models:
        body, why = _request(model, settings)
        if body is not None:
            found[model] = body
            _refuse_unsent(model, settings, body)
        elif asked:
            raise OutcomeMonitorsError(
                f"what {_option(asked[0])} sends to {model} cannot be seen ({why}); leave it out, or install the provider's client"
            )
    return found


def unsent_temperature(settings: Mapping[str, Json], sent: Mapping[str, Json]) -> list[str]:
    """Return the models that are asked without the frozen temperature: their clients know that it would be refused."""
    return [model for model, body in sent.items() if settings["temperature"] not in _values(body)]


def _refuse_unsent(model: str, settings: Mapping[str, Json], body: Json) -> None:
    for name, value in settings.get("request", {}).items():
        if body.get(name) != value:
            raise OutcomeMonitorsError(f"--request {name} does not reach {model} as it is; leave it out")
    for name, accepted in (
        ("max_tokens", (settings.get("max_tokens"),)),
        ("reasoning_tokens", (settings.get("reasoning_tokens"),)),
        ("reasoning", OFF if settings.get("reasoning") == "off" else (settings.get("reasoning"),)),
    ):
        if not settings.get(name):
            continue
        plain = _request(model, {**settings, name: None})[0] or {}
        more = {key: value for key, value in body.items() if canonical(plain.get(key)) != canonical(value)}
        if not any(type(one) is type(leaf) and one == leaf for one in accepted for leaf in _values(more)):
            instead = f"it becomes {canonical(more)}" if more else "it is not sent at all"
            raise OutcomeMonitorsError(
                f"{_option(name)} {settings[name]} does not reach {model}: {instead}; leave it out, or give the field that"
                " the endpoint itself takes with --request NAME=VALUE"
            )


def _values(body: Json) -> list[Json]:
    return [leaf.lower() if isinstance(leaf, str) else leaf for leaf in leaves(body)]


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _request(model: str, settings: Mapping[str, Json]) -> tuple[dict[str, Json] | None, str]:
    """Return the settings of the last request that a question brings about, or None and why there was none."""
    models, tools = import_module("inspect_ai.model"), import_module("inspect_ai.tool")
    config = models.GenerateConfig(**generation(settings), attempt_timeout=PATIENCE, max_retries=0)
    why = "it has no endpoint"
    with _recorder() as (address, bodies):
        try:
            given = {**(settings.get("model_args") or {}), "base_url": address, "api_key": "none"}
            asked = models.get_model(model, memoize=False, **given)
            question, tool = (
                models.ChatMessageUser(content="?"),
                tools.ToolInfo(name="look", description="Look."),
            )
            asyncio.run(asked.generate([question], tools=[tool], config=config))
        except Exception as error:  # noqa: BLE001 - the recorder refuses every request; what a client raises is its own
            why = " ".join(re.sub(r"\[/?bold\]", "", str(error)).split())[:200]
        if not bodies:
            return None, why
        return {key: value for key, value in bodies[-1].items() if key not in CONVERSATION}, ""


@contextmanager
def _recorder() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Give the address of a server that keeps what it is sent, and refuses it."""
    bodies: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}"))
            self.send_response(400)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep still."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", bodies
    finally:
        server.shutdown()
        server.server_close()
