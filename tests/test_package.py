"""What is published is whole: it is built, judged as a package index does, and installed where nothing else is."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
from filelock import FileLock

from outcome_monitors.cli import COMMANDS
from tests.places import DOCS, ROOT
from tests.test_docs_links import CODE, LINK, links

pytest.importorskip("build", reason="builds the package: pip install --group package")

README = ROOT / "README.md"
PICTURE_OR_LINK = re.compile(r'(?:href|src)="(?P<target>[^"]*)"')
HERE = Path(sys.executable).parent


def run(*command: str | Path, cwd: Path | None = None, status: int = 0) -> str:
    """Run a program and return what it says; it must end with this status."""
    # Nothing of the source may be found by way of the surroundings.
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=surroundings, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


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
def built(tmp_path_factory):
    """The folder with the sdist, and the wheel that was built from it."""

    def build(place: Path) -> None:
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", place, ROOT)

    return once(tmp_path_factory, "built", build)


@pytest.fixture(scope="module")
def wheel(built):
    [file] = built.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def unpacked(built, tmp_path_factory):
    """The folder that the sdist unpacks to."""
    [file] = built.glob("*.tar.gz")
    place = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(file) as archive:
        archive.extractall(place, filter="data")
    [folder] = place.iterdir()
    return folder


@pytest.fixture(scope="module")
def metadata(wheel) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(name))


@pytest.fixture(scope="module")
def programs(wheel, tmp_path_factory):
    """The folder of programs of an environment that holds the wheel and its requirements alone."""

    def install(place: Path) -> None:
        run(sys.executable, "-m", "venv", "--without-pip", place)
        pip = (HERE / "python", "-m", "pip", "--quiet", "--python", place)
        asked = (
            *pip,
            "download",
            "--retries",
            "0",
            "--timeout",
            "15",
            "--no-deps",
            "--dest",
            place / "asked",
        )
        reached = subprocess.run((*asked, "click"), capture_output=True, text=True, check=False)
        if reached.returncode:
            pytest.skip(f"the package index cannot be reached: {reached.stderr.strip().splitlines()[-1]}")
        run(*pip, "install", wheel)

    return once(tmp_path_factory, "installed", install) / HERE.name


def test_the_wheel_is_the_same_byte_for_byte_wherever_and_whenever_it_is_built(wheel, unpacked, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(unpacked, elsewhere)
    for file in elsewhere.rglob("*"):
        os.utime(file, (1_600_000_000, 1_600_000_000))
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, elsewhere)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_an_index_would_take_it(built):
    files = sorted(built.iterdir())
    assert [file.name.partition("-")[0] for file in files] == ["outcome_monitors"] * 2
    run(sys.executable, "-m", "twine", "check", "--strict", *files)


def test_the_wheel_is_as_a_wheel_should_be(wheel):
    run(sys.executable, "-m", "check_wheel_contents", wheel)


def test_the_wheel_holds_the_package_whole_and_nothing_else(wheel):
    package = ROOT / "src" / "outcome_monitors"
    there = {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert "outcome_monitors/py.typed" in held
    assert held == there


def test_the_sdist_holds_all_that_the_readme_links_to(unpacked):
    targets = links(README)
    assert len(targets) > 20
    assert [target for target in targets if not (unpacked / target.partition("#")[0]).exists()] == []


def test_the_sdist_holds_all_that_the_repository_does(unpacked):
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this is no checkout")
    tracked = run("git", "ls-files", "-z", cwd=ROOT).split("\0")[:-1]
    assert "Makefile" in tracked
    assert [name for name in tracked if (ROOT / name).exists() and not (unpacked / name).exists()] == []


def test_no_link_of_the_description_is_relative(metadata):
    markdown = pytest.importorskip(
        "readme_renderer.markdown", reason="renders it: pip install --group package"
    )
    assert metadata["Description-Content-Type"] == "text/markdown"
    text = str(metadata.get_payload(decode=True), "utf-8")
    # Those within the page are the renderer's own, one at each heading.
    targets = [
        target
        for target in PICTURE_OR_LINK.findall(markdown.render(text))
        if not target.startswith("#user-content-")
    ]
    assert len(targets) == len(LINK.findall(CODE.sub("", README.read_text(encoding="utf-8"))))
    assert [target for target in targets if not target.startswith("https://")] == []


def test_every_link_of_the_description_names_a_file_of_this_version(metadata):
    text = str(metadata.get_payload(decode=True), "utf-8")
    [home] = [url.split(", ")[1] for url in metadata.get_all("Project-URL", []) if url.startswith("Source, ")]
    raw = home.replace("github.com", "raw.githubusercontent.com", 1)
    version = metadata["Version"]
    bases = (f"{home}/blob/v{version}/", f"{raw}/v{version}/")
    ours = [link["target"] for link in LINK.finditer(CODE.sub("", text)) if link["target"].startswith(bases)]
    files = [target.partition(f"/v{version}/")[2].partition("#")[0] for target in ours]
    assert len(files) > 20
    assert [file for file in files if not (ROOT / file).exists()] == []
    assert [target for target in ours if target.endswith(".png") and not target.startswith(raw)] == []


def test_the_code_of_the_description_is_that_of_the_readme(metadata):
    text = str(metadata.get_payload(decode=True), "utf-8")
    assert CODE.findall(text) == CODE.findall(README.read_text(encoding="utf-8"))


def test_what_is_published_asks_for_no_tool_of_development(metadata):
    extras = metadata.get_all("Provides-Extra", [])
    assert "proxy-http" in extras
    assert {"dev", "bench", "test", "lint", "docs"}.isdisjoint(extras)
    plain = [name for name in metadata.get_all("Requires-Dist", []) if "extra ==" not in name]
    assert {re.split(r"[<>=]", name)[0] for name in plain} == {"click", "rich"}


def test_the_command_works_where_nothing_else_is_installed(programs, metadata, tmp_path):
    command = programs / "outcome-monitors"
    assert run(command, "--version", cwd=tmp_path) == f"outcome-monitors {metadata['Version']}\n"
    assert "Commands:" in run(command, "--help", cwd=tmp_path)
    examples = DOCS / "examples"
    run(command, "mine", examples / "traces.jsonl", "-o", "contracts.json", cwd=tmp_path)
    checked = run(
        command, "check", examples / "today.jsonl", "--contracts", "contracts.json", cwd=tmp_path, status=1
    )
    assert "nonpositive_value" in checked


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


def test_every_command_loads_where_nothing_else_is_installed(programs, tmp_path):
    program = (
        "from outcome_monitors.cli import COMMANDS, commands\n"
        "print(*[commands.get_command(None, name).name for name in COMMANDS])\n"
    )
    names = run(programs / "python", "-W", "error", "-c", program, cwd=tmp_path).split()
    assert names == list(COMMANDS)


QUIET = """
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi


