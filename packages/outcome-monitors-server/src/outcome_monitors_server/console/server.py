"""The console over HTTP: pages, parts of pages, the feed, and the one form."""

import asyncio
import json
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path

from aiohttp import web

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning import decisions as decide
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.learning.metrics import CONTENT_TYPE
from outcome_monitors.mcp.readiness import ALIVE, PROBES, READY, Readiness
from outcome_monitors.mcp.shutdown import LoopShutdown
from outcome_monitors.mcp.status_server import host_and_port
from outcome_monitors.reports.page import style
from outcome_monitors_server.pages import render

from .access import COOKIE, Access
from .alarms import last_alarm
from .feed import Feed, Note
from .site import Site

log = logging.getLogger("outcome_monitors_server.console")

SHUTDOWN = 5.0
"""Seconds that pages under way are given at the end; feeds end at once."""
LONGEST_WORD = 200
"""Characters of what is asked for that are looked at."""
LARGEST_FORM = 64 * 1024
EVENT = r"/event/{number:\d{1,18}}"
BEAT = 15.0
"""Seconds after which a feed without news says that it lives: a browser that has gone is found by it."""
GUESS = 0.5
"""Seconds that a wrong token costs."""
HEADERS = {
    # What a browser may do for a page of ours: a word of a result that became markup after all could still do nothing.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Server": "outcome-monitors",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OPEN = frozenset({"/enter", "/console.css"}) | PROBES
"""What is given to those who have not named the token yet."""

SCRIPT, SHEET = (
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("console.js", "console.css")
)
SITE = web.AppKey("site", Site)
ACCESS = web.AppKey("access", Access)
FEED = web.AppKey("feed", Feed)
LOOKING = web.AppKey("looking", asyncio.Task[None])
READINESS = web.AppKey("readiness", Readiness)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def serve(state: StateFolder, listen: str, token: str = "", reader: str = "") -> int:
    """Serve the console until told to stop."""
    host, port = host_and_port(listen, "--listen")
    asyncio.run(_serve(console_app(state, host, token, reader), host, port))
    return 0


async def _serve(app: web.Application, host: str, port: int) -> None:
    runner = web.AppRunner(
        app,
        access_log=None,
        shutdown_timeout=SHUTDOWN,
        handler_cancellation=True,
    )
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise OutcomeMonitorsError(
                f"cannot listen on {host}:{port}: {error.strerror or error}; --listen names another place"
            ) from None
        shutdown = LoopShutdown()
        place = f"[{host}]" if ":" in host else host
        sys.stderr.write(f"outcome-monitors: the console is at http://{place}:{runner.addresses[0][1]}/\n")
        sys.stderr.flush()
        await shutdown.ordered()
        app[READINESS].end()
    finally:
        await runner.cleanup()


def console_app(state: StateFolder, host: str, token: str = "", reader: str = "") -> web.Application:
    """Return the console of a folder, or of a fleet's state, as an application, for an address of this host."""
    access = Access(host, token, reader)
    app = web.Application(middlewares=[_guarded], client_max_size=LARGEST_FORM)
    app[ACCESS], app[SITE], app[READINESS] = access, Site(state, access.form), Readiness()
    app.on_response_prepare.append(_with_headers)
    app.on_startup.append(_start)
    # Not only on cleanup: that waits for the feeds that are open.
    app.on_shutdown.append(_end)
    app.add_routes(
        [
            web.get(
                "/",
                _shown(lambda site, asked: site.overview(_number(_word(asked, "before")), _word(asked, "q"))),
            ),
            web.get("/contracts", _shown(lambda site, asked: site.contracts(_word(asked, "q")))),
            web.get("/tool", _shown(lambda site, asked: site.tool(_word(asked, "name")))),
            web.get(EVENT, _shown(lambda site, asked: site.event(int(asked.match_info["number"])))),
            web.get(f"/part{EVENT}", _shown(lambda site, asked: site.body(int(asked.match_info["number"])))),
            web.get("/part/status", _shown(lambda site, _: site.status_part())),
            web.get("/part/alarms", _shown(lambda site, asked: site.alarms(asked=_word(asked, "q")))),
            web.get("/api/status", _status),
            web.get("/metrics", _metrics),
            web.get("/feed", _feed),
            web.get(ALIVE, _probe),
            web.get(READY, _probe),
            web.get("/console.css", _sheet),
            web.get("/console.js", _script),
            web.post("/decide", _decide),
            web.post("/enter", _enter),
        ]
    )
    return app


async def _start(app: web.Application) -> None:
    app[FEED] = await asyncio.to_thread(Feed, app[SITE])
    app[LOOKING] = asyncio.create_task(app[FEED].run())
    app[READINESS].begin()


async def _end(app: web.Application) -> None:
    app[LOOKING].cancel()


async def _with_headers(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)


@web.middleware
async def _guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
    access = request.app[ACCESS]
    if not access.names_us(request.headers):
        return _words(403, "This address is served to local readers alone.")
    if request.method == "POST" and not access.is_own_page(request.headers):
        return _words(403, "This form was sent from another site.")
    if request.path not in OPEN and not access.looks(request.headers, request.cookies):
        return _sign_in()
    try:
        return await handler(request)
    except OutcomeMonitorsError as error:
        return _words(409, str(error), request)
    except web.HTTPException as error:
        return _words(error.status, error.reason, request)
    except Exception:
        # One page that cannot be made must not show its inside, nor end the others.
        log.exception("%s could not be answered", request.path)
        return _words(500, "This page could not be made; the log says why.", request)


def _words(status: int, words: str, request: web.Request | None = None) -> web.Response:
    """Return a sentence: as JSON for the script and for programs, as a page for all else."""
    if request is not None and "application/json" in request.headers.get("Accept", ""):
        return web.json_response({"said": words, "done": status < 400}, status=status)
    return web.Response(
        status=status,
        text=render("console/document.html", title="Console", words=words),
        content_type="text/html",
    )


def _sign_in(trouble: str = "") -> web.Response:
    page = render("console/sign_in.html", title="Token", trouble=trouble)
    return web.Response(status=401, text=page, content_type="text/html")


def _word(request: web.Request, name: str) -> str:
    return request.query.get(name, "")[:LONGEST_WORD]


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= 18 else None


def _page(made: str | None) -> web.Response:
    if made is None:
        raise web.HTTPNotFound(reason="There is no such page.")
    return web.Response(text=made, content_type="text/html")


def _shown(make: Callable[[Site, web.Request], str | None]) -> Handler:
    """Return what answers with a page, or with a part of one, made off the loop."""

    async def answer(request: web.Request) -> web.Response:
        return _page(await asyncio.to_thread(make, request.app[SITE], request))

    return answer


async def _status(request: web.Request) -> web.Response:
    return web.json_response(await asyncio.to_thread(request.app[SITE].status))


async def _metrics(request: web.Request) -> web.Response:
    text = await asyncio.to_thread(request.app[SITE].metrics)
    return web.Response(body=text.encode(), headers={"Content-Type": CONTENT_TYPE})


async def _probe(request: web.Request) -> web.Response:
    status, text = request.app[READINESS].answer(request.path)
    return web.Response(status=status, text=text)


async def _sheet(_: web.Request) -> web.Response:
    return web.Response(text=style() + SHEET, content_type="text/css")


async def _script(_: web.Request) -> web.Response:
    return web.Response(text=SCRIPT, content_type="text/javascript")


async def _decide(request: web.Request) -> web.Response:
    fields = await _fields(request)
    if not request.app[ACCESS].decides(request.headers, request.cookies):
        return _words(403, "Your token is for those who look; it decides nothing.", request)
    if not request.app[ACCESS].has_form(fields.get("form", "")):
        return _words(403, "This page is older than the console; load it anew.", request)
    said = await asyncio.to_thread(_decided, request.app[SITE].state, fields)
    request.app[SITE].forget()
    return _words(200, said, request)


def _decided(state: StateFolder, fields: Mapping[str, str]) -> str:
    """Do what a form asks for, as the commands do, and say what holds now."""
    what, clause, reason = (fields.get(name, "") for name in ("what", "clause", "reason"))
    if what in ("accept", "mute", "reject", "unmute"):
        if not clause:
            raise OutcomeMonitorsError("the form names no clause")
        if what == "unmute":
            return decide.unmute(state, clause)
        if what == "accept":
            return decide.accept(state, clause, reason)
        if what == "reject":
            return decide.reject(state, clause, reason)
        until = fields.get("until", "")
        return decide.mute(state, clause, decide.read_until(until, time.time()) if until else "", reason)
    if what in ("wrong", "missed"):
        number = _number(fields.get("event", ""))
        if number is None:
            raise OutcomeMonitorsError("the form names no event")
        if what == "missed":
            return decide.missed(state, number, reason)
        return decide.wrong(state, number, [clause] if clause else [], reason)
    raise OutcomeMonitorsError("a form asks for one of accept, missed, mute, reject, unmute, wrong")


async def _enter(request: web.Request) -> web.Response:
    access = request.app[ACCESS]
    ticket = access.ticket((await _fields(request)).get("token", ""))
    if ticket is None:
        await asyncio.sleep(GUESS)
        return _sign_in("That is not the token.")
    response = web.Response(status=303, headers={"Location": "/"})
    response.set_cookie(COOKIE, ticket, httponly=True, samesite="Strict", secure=request.secure)
    return response


async def _fields(request: web.Request) -> Mapping[str, str]:
    return {name: value for name, value in (await request.post()).items() if isinstance(value, str)}


async def _feed(request: web.Request) -> web.StreamResponse:
    """Tell a page what happens, from the last alarm on that it has."""
    after = _number(request.headers.get("Last-Event-ID") or request.query.get("after", ""))
    stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    site = request.app[SITE]
    with request.app[FEED].page() as notes, suppress(ConnectionError):
        await stream.prepare(request)
        told = 0 if after is None else await asyncio.to_thread(last_alarm, site.store, after)
        if told:
            await stream.write(_as_event(Note("alarm", told)))
        while True:
            try:
                note = await asyncio.wait_for(notes.get(), BEAT)
            except TimeoutError:
                await stream.write(b": still here\n\n")
                continue
            if note.sort == "end":
                break
            if not note.alarm or note.alarm > told:
                await stream.write(_as_event(note))
    return stream


def _as_event(note: Note) -> bytes:
    """Write a note as a server-sent event; an alarm bears its number, by which the browser asks for the next."""
    if not note.alarm:
        return f"event: {note.sort}\ndata: {{}}\n\n".encode()
    return f"id: {note.alarm}\nevent: alarm\ndata: {json.dumps({'event': note.alarm})}\n\n".encode()
