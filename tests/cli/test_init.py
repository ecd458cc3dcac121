"""`init`: what it finds, what it writes into clients' configurations, and that all of it can be undone."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from outcome_monitors import Registry
from outcome_monitors.mcp.client_config import program
from outcome_monitors.mcp.config_text import parsed
from tests.commandline import Run, Sentence
from tests.places import DOCS, FIXTURES

WRITTEN = """{
  "theme": "dark",
  "mcpServers": {
    "shop": {
      "command": "python",
      "args": [
        "server.py",
        "--data=./data"
      ],
      "env": {"RATE": "1.50"}
    },
    "web": {"type": "http", "url": "https://tools.example/mcp"},
    "bare": {"command": "./bin/serve", "timeout": 1.50}
  },
  "other": 1.0e5
}
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own: the real one is nobody's business."""
    house = tmp_path / "house"
    house.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(house))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return house


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "bin" / "serve").touch()
    (tmp_path / "server.py").touch()
    (tmp_path / ".mcp.json").write_text(WRITTEN, encoding="utf-8")
    return tmp_path


def _servers(file: Path, key: str = "mcpServers"):
    return json.loads(file.read_text(encoding="utf-8"))[key]


def test_without_write_nothing_changes(run: Run, project: Path) -> None:
    before = sorted(project.rglob("*"))
    done = run("init")
    assert done.exit_code == 0, done.output
    assert "shop: would get the proxy" in done.output
    assert "Nothing was written" in done.output
    assert sorted(project.rglob("*")) == before
    assert (project / ".mcp.json").read_text() == WRITTEN


def test_the_proxy_stands_before_the_command_and_all_else_is_as_it_was(run: Run, project: Path) -> None:
    assert run("init", "--write").exit_code == 0
    text = (project / ".mcp.json").read_text()
    before, after = WRITTEN.splitlines(), text.splitlines()
    assert [line for line in before if line not in after] == [
        '      "command": "python",',
        '    "bare": {"command": "./bin/serve", "timeout": 1.50}',
    ]
    shop = _servers(project / ".mcp.json")["shop"]
    assert [*shop] == ["command", "args", "env"]
    assert [shop["command"], *shop["args"]] == [
        *program(),
        "proxy",
        "--learn",
        str(project / ".outcome-monitors" / "shop"),
        "--",
        "python",
        "server.py",
        "--data=./data",
    ]
    bare = _servers(project / ".mcp.json")["bare"]
    assert bare["args"][-1] == "./bin/serve"
    assert '"timeout": 1.50' in text
    assert Path(shop["command"]).is_absolute()


def test_undo_brings_every_byte_back(run: Run, project: Path) -> None:
    run("init", "--write", "--server", "shop")
    run("init", "--write")
    done = run("init", "--undo")
    assert done.exit_code == 0
    assert "without the proxy again: shop, bare" in done.output
    assert (project / ".mcp.json").read_text() == WRITTEN
    assert not [*project.glob(".outcome-monitors/before/*")]


def test_undo_keeps_what_was_changed_since(run: Run, project: Path) -> None:
    run("init", "--write")
    file = project / ".mcp.json"
    document = json.loads(file.read_text())
    document["mcpServers"]["new"] = {"command": "new"}
    document["mcpServers"]["shop"]["args"].append("--loud")
    file.write_text(json.dumps(document))
    run("init", "--undo")
    servers = _servers(file)
    assert servers["new"] == {"command": "new"}
    assert servers["shop"]["command"] == "python"
    assert servers["shop"]["args"][-1] == "--loud"
    assert servers["bare"] == {"command": "./bin/serve", "timeout": 1.5}


