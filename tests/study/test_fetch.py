"""Fetching: from a real server and a real repository on this machine, checked, unpacked safely, written down."""

import hashlib
import io
import json
import shutil
import subprocess
import threading
import zipfile
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study.fetch import SOURCES, Archive, FetchSource, Git, fetch, fetched_before, plan


def source_of(*parts, needs=("kept/*.json",)):
    return FetchSource("a small source", "none", "little", parts, needs, None)


# An archive from a server.


@pytest.fixture
def served(tmp_path):
    root = tmp_path / "served"
    root.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield root, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def zipped(members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for member, content in members:
            file.writestr(member, content)
    return packed.getvalue()


def put(served, name, content, **changes):
    root, address = served
    (root / name).write_bytes(content)
    part = Archive(f"{address}/{name}", hashlib.sha256(content).hexdigest(), len(content), folder="kept")
    return replace(part, **changes)


def test_a_folder_of_an_archive_arrives_checked_and_is_written_down(served, tmp_path):
    part = put(served, "all.zip", zipped([("top/kept/a.json", "{}"), ("top/other/b.json", "[]")]))
    to = tmp_path / "to"
    found = fetch("small", source_of(part), to)
    assert (found.files, found.pinned) == (1, True)
    assert [file.name for file in sorted(to.rglob("*")) if file.is_file()] == ["fetched.json", "a.json"]
    kept = json.loads((to / "fetched.json").read_text())
    assert kept["files"] == {"kept/a.json": hashlib.sha256(b"{}").hexdigest()}
    assert fetched_before("small", to)
    (to / "kept" / "a.json").write_text("{ }")
    with pytest.raises(OutcomeMonitorsError, match=r"changed since it was fetched \(kept/a.json\)"):
        fetched_before("small", to)
    assert list(tmp_path.glob(".to*")) == []


@pytest.mark.parametrize("change", [{"sha256": "0" * 64}, {"size": 3}, {"size": 10**6}])
def test_content_that_differs_from_the_pin_is_not_kept(served, tmp_path, change):
    part = put(served, "all.zip", zipped([("kept/a.json", "{}")]), **change)
    with pytest.raises(OutcomeMonitorsError, match="not what was pinned"):
        fetch("small", source_of(part), tmp_path / "to")
    assert not (tmp_path / "to").exists()


def test_an_unreachable_server_is_an_error_with_the_next_step(served, tmp_path):
    _, address = served
    for url in (f"{address}/nothing.zip", "http://127.0.0.1:9/all.zip"):
        with pytest.raises(OutcomeMonitorsError, match="try again, or take a copy that you have with --from"):
            fetch("small", source_of(Archive(url, "0" * 64, 10)), tmp_path / "to")


# Some files of a commit.


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    root = tmp_path_factory.mktemp("repository")

    def git(*arguments):
        identity = ("-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q", "-b", "main")
    git("config", "uploadpack.allowAnySHA1InWant", "true")
    git("config", "uploadpack.allowFilter", "true")
    (root / "kept").mkdir()
    (root / "kept" / "a.json").write_text("1")
    (root / "kept" / "link").symlink_to("/etc/hostname")
    (root / "large").write_text("not wanted")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    first = git("rev-parse", "HEAD")
    (root / "kept" / "a.json").write_text("2")
    git("commit", "-q", "-a", "-m", "two")
    return f"file://{root}", first


def test_the_files_of_the_pinned_commit_arrive_and_no_others(repository, tmp_path):
    url, commit = repository
    fetch("small", source_of(Git(url, commit, ("kept",), into="data")), tmp_path / "to")
    assert (tmp_path / "to" / "data" / "kept" / "a.json").read_text() == "1"
    assert sorted(path.name for path in (tmp_path / "to").iterdir()) == ["data", "fetched.json"]
    # A link of the repository is a small file here, which leads nowhere.
    assert not (tmp_path / "to" / "data" / "kept" / "link").is_symlink()


# A local copy.


# The table.


def test_every_source_is_pinned_and_says_what_it_is():
    assert SOURCES
    for name, source in SOURCES.items():
        words = dict(plan(name, source, Path("to")))
        assert words.keys() >= {name, "from", "size", "licence", "to"}
        for part in source.parts:
            assert part.url.startswith("https://")
            assert len(part.commit if isinstance(part, Git) else part.sha256) in {40, 64}
