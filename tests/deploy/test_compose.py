"""The compose file is one, its commands are ours, and what it starts serves."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from uuid import uuid4

import pytest
import yaml

from tests.deploy.given import DEPLOY, assert_are_read, assert_is_ours, compose, option, ran, tool
from tests.mcp.wire import PATIENCE, call
from tests.places import ROOT

SERVICES = compose()["services"]
OURS = {name: each for name, each in SERVICES.items() if "build" in each}
SECRETS = {
    "OUTCOME_MONITORS_TOKEN": "0123456789abcdef",
    "OUTCOME_MONITORS_STATUS_TOKEN": "123456789abcdef0",
    "OUTCOME_MONITORS_CONSOLE_TOKEN": "23456789abcdef01",
    "GRAFANA_PASSWORD": "3456789abcdef012",
    "POSTGRES_PASSWORD": "secret",
    "OWNER_PASSWORD": "first",
    "PROXY_PASSWORD": "second",
    "LEARNER_PASSWORD": "third",
    "CONSOLE_PASSWORD": "fourth",
}


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("compose-spec", [DEPLOY / "compose.yaml"]),
        ("github-workflows", sorted((ROOT / ".github" / "workflows").glob("*.yml"))),
        ("github-actions", [ROOT / "action.yml"]),
    ],
)
def test_the_published_schemas_take_the_files(schema, files):
    pytest.importorskip("check_jsonschema", reason="has the schemas: pip install --group package")
    command = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", [name for name in OURS if name != "shop"])
def test_commands_and_variables_are_ours(name):
    command = OURS[name]["command"]
    for each in [line.split()[1:] for line in command[0].splitlines()] if name == "setup" else [command]:
        assert_is_ours(each)
    assert_are_read(OURS[name]["environment"])


@pytest.mark.parametrize("name", OURS)
def test_nothing_is_writable_but_the_state(name):
    service = OURS[name]
    assert service["read_only"]
    assert service["tmpfs"] == ["/tmp"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "user" not in service, "the image's own is not root"
    written = [place for place in service["volumes"] if not place.endswith(":ro")]
    assert [place.partition(":")[2] for place in written] == ([] if name == "shop" else ["/state"])


def test_no_secret_stands_in_a_file():
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    assert all(
        value.startswith("${") for value in re.findall(r"(?:PASSWORD|TOKEN): (\S+)$", text, re.MULTILINE)
    )
    assert not re.search(r"postgresql://[^@/]*:[^@/]*@", text)


def test_agents_deciders_prometheus_and_grafana_each_have_a_secret_of_their_own():
    names = {
        SERVICES["proxy"]["environment"]["OUTCOME_MONITORS_TOKEN"],
        SERVICES["console"]["environment"]["OUTCOME_MONITORS_TOKEN"],
        SERVICES["grafana"]["environment"]["GF_SECURITY_ADMIN_PASSWORD"],
        f"${{{compose()['secrets']['token']['environment']}",
    }
    assert len({name.partition(":")[0] for name in names}) == 4
    assert "OUTCOME_MONITORS_TOKEN" not in SERVICES["learner"]["environment"]


def test_prometheus_asks_where_the_status_is_with_the_token():
    [job] = yaml.safe_load((DEPLOY / "prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"]
    port = option(OURS["proxy"]["command"], "--status").rpartition(":")[2]
    assert job["static_configs"] == [{"targets": [f"proxy:{port}"]}]
    [secret] = SERVICES["prometheus"]["secrets"]
    assert job["authorization"]["credentials_file"] == f"/run/secrets/{secret}"
    assert compose()["secrets"][secret]["environment"] == "OUTCOME_MONITORS_STATUS_TOKEN"


def test_each_part_has_the_least_role_of_the_database_and_none_is_its_superuser():
    roles = {
        name: each["environment"]["PGUSER"]
        for name, each in OURS.items()
        if "PGUSER" in each.get("environment", ())
    }
    assert roles == {
        "setup": "outcome_monitors",
        "proxy": "monitors_proxy",
        "learner": "monitors_learner",
        "console": "monitors_console",
    }
    passwords = {OURS[name]["environment"]["PGPASSWORD"] for name in roles}
    assert len(passwords) == len(roles)
    assert not any("POSTGRES_PASSWORD" in password for password in passwords)


def test_the_roles_of_the_file_can_do_their_work_and_no_more(postgres_server, monkeypatch, tmp_path):
    """The very SQL, and the very grants, on a database of its own."""
    psycopg = pytest.importorskip("psycopg")
    psql = tool("psql", "apt install postgresql-client")
    monkeypatch.setenv("OUTCOME_MONITORS_CACHE", str(tmp_path))
    mark = f"t{uuid4().hex[:8]}_"
    text = re.sub(r"\b(outcome_monitors|monitors_\w+)\b", rf"{mark}\1", (DEPLOY / "roles.sql").read_text())
    file = tmp_path / "roles.sql"
    file.write_text(text)
    ran(psql, postgres_server, "-v", "ON_ERROR_STOP=1", "-f", file, **SECRETS)
    base = re.sub(r"//[^@/]*@", "//localhost", postgres_server).replace(
        "/postgres", f"/{mark}outcome_monitors", 1
    )
    run = [sys.executable, "-m", "outcome_monitors"]
    for line in OURS["setup"]["command"][0].splitlines():
        _, *command = line.replace("postgresql://database/outcome_monitors", base).split()
        command = [
            part.replace("monitors_", f"{mark}monitors_") if "//" not in part else part for part in command
        ]
        ran(*run, *command, PGUSER=f"{mark}outcome_monitors", PGPASSWORD="first")

    def tries(part, statement):
        with psycopg.connect(base, user=f"{mark}monitors_{part}") as connection:
            schema = connection.execute(
                "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'outcome_monitors%'"
            ).fetchone()[0]
            try:
                connection.execute(f'SET search_path = "{schema}"')
                connection.execute(statement)
            except psycopg.errors.InsufficientPrivilege:
                return False
            finally:
                connection.rollback()
            return True

    new = "INSERT INTO documents (name, version, body) VALUES ('overrides.json', 1, '{}')"
    deletes = "DELETE FROM events"
    contracts = "DELETE FROM versions"
    assert [tries(part, new) for part in ("proxy", "learner", "console")] == [False, True, True]
    assert [tries(part, deletes) for part in ("proxy", "learner", "console")] == [False, True, False]
    assert [tries(part, contracts) for part in ("proxy", "learner", "console")] == [False, True, False]
    assert not any(tries(part, "CREATE TABLE x ()") for part in ("proxy", "learner", "console"))
    for part in ("proxy", "learner", "console"):
        with psycopg.connect(base, user=f"{mark}monitors_{part}") as connection:
            assert connection.execute(
                "SELECT rolsuper OR rolcreaterole OR rolcreatedb FROM pg_roles WHERE rolname = current_user"
            ).fetchone() == (False,)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@contextmanager
def running(command, **variables):
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, **variables})
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


def query(address, body=None, **headers):
    """Ask, and ask again until someone answers."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json", **headers})
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError:
            raise
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.02)