def test_every_client_s_file_is_found(run: Run, tmp_path: Path, home: Path) -> None:
    of_project = {
        ".mcp.json": "Claude Code",
        ".cursor/mcp.json": "Cursor",
        ".gemini/settings.json": "Gemini CLI",
    }
    of_user = {".codeium/windsurf/mcp_config.json": "Windsurf", ".claude.json": "Claude Code"}
    for place, names in ((tmp_path, of_project), (home, of_user)):
        for name in names:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text('{"mcpServers": {"a": {"command": "x"}}}')
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "mcp.json").write_text(
        '{"servers": {"a": {"type": "stdio", "command": "x"}}, "inputs": []}'
    )
    alone, together = run("init").output, run("init", "--user").output
    for name, client in {**of_project, ".vscode/mcp.json": "VS Code"}.items():
        assert f"{name} ({client})" in alone
    for name, client in of_user.items():
        assert f"{name} ({client})" not in alone
        assert f"{name} ({client})" in together
    run("init", "--write")
    assert _servers(tmp_path / ".vscode" / "mcp.json", "servers")["a"]["args"][-1] == "x"
    assert _servers(home / ".claude.json")["a"] == {"command": "x"}
    run("init", "--write", "--user")
    assert _servers(home / ".claude.json")["a"]["args"][2].startswith(str(home))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", ":1:1 is no JSON"),
        (b"\xff\xfe", "is not UTF-8"),
        (b'{"mcpServers": []}', "is not servers by name"),
        (b'{"inputs": []}', "names no MCP servers"),
        (b"[" * 100_000, "mcp.json cannot be read"),
        (b'{"mcpServers": {"a": {"command": "x"}} / mine\n}', "mcp.json:1:40 is no JSON"),
    ],
)
def test_what_is_no_configuration_is_one_sentence(
    run: Run, one_sentence: Sentence, tmp_path: Path, data: bytes, told: str
) -> None:
    (tmp_path / "mcp.json").write_bytes(data)
    assert told in one_sentence(run("init", "mcp.json", "--write"))
    assert (tmp_path / "mcp.json").read_bytes() == data


@pytest.mark.skipif(os.name != "posix", reason="links and modes as POSIX has them")
def test_a_link_stays_one_and_a_backup_is_as_private_as_the_file(run: Run, project: Path) -> None:
    real = project / "dotfiles.json"
    (project / ".mcp.json").rename(real)
    real.chmod(0o600)
    (project / ".mcp.json").symlink_to(real)
    done = run("init", "--write")
    assert "a link to dotfiles.json" in done.output
    assert (project / ".mcp.json").is_symlink()
    assert _servers(real)["shop"]["args"][0] == "proxy"
    [backup] = (project / ".outcome-monitors" / "before").iterdir()
    assert backup.stat().st_mode & 0o777 == 0o600
    run("init", "--undo")
    assert (project / ".mcp.json").is_symlink()
    assert real.read_text() == WRITTEN


OTHERS = {
    ".codex/config.toml": """# mine
model = "m"

[mcp_servers.shop]  # the shop
command = "python"  # of this machine
args = [
  "server.py",  # with its data
  "--data=./data",
]

[mcp_servers.shop.env]
RATE = "1.50"

[mcp_servers.bare]
command = "serve"
""",
    ".zed/settings.json": """{
  // how it looks
  "theme": "One Dark",
  "context_servers": {
    "shop": {"source": "custom", "command": "python", "args": ["server.py" /* here */], "env": {}},
    "bare": {"command": "serve",},
  },
}
""",
    "opencode.json": """{
  "mcp": {
    "shop": {"type": "local", "command": ["python", "server.py"], "enabled": true}, // ours
    "bare": {"type": "local", "command": ["serve"]}
  }
}
""",
}


@pytest.mark.parametrize("name", OTHERS)
def test_comments_stay_and_so_does_every_other_byte(run: Run, tmp_path: Path, name: str) -> None:
    file, text = tmp_path / name, OTHERS[name]
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    assert run("init", "--write").exit_code == 0
    written = file.read_text()
    for comment in re.findall(r"(?:#|//) .*|/\* .* \*/", text):
        assert comment in written
    lines = [line for line in text.splitlines() if line not in written.splitlines()]
    assert all("command" in line for line in lines), lines
    document = tomllib.loads(written) if name.endswith(".toml") else parsed(written, toml=False)
    [key] = {"mcp", "context_servers", "mcp_servers"} & {*document}
    for server, behind in (("shop", "python"), ("bare", "serve")):
        entry = document[key][server]
        words = entry["command"] if key == "mcp" else [entry["command"], *entry["args"]]
        learned = str(tmp_path / ".outcome-monitors" / server)
        assert words[: len(program()) + 5] == [*program(), "proxy", "--learn", learned, "--", behind]
    assert "has the proxy already, which learns in .outcome-monitors/shop" in run("init").output
    assert run("init", "--undo").exit_code == 0
    assert file.read_text() == text


