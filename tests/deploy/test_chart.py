"""The chart takes what it should and refuses the rest; what it makes is safe, whole, and starts commands of ours."""

import json
import re
import tomllib
from typing import Any

import jsonschema_rs
import pytest
import yaml

from tests.deploy.given import CHART, DSN, assert_are_read, assert_is_ours, ran, tool
from tests.pages import keep
from tests.places import GOLDEN, PROJECT

VALUES = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
TOKEN = "0123456789abcdef"
TOKENS = {"token": TOKEN, "statusToken": "123456789abcdef0"}
OF_A_FLEET = {**TOKENS, "consoleToken": "23456789abcdef01"}
PASSWORDS = {"owner": "first", "proxy": "second", "learner": "third", "console": "fourth"}
FORMS: dict[str, dict[str, Any]] = {
    "gateway": {"proxy": {"upstream": "http://shop:8000/mcp"}, "secret": TOKENS},
    "sidecar": {
        "form": "sidecar",
        "server": {"image": "shop:1.2", "args": ["--port=8000"], "env": [{"name": "SHOP", "value": "1"}]},
        "secret": OF_A_FLEET,
        "labels": {"environment": "production", "agent": "support"},
        "proxy": {"contracts": "{}", "mode": "shadow", "extraArgs": ["--private=customer.email"]},
        "database": {"enabled": True, "dsn": DSN, "passwords": PASSWORDS},
        "networkPolicy": {
            "enabled": True,
            "prometheus": [{"namespaceSelector": {"matchLabels": {"name": "monitoring"}}}],
            "egress": [{"podSelector": {}}],
        },
        "imagePullSecrets": [{"name": "registry"}],
        "nodeSelector": {"disk": "ssd"},
    },
    "existing": {
        "proxy": {"upstream": "https://shop.example/mcp", "replicas": 1},
        "secret": {"existing": "monitors"},
        "database": {"enabled": True},
        "console": {"enabled": False},
    },
}
"""Values by the name of the golden file of what they make."""
EVERY = pytest.mark.parametrize("name", FORMS)


def helm(*arguments, **values):
    program = tool("helm", "make deploy brings it")
    return ran(
        program, *arguments, *(f"--set-json={key}={json.dumps(value)}" for key, value in values.items())
    )


def documents(name):
    text = (GOLDEN / "helm" / f"{name}.yaml").read_text(encoding="utf-8")
    return [each for each in yaml.safe_load_all(text) if each]


def of_kind(name, kind):
    return [each for each in documents(name) if each["kind"] == kind]


def pods(name):
    return [each["spec"]["template"] for each in (*of_kind(name, "Deployment"), *of_kind(name, "Job"))]


def containers(name):
    return [each for pod in pods(name) for each in pod["spec"]["containers"]]


@EVERY
def test_it_makes_what_the_golden_file_holds(name):
    text = helm("template", "shop", CHART, "--namespace=agents", **FORMS[name])
    keep(GOLDEN / "helm" / f"{name}.yaml", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE))


def test_its_version_is_the_packages():
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    assert (chart["version"], chart["appVersion"]) == (project["version"],) * 2


@EVERY
def test_helm_lint_has_nothing_to_say(name):
    assert "0 chart(s) failed" in helm("lint", CHART, "--strict", **FORMS[name])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"secret": TOKENS}, "proxy.upstream is where the server is"),
        ({"proxy": {"upstream": "http://shop/mcp"}}, "secret.token is what clients must know"),
        (
            {"proxy": {"upstream": "http://shop/mcp"}, "secret": {"token": TOKEN}},
            "secret.statusToken is what Prometheus must know",
        ),
        (
            {"proxy": {"upstream": "http://shop/mcp"}, "secret": {"token": TOKEN, "consoleToken": TOKEN}},
            "secret.token is known to every agent: the other tokens must differ from it",
        ),
        ({"form": "sidecar", "secret": TOKENS}, "server.image is the image of your server"),
        (
            {**FORMS["gateway"], "database": {"enabled": True}},
            "secret.consoleToken is what those who decide must know",
        ),
        (
            {**FORMS["gateway"], "secret": OF_A_FLEET, "database": {"enabled": True}},
            "database.dsn is where the fleet's state is",
        ),
        (
            {**FORMS["gateway"], "secret": OF_A_FLEET, "database": {"enabled": True, "dsn": DSN}},
            "database.passwords.console is the password of the role monitors_console",
        ),
    ],
)
def test_what_is_missing_is_one_sentence(values, words):
    with pytest.raises(AssertionError, match=re.escape(words)):
        helm("template", "shop", CHART, **values)


