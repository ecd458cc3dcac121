"""The console: it serves its page on an empty folder, and ends when it is told to."""

import subprocess
import sys
import tempfile
from urllib.request import urlopen

COMMAND = ["-m", "outcome_monitors", "console", "--listen", "127.0.0.1:0"]

with (
    tempfile.TemporaryDirectory() as folder,
    subprocess.Popen([sys.executable, *COMMAND, folder], stderr=subprocess.PIPE, text=True) as console,
):
    assert console.stderr is not None
    try:
        with urlopen(console.stderr.readline().split()[-1], timeout=60) as page:  # noqa: S310 - what the console says
            assert b"Nothing was seen here yet" in page.read()
    finally:
        console.terminate()