def test_what_claude_code_keeps_of_the_project_by_default_is_found(
    run: Run, tmp_path: Path, home: Path
) -> None:
    own = {"mcpServers": {"shop": {"type": "stdio", "command": "python", "args": ["server.py"], "env": {}}}}
    elsewhere = {"mcpServers": {"other": {"command": "x"}}}
    document = {"numStartups": 3, "projects": {str(tmp_path): own, "/elsewhere": elsewhere}}
    (home / ".claude.json").write_text(text := json.dumps(document, indent=2))
    assert "shop: has the proxy now" in run("init", "--write").output
    after = json.loads((home / ".claude.json").read_text())
    shop = after["projects"][str(tmp_path)]["mcpServers"]["shop"]
    assert shop["args"][-2:] == ["python", "server.py"]
    assert Path(shop["args"][2]).is_absolute()
    assert after["projects"]["/elsewhere"] == elsewhere
    run("init", "--undo")
    assert (home / ".claude.json").read_text() == text


def test_a_file_that_a_team_shares_names_no_path_of_this_machine(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    entry = {"command": "python", "args": ["server.py"]}
    for name, key in ((".mcp.json", "mcpServers"), (".vscode/mcp.json", "servers")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps({key: {"shop": entry}}))
    done = run("init", "--write")
    assert "it calls outcome-monitors by name" in done.output
    words = ["proxy", "--learn", ".outcome-monitors/shop", "--", "python", "server.py"]
    assert _servers(tmp_path / ".mcp.json")["shop"] == {"command": "outcome-monitors", "args": words}
    words[2] = "${workspaceFolder}/.outcome-monitors/shop"
    assert _servers(tmp_path / ".vscode" / "mcp.json", "servers")["shop"]["args"] == words
    ignored = (tmp_path / ".outcome-monitors" / ".gitignore").read_text()
    assert ignored == "*\n"
    assert len([*tmp_path.glob(".outcome-monitors/before/*")]) == 2
    assert {path.name for path in tmp_path.iterdir()} == {
        ".git",
        ".mcp.json",
        ".vscode",
        ".outcome-monitors",
        "house",
    }
    assert "which learns in .outcome-monitors/shop" in run("init").output


def test_two_servers_of_one_name_have_two_folders_and_one_server_of_two_clients_has_one(
    run: Run, tmp_path: Path, home: Path
) -> None:
    commands = {".cursor/mcp.json": "one", ".codeium/windsurf/mcp_config.json": "other", _GEMINI: "one"}
    for name, command in commands.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(json.dumps({"mcpServers": {"github": {"command": command}}}))
    for _ in range(2):
        run("init", "--user", "--write")
    root = home / ".local" / "state" / "outcome-monitors" / "servers"
    folders = {name: _servers(home / name)["github"]["args"][2] for name in commands}
    assert folders == {
        ".cursor/mcp.json": str(root / "github"),
        ".codeium/windsurf/mcp_config.json": str(root / "github-2"),
        _GEMINI: str(root / "github"),
    }
    for folder in (home / ".local", root.parent, root, root / "github-2"):
        assert folder.stat().st_mode & 0o777 == 0o700


_GEMINI = ".gemini/settings.json"


def test_the_server_answers_through_what_was_written(run: Run, tmp_path: Path) -> None:
    """The command of the configuration, started where a client would, serves; then `status` has something to say."""
    for name in ("server.py", "ask.jsonl"):
        (tmp_path / name).write_bytes((DOCS / "examples" / name).read_bytes())
    entry = {"command": sys.executable, "args": ["server.py"]}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"shop": entry}}))
    run("init", "--write")
    shop = _servers(tmp_path / ".mcp.json")["shop"]
    asked = (tmp_path / "ask.jsonl").read_bytes()
    done = subprocess.run(
        [shop["command"], *shop["args"]], input=asked, capture_output=True, cwd=tmp_path, check=True
    )
    assert len(done.stdout.splitlines()) == len(asked.splitlines())
    assert run("status", ".outcome-monitors/shop").output.startswith(
        ".outcome-monitors/shop: 1 tool: 1 observing\n"
    )


