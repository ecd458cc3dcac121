"""What the tests of the net share: commands as processes, and results held against what is on record."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
DATA = HERE / "data"
BASELINE = HERE / "baseline"
WRITE = os.environ.get("OUTCOME_MONITORS_GOLDEN") == "write"
ALL = os.environ.get("OUTCOME_MONITORS_NET") == "all"

Json = Any


def run(
    *arguments: object, cwd: Path, status: int | None = 0, stdin: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command of `outcome-monitors` in a folder, and expect its exit status."""
    done = subprocess.run(
        [sys.executable, "-m", "outcome_monitors", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=1200,
        env=environment(cwd),
    )
    if status is not None:
        assert done.returncode == status, (done.returncode, done.stderr.decode(errors="replace")[-2000:])
    return done


class Talk:
    """A process that is asked a line at a time, as an MCP client does: what it hears next depends on what it has heard."""

    def __init__(self, *command: object, cwd: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *map(str, command)],
            cwd=cwd,
            env=environment(cwd),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def ask(self, said: bytes) -> list[bytes]:
        """Say these lines; return what `data/server.py` answers to the requests among them, two lines each."""
        asked, heard = self.process.stdin, self.process.stdout
        assert asked is not None
        assert heard is not None
        found = []
        for line in said.splitlines(keepends=True):
            asked.write(line)
            asked.flush()
            found += [heard.readline(), heard.readline()] if b'"id"' in line else []
        return found

    def end(self) -> list[bytes]:
        """Say no more; return what is still heard, and expect that it went well."""
        rest, log = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, log.decode(errors="replace")[-2000:]
        return rest.splitlines(keepends=True)


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a process: nothing of who runs the tests decides what it prints or where it writes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OUTCOME_MONITORS")}
    return kept | {
        "HOME": str(home),
        "COLUMNS": "100",
        "PYTHONWARNINGS": "ignore",
        "NO_COLOR": "1",
        "TZ": "UTC",
    }


def shared(relative: str) -> Path:
    """Return the path of shared measurement data, or skip the test."""
    for place in (os.environ.get("OUTCOME_MONITORS_SHARED", ""), HERE.parents[2] / "shared"):
        if place and (path := Path(place) / relative).exists():
            return path
    pytest.skip(f"{relative} is not here (set OUTCOME_MONITORS_SHARED to the folder of the shared data)")


def lines(data: bytes) -> list[Json]:
    """Return the objects on the lines that a command wrote."""
    return [json.loads(line) for line in data.splitlines()]


# Results on record


def same_text(name: str, text: str) -> None:
    """Compare text with `baseline/<name>`, byte for byte."""
    path = BASELINE / name
    if WRITE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    on_record = path.read_bytes().decode()
    assert text == on_record, f"baseline/{name} differs: tests/net/README.md says how to read it"


def same_json(name: str, value: Json) -> None:
    """Compare a value with `baseline/<name>`; the order of keys counts."""
    same_text(name, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


# What is in a contract file


def summary(text: str) -> dict[str, dict[str, str]]:
    """Return for each tool and kind the number of clauses, and the sum of their hashes, which knows no order."""
    document = json.loads(text)
    held = {tool: contract["clauses"] for tool, contract in document["tools"].items()}
    # What holds beyond single tools stands in a list by fields, which are part of what is hashed.
    for shape in document.get("shapes", ()):
        held.setdefault("(shapes)", []).extend(
            {**clause, "fields": shape["fields"]} for clause in shape["clauses"]
        )
    found = {}
    for tool, clauses in held.items():
        counts: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for clause in clauses:
            body = json.dumps({**clause, "kind": ""}, sort_keys=True)
            number, total = counts[clause["kind"]]
            worth = int.from_bytes(sha256(body.encode()).digest()[:5], "big")
            counts[clause["kind"]] = (number + 1, (total + worth) % 2**40)
        found[tool] = {kind: f"{number} {total:010x}" for kind, (number, total) in sorted(counts.items())}
    return found


def same_contracts(name: str, text: str) -> None:
    """Compare a contract file with `baseline/contracts/<name>.json`: its clauses first, then its bytes."""
    path = BASELINE / "contracts" / f"{name}.json"
    now: dict[str, Any] = {
        "sha256": sha256(text.encode()).hexdigest(),
        "bytes": len(text.encode()),
        "tools": summary(text),
    }
    if WRITE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_a_tool_a_line(now), encoding="utf-8")
    on_record = json.loads(path.read_text(encoding="utf-8"))
    found = differences(on_record["tools"], now["tools"])
    assert not found, f"{name}: {len(found)} differences in what is in the contracts:\n" + "\n".join(
        found[:40]
    )
    assert now["sha256"] == on_record["sha256"], f"{name}: the same clauses, written in another way"


def differences(before: dict[str, dict[str, str]], after: dict[str, dict[str, str]]) -> list[str]:
    """Say by tool and kind what was lost, what came, and what says something else in the same number of clauses."""
    return [
        f"  {tool} / {kind}: {was} -> {now}"
        for tool in sorted({*before, *after})
        for kind in sorted({*before.get(tool, {}), *after.get(tool, {})})
        if (was := before.get(tool, {}).get(kind, "none")) != (now := after.get(tool, {}).get(kind, "none"))
    ]


def _a_tool_a_line(found: dict[str, Any]) -> str:
    tools = ",\n".join(f"  {json.dumps(tool)}: {json.dumps(kinds)}" for tool, kinds in found["tools"].items())
    return f'{{"sha256": "{found["sha256"]}", "bytes": {found["bytes"]}, "tools": {{\n{tools}}}}}\n'
