"""The proxy over HTTP: what it refuses, it refuses in a sentence."""

import subprocess
import sys

COMMAND = ["-m", "outcome_monitors", "proxy", "--upstream", "none", "--listen", ":0", "--contracts"]

done = subprocess.run([sys.executable, *COMMAND, sys.argv[1]], capture_output=True, text=True, check=False)
assert "is not an address" in done.stderr, done.stderr