def logged(house: Path, project: Path, sessions: int = 30) -> None:
    """Write session logs of Claude Code as it does: two calls of a tool in each."""
    recorded = (FIXTURES / "imports" / "claude_code.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in recorded]
    session = rows[0]["sessionId"]
    named = re.sub(r"[^A-Za-z0-9]", "-", str(project))
    folder = house / ".claude" / "projects" / named
    folder.mkdir(parents=True)
    for number in range(sessions):
        name = f"00000000-0000-0000-0000-{number:012}"
        text = "\n".join(
            line for line, row in zip(recorded, rows, strict=True) if row["sessionId"] == session
        )
        (folder / f"{name}.jsonl").write_text(
            text.replace(session, name).replace("W17", f"W{number:03}").replace("62.5", f"{number * 7 + 1}.5")
        )


def test_from_the_logs_of_a_coding_agent_the_first_conversation_has_contracts(
    run: Run, tmp_path: Path, home: Path
) -> None:
    for name in ("server.py", "ask.jsonl"):
        (tmp_path / name).write_bytes((DOCS / "examples" / name).read_bytes())
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"shop": {"command": "python3", "args": []}}}')
    logged(home, tmp_path)
    assert "30 sessions of Claude Code and Codex here can be learned from" in run("init").output
    done = run("init", "--write", "--from", "auto")
    assert "alerts from the first conversation on by" in done.output
    assert "from 30 sessions" in done.output
    learned = tmp_path / ".outcome-monitors" / "shop" / "history.json"
    assert Registry.load(learned).contracts.keys() == {"find_orders", "get_order"}
    assert (tmp_path / ".outcome-monitors").stat().st_mode & 0o777 == 0o700


def test_a_hook_is_written_with_what_was_learned_and_taken_away_again(
    run: Run, tmp_path: Path, home: Path
) -> None:
    logged(home, tmp_path)
    settings = tmp_path / ".claude" / "settings.local.json"
    settings.parent.mkdir()
    others = {"matcher": "Edit", "hooks": []}
    before = {"model": "m", "hooks": {"PostToolUse": [others]}}
    settings.write_text(json.dumps(before))
    assert "--write does it" in run("init", "--hook", "--from", "auto").output
    assert json.loads(settings.read_text()) == before
    for _ in range(2):
        assert run("init", "--hook", "--from", "auto", "--write").exit_code == 0
    kept, ours = json.loads(settings.read_text())["hooks"]["PostToolUse"]
    assert kept == others
    command = ours["hooks"][0]["command"]
    wrong = {"order_id": "W017", "status": "sent", "total": "many"}
    event = {
        "hook_event_name": "PostToolUse",
        "cwd": str(tmp_path),
        "tool_name": "mcp__shop__get_order",
        "tool_input": {"order_id": "W017"},
        "tool_response": json.dumps(wrong),
    }
    said = subprocess.run(
        command, shell=True, input=json.dumps(event), capture_output=True, text=True, check=True
    )
    assert "total" in json.loads(said.stdout)["hookSpecificOutput"]["additionalContext"]
    assert "without the hook again" in run("init", "--undo").output
    assert json.loads(settings.read_text()) == before


def test_traces_and_exports_are_learned_from_alike(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"shop": {"command": "python3", "args": []}}}')
    (tmp_path / "logs").mkdir()
    for name in ("traces.jsonl", "spans.jsonl"):
        (tmp_path / "logs" / name).write_bytes((DOCS / "examples" / name).read_bytes())
    assert "alerts from the first conversation on by" in run("init", "--from", "logs").output


def test_what_is_not_there_to_learn_from_is_said(run: Run, one_sentence: Sentence, project: Path) -> None:
    done = run("init", "--from", "auto")
    assert "keep no session log" in done.stderr
    assert "nothing could be learned of it" in done.output
    assert "no file or folder" in one_sentence(run("init", "--from", "nowhere"))
