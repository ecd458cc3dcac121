"""What is published is whole: each distribution is built, judged as a package index does, and installed where nothing else is."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
from filelock import FileLock

from tests.pages import keep
from tests.places import DOCS, PACKAGES

pytest.importorskip("build", reason="builds the distributions: pip install --group package")

HERE = Path(sys.executable).parent
DISTRIBUTIONS = ("outcome-monitors", "outcome-monitors-server", "outcome-monitors-study")
DEMO = re.compile(r"(\$ outcome-monitors demo [^\n]*\n).*?(?=\n```)", re.DOTALL)
EACH = pytest.mark.parametrize("name", DISTRIBUTIONS)


def run(*command: str | Path, cwd: Path | None = None, status: int = 0) -> str:
    """Run a program and return what it says; it must end with this status."""
    # Nothing of the source may be found by way of the surroundings.
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=surroundings, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Make a folder once, however many processes the tests run in."""
    base = factory.getbasetemp()
    # With several processes each has a folder of its own below the one that they share.
    shared = base.parent if base.name.startswith("popen-") else base
    place = shared / name
    with FileLock(shared / f"{name}.lock"):
        if not place.exists():
            try:
                make(place)
            except BaseException:
                shutil.rmtree(place, ignore_errors=True)
                raise
    return place


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The folder with the sdists, and the wheels that were built from them."""

    def build(place: Path) -> None:
        for name in DISTRIBUTIONS:
            run(sys.executable, "-m", "build", "--no-isolation", "--outdir", place, PACKAGES / name)

    return once(tmp_path_factory, "built", build)


def wheel_of(built: Path, name: str) -> Path:
    [file] = built.glob(f"{name.replace('-', '_')}-*.whl")
    return file


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(name))


def installed(factory: pytest.TempPathFactory, built: Path, names: tuple[str, ...]) -> Path:
    """Return the folder of programs of an environment that holds these wheels and what they require."""

    def install(place: Path) -> None:
        run(sys.executable, "-m", "venv", "--without-pip", place)
        pip = (HERE / "python", "-m", "pip", "--quiet", "--python", place)
        asked = ("download", "--retries", "0", "--timeout", "15", "--no-deps", "--dest", place / "asked")
        reached = subprocess.run((*pip, *asked, "click"), capture_output=True, text=True, check=False)
        if reached.returncode:
            pytest.skip(f"the package index cannot be reached: {reached.stderr.strip().splitlines()[-1]}")
        run(*pip, "install", "--no-compile", *(wheel_of(built, name) for name in names))

    return once(factory, f"installed-{len(names)}", install) / HERE.name


@pytest.fixture(scope="module")
def programs(built, tmp_path_factory) -> Path:
    return installed(tmp_path_factory, built, DISTRIBUTIONS[:1])


@pytest.fixture(scope="module")
def all_programs(built, tmp_path_factory) -> Path:
    return installed(tmp_path_factory, built, DISTRIBUTIONS)


def test_an_index_would_take_them(built):
    files = sorted(built.iterdir())
    assert len(files) == 2 * len(DISTRIBUTIONS)
    run(sys.executable, "-m", "twine", "check", "--strict", *files)
    run(sys.executable, "-m", "check_wheel_contents", *(file for file in files if file.suffix == ".whl"))


@EACH
def test_a_wheel_holds_the_package_whole_and_nothing_else(built, name):
    [package] = (PACKAGES / name / "src").iterdir()
    with zipfile.ZipFile(wheel_of(built, name)) as archive:
        held = {each for each in archive.namelist() if ".dist-info/" not in each}
    assert f"{package.name}/py.typed" in held
    assert held == set(files_of(package))


def files_of(package: Path) -> Iterator[str]:
    for path in package.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(package.parent).as_posix()


def test_the_distributions_require_each_other_in_their_own_version(built):
    version = metadata_of(wheel_of(built, "outcome-monitors"))["Version"]
    for name in DISTRIBUTIONS[1:]:
        required = metadata_of(wheel_of(built, name)).get_all("Requires-Dist", [])
        assert f"outcome-monitors=={version}" in required


def test_the_library_requires_click_and_rich_alone(built):
    metadata = metadata_of(wheel_of(built, "outcome-monitors"))
    extras = metadata.get_all("Provides-Extra", [])
    assert "proxy-http" in extras
    assert {"dev", "bench", "test", "lint", "docs"}.isdisjoint(extras)
    plain = [name for name in metadata.get_all("Requires-Dist", []) if "extra ==" not in name]
    assert {re.split(r"[<>=]", name)[0] for name in plain} == {"click", "rich"}


def test_the_command_works_where_nothing_else_is_installed(programs, built, tmp_path):
    command = programs / "outcome-monitors"
    version = metadata_of(wheel_of(built, "outcome-monitors"))["Version"]
    assert run(command, "--version", cwd=tmp_path) == f"outcome-monitors {version}\n"
    examples = DOCS / "examples"
    run(command, "mine", examples / "traces.jsonl", "-o", "contracts.json", cwd=tmp_path)
    today = examples / "today.jsonl"
    checked = run(command, "check", today, "--contracts", "contracts.json", cwd=tmp_path, status=1)
    assert "nonpositive_value" in checked
    said = run(command, "demo", "--out", "demo-out", cwd=tmp_path)
    page = DOCS / "start" / "demo.md"
    text = page.read_text(encoding="utf-8")
    keep(page, DEMO.sub(lambda example: f"{example[1]}{said.rstrip()}", text, count=1))
    files = {path.name for path in (tmp_path / "demo-out").iterdir()}
    assert files == {"contracts.json", "receipts.jsonl", "traces.jsonl.gz"}


def test_the_library_works_where_nothing_else_is_installed(programs, tmp_path):
    program = (
        "import outcome_monitors as om\n"
        "print(om.__file__)\n"
        "assert all(getattr(om, name) for name in om.__all__)\n"
        "calls = [om.Call('t', {'id': str(n)}, {'id': str(n), 'price': n}) for n in range(1, 9)]\n"
        "print([v.code for v in om.Monitor(om.mine(calls, 'paper')).check('t', {'id': '1'}, {'id': '1', 'price': -1})])\n"
    )
    where, found = run(programs / "python", "-W", "error", "-c", program, cwd=tmp_path).splitlines()
    assert "site-packages" in where
    assert "nonpositive_value" in found


LOAD_ALL = """
from outcome_monitors.cli import COMMANDS, commands
from outcome_monitors.exceptions import MissingDistribution
for name in COMMANDS:
    try:
        commands.get_command(None, name)
    except MissingDistribution as error:
        print(error)
"""


def test_a_command_of_another_distribution_says_what_to_install(programs, tmp_path):
    said = run(programs / "python", "-W", "error", "-c", LOAD_ALL, cwd=tmp_path).splitlines()
    assert {line.rpartition(" ")[2] for line in said} == {*DISTRIBUTIONS[1:]}
    assert (
        "`outcome-monitors console` needs outcome-monitors-server: pip install outcome-monitors-server"
        in said
    )
    missing = run(programs / "outcome-monitors", "study", "arms", cwd=tmp_path, status=2)
    assert missing.strip().endswith("pip install outcome-monitors-study")
    imported = run(programs / "python", "-c", "import outcome_monitors.study", cwd=tmp_path, status=1)
    assert imported.strip().endswith("pip install outcome-monitors-study")


def test_every_command_and_the_studies_load_where_all_three_are_installed(all_programs, tmp_path):
    assert run(all_programs / "python", "-W", "error", "-c", LOAD_ALL, cwd=tmp_path) == ""
    program = "from outcome_monitors.study import mcnemar_exact; print(mcnemar_exact(wins=15, losses=2))"
    assert run(all_programs / "python", "-c", program, cwd=tmp_path).startswith("0.00234")