@modelapi(name="quiet")
class Quiet(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        if any(message.role == "tool" for message in input):
            output = ModelOutput.from_content(self.model_name, "done")
        else:
            output = ModelOutput.for_tool_call(self.model_name, tools[0].name, {})
        output.usage = ModelUsage(input_tokens=10, output_tokens=1, total_tokens=11)
        return output
"""


def test_inspect_finds_a_study_by_the_name_that_the_page_gives(wheel, tmp_path):
    """The wheel, and a model that needs no network, stand where nothing of the source does."""
    pytest.importorskip("inspect_ai", reason="the extra `study` is not installed")
    [line] = re.findall(
        r"^inspect (eval .*)$", (DOCS / "guides" / "studies.md").read_text("utf-8"), re.MULTILINE
    )
    # An environment of its own: inspect takes for installed what stands in the packages of the Python that runs.
    venv.create(tmp_path / "env", symlinks=sys.platform != "win32")
    own = {"base": str(tmp_path / "env"), "platbase": str(tmp_path / "env")}
    site = Path(sysconfig.get_path("purelib", "venv", own))
    (site / "others.pth").write_text(sysconfig.get_path("purelib"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    (site / "quiet_model.py").write_text(QUIET)
    about = site / "quiet_model-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: quiet-model\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[inspect_ai]\nquiet_model = quiet_model\n")
    python = (Path(sysconfig.get_path("scripts", "venv", own)) / Path(sys.executable).name,)
    freeze = (
        "study freeze trial --agents quiet/model --arms baseline,advisory-v2 --workflows 8 --strata C1/P0:1"
    )
    run(*python, "-m", "outcome_monitors", *freeze.split(), cwd=tmp_path)
    asked = line.replace("openai/gpt-4o-mini", "quiet/model").split()
    said = run(*python, "-m", "inspect_ai", *asked, "--display", "plain", cwd=tmp_path)
    assert "outcome_study (2 samples): quiet/model" in said
    assert len(list((tmp_path / "logs").glob("*.eval"))) == 1
