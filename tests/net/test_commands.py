"""What commands print and write, and how they end."""

import json
import re

import pytest

from tests.net.support import ALL, lines, run, same_json, same_text, shared

CHECK = ("check", "wrong.jsonl", "--contracts", "full.json")


@pytest.fixture
def folder(shop, tmp_path):
    """The shop's files in a folder of the test's own."""
    for path in shop.glob("*.json*"):
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_check_as_lines(shop, profile):
    done = run(*CHECK[:-1], f"{profile}.json", "--format", "jsonl", cwd=shop, status=1)
    same_text(f"wire/check.{profile}.jsonl", done.stdout.decode())
    for number, row in enumerate(lines(done.stdout)):
        assert row["index"] == number
        assert {"tool", "covered", "violations", "recovery"} <= set(row)
        for violation in row["violations"]:
            assert list(violation)[:5] == ["code", "path", "expected", "observed", "detail"]


def test_check_with_relations_offers_other_tools(folder):
    other = {"tool": "fetch_order", "confidence": 0.9, "source": "declared", "why": ""}
    relations = {"get_order": [{**other, "arguments": {"id": "orderId"}}]}
    (folder / "known.json").write_text(json.dumps({"version": 1, "relations": relations}))
    row = {**lines((folder / "wrong.jsonl").read_bytes())[1], "tools": ["get_order", "fetch_order"]}
    (folder / "one.jsonl").write_text(json.dumps(row))
    asked = (
        "check",
        "one.jsonl",
        "--contracts",
        "full.json",
        "--relations",
        "known.json",
        "--format",
        "jsonl",
    )
    [told] = lines(run(*asked, cwd=folder, status=1).stdout)
    assert told["recovery"] == ["get_order", "fetch_order"]


def test_check_as_text_and_as_sarif(shop):
    same_text("words/check.txt", run(*CHECK, cwd=shop, status=1).stdout.decode())
    sarif = json.loads(run(*CHECK, "--format", "sarif", cwd=shop, status=1).stdout)
    driver = sarif["runs"][0]["tool"]["driver"]
    driver["version"] = "*"
    same_json("wire/check.sarif", sarif)


def test_check_of_the_clean_calls(shop):
    done = run("check", "shop.jsonl", "--contracts", "full.json", "--format", "jsonl", cwd=shop, status=None)
    assert done.returncode == int(any(row["violations"] for row in lines(done.stdout)))
    same_json(
        "wire/clean.json", [row for row in lines(done.stdout) if row["violations"] or not row["covered"]]
    )


def test_check_of_a_shared_set_against_contracts_of_another(tmp_path):
    """Contracts of one airline against the traffic of the other."""
    learned = shared("data/traces/tau_airline.jsonl.gz")
    run("mine", learned, "-o", "contracts.json", "--profile", "paper", cwd=tmp_path)
    path = shared("data/traces/tau2_airline.jsonl.gz")
    asked = ("check", path, "--contracts", "contracts.json", "--format", "jsonl")
    rows = lines(run(*asked, cwd=tmp_path, status=None).stdout)
    found = {
        "lines": len(rows),
        "covered": sum(row["covered"] for row in rows),
        "flagged": {
            f"{row['index']} {row['tool']}": [
                f"{found['code']} {found['path']}" for found in row["violations"]
            ]
            for row in rows
            if row["violations"]
        },
    }
    same_json("wire/check.tau2_airline.json", found)


def test_replay(folder):
    asked = ("replay", "wrong.jsonl", "--contracts", "full.json")
    done = run(*asked, "--format", "jsonl", cwd=folder, status=1)
    same_text("wire/replay.jsonl", done.stdout.decode())
    for row in lines(done.stdout):
        assert {"index", "tool", "covered", "violations", "recovery", "told", "why", "suspended"} <= set(row)
    same_text("words/replay.txt", run(*asked, cwd=folder, status=1).stdout.decode())


def test_replay_goes_on_from_its_state(folder):
    """What has become usual is suspended: the same new status in task after task."""
    row = lines((folder / "wrong.jsonl").read_bytes())[2]
    many = [{**row, "task": f"later/{number}"} for number in range(60)]
    (folder / "later.jsonl").write_text("".join(json.dumps(line) + "\n" for line in many))
    asked = ("replay", "later.jsonl", "--contracts", "full.json", "--state", "state", "--format", "jsonl")
    first, second = (lines(run(*asked, cwd=folder, status=None).stdout) for _ in range(2))
    told = [[row["told"] for row in rows] for rows in (first, second)]
    assert told[0][0]
    assert not told[1][-1]
    same_json(
        "wire/replay.later.json",
        [[[row["told"], row["suspended"]] for row in rows] for rows in (first, second)],
    )


def test_audit(shop, folder):
    asked = ("audit", "shop.jsonl", "--folds", 3, "--limit", 15, "--jobs", 1, "--json", "audit.json")
    done = run(*asked, cwd=folder, status=None)
    assert done.returncode in {0, 1}
    same_text("wire/audit.shop.json", (folder / "audit.json").read_text(encoding="utf-8"))
    same_text("words/audit.txt", done.stdout.decode())