def merged(values, more):
    both = {**values, **more}
    return {
        key: merged(values[key], value)
        if isinstance(value, dict) and isinstance(values.get(key), dict)
        else value
        for key, value in both.items()
    }


@pytest.mark.parametrize(
    "values",
    [
        {"form": "daemon"},
        {"image": {"tag": "latest"}},
        {"secret": {"token": "short"}},
        {"database": {"dsn": "mysql://database"}},
        {"database": {"dsn": "postgresql://admin:secret@database/agents"}},
        {"database": {"roles": {"proxy": "x --scope learn"}}},
        {"proxy": {"upstream": "shop:8000"}},
        {"proxy": {"mode": "block"}},
        {"consol": {}},
    ],
    ids=str,
)
def test_the_schema_refuses_values_that_are_wrong(values):
    assert not jsonschema_rs.is_valid(SCHEMA, merged(VALUES, values))


@EVERY
def test_kubernetes_takes_it(name):
    kubernetes_validate = pytest.importorskip("kubernetes_validate", reason="make deploy installs it")
    for document in documents(name):
        kubernetes_validate.validate(document, "1.32", strict=True)


@EVERY
def test_commands_and_variables_are_ours(name):
    assert containers(name)
    for container in containers(name):
        for command in commands_of(container):
            assert_is_ours([re.sub(r'^"?\$\(?OUTCOME_MONITORS_DSN\)?"?$', DSN, part) for part in command])
        variables = [each["name"] for each in container["env"]]
        assert_are_read(variables)
        assert ("OUTCOME_MONITORS_DSN" in variables) == ("OUTCOME_MONITORS_DSN" in str(container["args"]))


def commands_of(container):
    if "command" not in container:
        return [
            [part.replace("--learn=$(OUTCOME_MONITORS_DSN)", f"--learn={DSN}") for part in container["args"]]
        ]
    assert container["command"] == ["sh", "-ec"]
    return [line.split()[1:] for line in container["args"][0].splitlines()]


@pytest.mark.parametrize("name", ["sidecar", "existing"])
def test_each_part_knows_what_it_needs_and_has_a_role_of_its_own(name):
    knows = {
        container["name"]: {
            each["name"]: each["valueFrom"]["secretKeyRef"]["key"]
            for each in container["env"]
            if "valueFrom" in each
        }
        for container in containers(name)
    }
    roles = {
        container["name"]: each["value"]
        for container in containers(name)
        for each in container["env"]
        if each["name"] == "PGUSER"
    }
    tokens = {
        part: {key for variable, key in known.items() if variable.endswith("_TOKEN")}
        for part, known in knows.items()
    }
    assert tokens["proxy"] == {"token", "status-token"}
    assert tokens["learner"] == tokens["setup"] == set()
    assert "console-token" in tokens.get("console", {"console-token"})
    passwords = {part: known["PGPASSWORD"] for part, known in knows.items()}
    assert passwords == {
        part: "owner-password" if part == "setup" else f"{part}-password" for part in passwords
    }
    assert len({*roles.values()}) == len(roles) == len(knows)
    [setup] = [container for container in containers(name) if container["name"] == "setup"]
    scopes = {command[3]: command[5] for command in commands_of(setup)}
    given = {"monitors_proxy": "write", "monitors_learner": "learn", "monitors_console": "review"}
    assert scopes == given
    assert roles["proxy"] in given


@EVERY
def test_nothing_is_roots_and_nothing_is_writable_but_the_state(name):
    assert pods(name)
    for pod in pods(name):
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"]
        assert spec["securityContext"]["runAsUser"] > 0
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert spec["automountServiceAccountToken"] is False
        volumes = {each["name"] for each in spec["volumes"]}
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            mounts = container["volumeMounts"]
            assert {each["name"] for each in mounts} <= volumes
            assert {each["mountPath"] for each in mounts if not each.get("readOnly")} == {"/state", "/tmp"}
            assert container["resources"]["limits"]["memory"]


def test_secrets_stand_in_the_secret_alone():
    for name in FORMS:
        for document in documents(name):
            secrets = {*OF_A_FLEET.values(), *PASSWORDS.values()}
            assert document["kind"] == "Secret" or not any(secret in str(document) for secret in secrets)
    assert not of_kind("existing", "Secret")
