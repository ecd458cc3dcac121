"""`init`: what it finds, what it writes into clients' configurations, and that all of it can be undone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from outcome_monitors.mcp.client_config import program
from tests.commandline import Run, Sentence
from tests.places import DOCS

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
        '        "server.py",',
        '        "--data=./data"',
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
        str(project / "server.py"),
        f"--data={project / 'data'}",
    ]
    bare = _servers(project / ".mcp.json")["bare"]
    assert bare["args"][-1] == str(project / "bin" / "serve")
    assert '"timeout": 1.50' in text
    assert Path(shop["command"]).is_absolute()


def test_undo_brings_every_byte_back(run: Run, project: Path) -> None:
    run("init", "--write", "--server", "shop")
    run("init", "--write")
    done = run("init", "--undo")
    assert done.exit_code == 0
    assert "without the proxy again: shop, bare" in done.output
    assert (project / ".mcp.json").read_text() == WRITTEN
    assert not [*project.glob("*before-outcome-monitors")]


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
        (b"[" * 100_000, "is no JSON that can be read"),
        (b'{"mcpServers": {"a": {"command": "x"}} // mine\n}', "comments or trailing commas"),
        (b'{"mcpServers": {"a": {"command": "x",}}}', "comments or trailing commas"),
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
    assert (project / ".mcp.json.before-outcome-monitors").stat().st_mode & 0o777 == 0o600
    run("init", "--undo")
    assert (project / ".mcp.json").is_symlink()
    assert real.read_text() == WRITTEN


def test_the_server_answers_through_what_was_written(run: Run, tmp_path: Path) -> None:
    """The command of the configuration, started elsewhere as a client would, serves; then `status` has something to say."""
    for name in ("server.py", "ask.jsonl"):
        (tmp_path / name).write_bytes((DOCS / "examples" / name).read_bytes())
    entry = {"command": sys.executable, "args": ["server.py"]}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"shop": entry}}))
    run("init", "--write")
    shop = _servers(tmp_path / ".mcp.json")["shop"]
    asked = (tmp_path / "ask.jsonl").read_bytes()
    done = subprocess.run(
        [shop["command"], *shop["args"]], input=asked, capture_output=True, cwd="/", check=True
    )
    assert len(done.stdout.splitlines()) == len(asked.splitlines())
    assert run("status", ".outcome-monitors/shop").output.startswith(
        ".outcome-monitors/shop: 1 tool: 1 observing\n"
    )