def test_the_proxy_of_the_file_serves_the_example(tmp_path):
    """As it stands there, on addresses of this machine and with a folder in place of the database."""
    pytest.importorskip("aiohttp")
    shop, listen, status = free_port(), free_port(), free_port()
    places = {
        option(OURS["proxy"]["command"], "--learn"): str(tmp_path),
        "shop:8000": f"127.0.0.1:{shop}",
        "0.0.0.0:9000": f"127.0.0.1:{listen}",
        "0.0.0.0:9464": f"127.0.0.1:{status}",
    }
    command = " ".join(OURS["proxy"]["command"])
    for place, here in places.items():
        assert place in command
        command = command.replace(place, here)
    server = [sys.executable, str(DEPLOY / "example" / "server.py"), f"127.0.0.1:{shop}"]
    token = {"Authorization": f"Bearer {SECRETS['OUTCOME_MONITORS_TOKEN']}"}
    with running(server), running([sys.executable, "-m", "outcome_monitors", *command.split()], **SECRETS):
        assert query(f"http://127.0.0.1:{status}/healthz") == "alive\n"
        found = query(f"http://127.0.0.1:{listen}/mcp", call(1, order_id="W7"), **token)
        assert json.loads(found)["result"]["structuredContent"]["total"] == 17.0
        assert query(f"http://127.0.0.1:{status}/readyz") == "ready\n"
        assert "get_order" in query(f"http://127.0.0.1:{status}/metrics")
        with pytest.raises(urllib.error.HTTPError, match="401"):
            query(f"http://127.0.0.1:{listen}/mcp", call(2, order_id="W7"))