@pytest.mark.parametrize(
    ("name", "profile", "slow"),
    [("tau_airline", "paper", False), ("tau_airline", "full", True), ("bfcl_open", "full", True)],
)
def test_audit_of_a_shared_set(name, profile, slow, tmp_path):
    path = shared(f"data/traces/{name}.jsonl.gz")
    if slow and not ALL:
        pytest.skip("slow: OUTCOME_MONITORS_NET=all runs it")
    (tmp_path / "traces.jsonl.gz").symlink_to(path)
    asked = (
        "audit",
        "traces.jsonl.gz",
        "--folds",
        3,
        "--limit",
        30,
        "--profile",
        profile,
        "--json",
        "a.json",
    )
    assert run(*asked, cwd=tmp_path, status=None).returncode in {0, 1}
    same_text(f"wire/audit.{name}.{profile}.json", (tmp_path / "a.json").read_text(encoding="utf-8"))


def test_audit_of_labels(folder):
    """Calls labelled by hand: what the built-in rules tell of them."""
    labels = ["ok", *["silent-failure"] * 18, "unsure", "ok", "silent-failure", "open-failure-in-text"]
    rows = [{"line": number, "label": label, "kind": "made"} for number, label in enumerate(labels)]
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("audit", "--labels", "labels.jsonl", "wrong.jsonl", cwd=folder, status=None)
    if b"No such option" in done.stderr:
        pytest.skip("this state of the project has no audit of labels yet")
    assert done.returncode in {0, 1}
    same_text("words/labels.txt", done.stdout.decode())


def test_check_with_the_built_in_rules_alone(folder):
    done = run("check", "wrong.jsonl", "--format", "jsonl", cwd=folder, status=None)
    if done.returncode == 2:
        assert done.stderr.startswith(b"error: ")
        pytest.skip("this state of the project checks with contracts only")
    assert all({"index", "tool", "covered", "violations"} <= set(row) for row in lines(done.stdout))


def test_relations(folder):
    asked = (
        "relations",
        "build",
        "--tools",
        "tools.json",
        "--traces",
        "shop.jsonl",
        "--contracts",
        "full.json",
    )
    run(*asked, "-o", "relations.json", cwd=folder)
    same_text("wire/relations.json", (folder / "relations.json").read_text(encoding="utf-8"))


def test_show(shop):
    same_text("words/show.txt", run("show", "full.json", "get_order", cwd=shop).stdout.decode())
    found = json.loads(run("show", "full.json", "--format", "json", cwd=shop).stdout)
    same_json("wire/show.json", found)
    [address] = set(
        re.findall(r"get_order\.total/positive#[0-9a-f]+", run("show", "full.json", cwd=shop).stdout.decode())
    )
    assert re.fullmatch(r"get_order\.total/positive#[0-9a-f]{4,}", address)
    one = run("show", "full.json", address, cwd=shop).stdout.decode()
    assert one.count("#") == 1


@pytest.mark.parametrize("source", ["openai", "otel", "mcp"])
def test_import(folder, source):
    run("import", f"import_{source}.jsonl", "-o", "auto.jsonl", "--quiet", cwd=folder)
    run("import", f"import_{source}.jsonl", "--from", source, "-o", "named.jsonl", "--quiet", cwd=folder)
    assert (folder / "auto.jsonl").read_bytes() == (folder / "named.jsonl").read_bytes()
    same_text(f"wire/import.{source}.jsonl", (folder / "auto.jsonl").read_text(encoding="utf-8"))


@pytest.mark.skipif(not ALL, reason="slow: OUTCOME_MONITORS_NET=all runs it")
def test_demo(tmp_path):
    """The main job, start to finish, on traffic that comes with the library."""
    said = run("demo", "--out", "out", cwd=tmp_path).stdout.decode()
    assert "false alarms" in said
    receipts = (tmp_path / "out/receipts.jsonl").read_text(encoding="utf-8").splitlines()
    assert all("outcome_contract" in json.loads(line) for line in receipts)


def test_every_command_has_help_with_an_example(tmp_path):
    listed = run("--help", cwd=tmp_path).stdout.decode().partition("--help")[2]
    names = set(re.findall(r"^  (\w+)  ", listed, re.MULTILINE))
    assert names >= {
        *(
            "accept",
            "audit",
            "check",
            "console",
            "events",
            "import",
            "mine",
            "missed",
            "mute",
            "proxy",
            "relations",
        ),
        *(
            "replay",
            "report",
            "show",
            "status",
            "study",
            "unmute",
            "wrong",
            "demo",
            "diff",
            "drift",
            "learn",
            "lint",
        ),
        *("review", "state", "contracts", "init"),
    }
    for name in sorted(names) if ALL else ("check", "mine", "proxy"):
        shown = run(name, "--help", cwd=tmp_path).stdout.decode()
        assert "Example:" in shown
        assert f"outcome-monitors {name}" in shown
