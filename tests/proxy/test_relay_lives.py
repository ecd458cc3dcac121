"""The relay never dies: whatever a piece is, and whatever a look at it does, its bytes go on, and the trouble is counted."""

import asyncio
import os
import subprocess
import sys
from contextlib import suppress

import pytest

pytest.importorskip("aiohttp")

from aiohttp import web

from outcome_monitors.proxy.context import OverBudget
from outcome_monitors.proxy.framing import Piece
from tests.events.shop import contracts
from tests.proxy.http_parts import proxied
from tests.proxy.wire import PATIENCE, SERVER, SERVES, TOLD, Proxy, call, desk, line

ODD_IDS = [
    b'{"id":007, "result": 1}',
    b'{"id":-, "result": 1}',
    b'{"id":"\\q", "result": 1}',
    b'{"id":"\\u12", "result": 1}',
    b'{"id":"a\tb", "result": 1}',
    b'{"id":"\xff", "result": 1}',
    b'{"id":' + b"9" * 5000 + b"}",
    b'INFO {"request": {"id": 0042, "x": 1}}',
]
HTML = b"""<script>x={"id":"it\\'s"}</script>"""


def test_lines_too_large_with_odd_ids_are_passed_on_and_the_next_is_looked_at(tmp_path):
    said = b"".join(odd + b" " * 6000 + b"\n" for odd in ODD_IDS)
    program = f"""
message = next(requests())
sys.stdout.buffer.write({said!r}); sys.stdout.flush()
say(answer(message))
"""
    with Proxy(tmp_path, program, "--largest", "2000") as proxy:
        proxy.say(call(1, id="W1", total=-1.0))
        status, out, _ = proxy.end()
    assert status == 0
    assert out.startswith(said)
    assert TOLD.encode() in out[len(said) :]
    assert proxy.outcomes == ["flagged"]


@pytest.mark.parametrize("odd", [*ODD_IDS, HTML])
@pytest.mark.parametrize("kind", ["text/html", "text/event-stream", "application/json"])
def test_over_http_an_answer_with_an_odd_id_is_passed_on(odd, kind):
    said = odd + b"\n\n"

    async def handle(request):
        await request.read()
        return web.Response(body=said, headers={"Content-Type": kind})

    async def test():
        at = desk()
        at.limit.largest = 20
        async with proxied(handle, at) as (client, _, address):
            for number in range(3):
                async with client.post(f"{address}/mcp", data=line(call(number))) as found:
                    assert (found.status, await found.read()) == (200, said)

    asyncio.run(asyncio.wait_for(test(), PATIENCE))


@pytest.mark.parametrize("error", [RuntimeError, MemoryError, RecursionError, OverBudget])
@pytest.mark.parametrize("piece", [Piece(b"{}\n", whole=True), Piece(b"{", whole=False, head=True)])
def test_whatever_a_look_raises_the_bytes_go_on_and_the_trouble_is_counted(error, piece):
    def wrong(_data: bytes) -> None:
        raise error

    at = desk()
    assert at.inspect(piece, wrong, wrong) == piece.data
    assert at.troubles == 1


def test_a_watch_that_goes_wrong_costs_the_receipt_alone(tmp_path):
    """A tool whose check cannot even be begun: the answer is passed on, counted, and said in the log at the end."""
    program = "for message in requests(): say(answer(message))\n"
    broken = "import outcome_monitors.proxy.context as d\nd.ProxyContext.check = lambda *a, **b: 1 / 0\n"
    (tmp_path / "sitecustomize.py").write_text(broken)
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{before}"
    try:
        with Proxy(tmp_path, program) as proxy:
            proxy.say(*(call(number, id="W1", total=-1.0) for number in range(5)))
            said = [proxy.hear() for _ in range(5)]
            status, rest, log = proxy.end()
    finally:
        os.environ["PYTHONPATH"] = before
    assert [one["id"] for one in said] == list(range(5))
    assert (status, rest) == (0, b"")
    assert log.count("ZeroDivisionError: ") == 1, "a flood of trouble is no flood of the log"
    assert "5 messages not looked at" in log


@pytest.mark.skipif(os.name != "posix", reason="pipes that do not block as POSIX has them")
def test_standard_input_and_output_may_be_pipes_that_do_not_block(tmp_path):
    """Nothing is there at first, and then much more than a pipe holds; an end that is slow to read is waited for."""
    program = (
        SERVER + "import os\nfor message in requests(): say({**answer(message), 'pad': 'x' * 300_000})\n"
    )
    (tmp_path / "server.py").write_text(program)
    contracts().save(tmp_path / "contracts.json")
    command = [sys.executable, "-m", "outcome_monitors", "proxy", "--contracts"]
    command += [str(tmp_path / "contracts.json"), "--events", "none", "--", sys.executable]
    (ours_in, theirs_in), (theirs_out, ours_out) = os.pipe()[::-1], os.pipe()[::-1]
    os.set_blocking(theirs_in, False)
    os.set_blocking(theirs_out, False)
    process = subprocess.Popen([*command, str(tmp_path / "server.py")], stdin=theirs_in, stdout=theirs_out)
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        heard = b""
        for number in range(4):
            os.write(ours_in, line(call(number)))
            while heard.count(b"\n") <= number and (part := os.read(ours_out, 2**16)):
                heard += part
        os.close(ours_in)
        while part := os.read(ours_out, 2**16):
            heard += part
    finally:
        with suppress(OSError):
            os.close(ours_in)
        os.close(ours_out)
        process.wait(PATIENCE)
    assert process.returncode == 0
    assert [text.count(b"x") >= 300_000 for text in heard.splitlines()] == [True] * 4


def test_one_that_has_no_standard_input_serves_what_the_server_says(tmp_path):
    if os.name != "posix":
        pytest.skip("closing a descriptor as a POSIX shell does")
    (tmp_path / "server.py").write_text(SERVER + "say({'method': 'bye'})\n" + SERVES)
    contracts().save(tmp_path / "contracts.json")
    proxy = f"{sys.executable} -m outcome_monitors proxy --contracts {tmp_path}/contracts.json --events none"
    done = subprocess.run(
        ["sh", "-c", f"{proxy} -- {sys.executable} {tmp_path}/server.py <&-"],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, line({"method": "bye"}))
