"""What can be fetched: each public source with its address, its pinned revision and what that is checked against.

A git commit id is a checksum of all that the commit holds, and git checks what arrives against it. An archive has a SHA-256.
"""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["SOURCES", "Archive", "Content", "FetchSource", "Git"]


@dataclass(frozen=True, slots=True)
class Git:
    """Some files of a git repository, at one commit."""

    url: str
    commit: str
    paths: tuple[str, ...]
    """Files and folders that are wanted, in the repository's own layout."""
    into: str = ""
    """The folder that they are put into."""

    @property
    def pin(self) -> str:
        """How errors and plans name it."""
        return f"{self.url} at commit {self.commit[:12]}"


@dataclass(frozen=True, slots=True)
class Archive:
    """A file at an address."""

    url: str
    sha256: str
    size: int
    """In bytes; more are not read."""
    folder: str = ""
    """Of a zip file: the folder that is unpacked, wherever in the file it stands. Empty: the file is kept as it is."""
    into: str = ""

    @property
    def pin(self) -> str:
        """How errors and plans name it."""
        return f"{self.url} with SHA-256 {self.sha256[:12]}"


@dataclass(frozen=True, slots=True)
class Content:
    """Files whose bytes, one after the other in the order of their paths, have a known SHA-256."""

    pattern: str
    sha256: str


@dataclass(frozen=True, slots=True)
class FetchSource:
    """A public source."""

    what: str
    licence: str
    size: str
    parts: tuple[Git | Archive, ...]
    needs: tuple[str, ...]
    """Patterns of files that a local copy must have, each at least once."""
    content: Content | None = None
    then: str = ""
    """What is left to do, where it cannot be done here."""


_TAU, _TAU2 = "tau_bench/envs", "data/tau2"

SOURCES: Mapping[str, FetchSource] = {
    "toolmaze": FetchSource(
        what="ToolMaze: tool definitions, plugins and 2,000 perturbed tasks",
        licence="see LICENSE in the repository, and the dataset's card",
        size="some tens of MB",
        parts=(
            Git(
                "https://github.com/Zhudongsheng75/ToolMaze",
                "ef0798aa7f31ac9b33403254b1ef76e8673305fa",
                ("tools", "LICENSE", "README.md"),
            ),
            Git(
                "https://huggingface.co/datasets/dongsheng/ToolMaze",
                "08b0239a98b0b07839d673f5bc0ef7d836db9296",
                ("perturbed_tasks", "README.md"),
                into="data",
            ),
        ),
        needs=("tools/definitions/*.yaml", "tools/plugins/*.py", "data/perturbed_tasks/**/*.json"),
        content=Content(
            "data/perturbed_tasks/**/*.json",
            "9fcd7d7ec3c06afcee098877cca1ae8c29b87a1102be4b365a1055f824a76bc8",
        ),
    ),
    "tau-bench": FetchSource(
        what="tau-bench's retail domain: tasks, policy, tools and database",
        licence="MIT, (c) Sierra",
        size="about 3 MB",
        parts=(
            Git(
                "https://github.com/sierra-research/tau-bench",
                "59a200c6d575d595120f1cb70fea53cef0632f6b",
                (f"{_TAU}/retail", f"{_TAU}/user.py", "LICENSE"),
            ),
        ),
        needs=(
            *(f"{_TAU}/retail/data/{table}.json" for table in ("orders", "products", "users")),
            f"{_TAU}/retail/tasks_test.py",
            f"{_TAU}/retail/wiki.md",
            f"{_TAU}/retail/tools/*.py",
            f"{_TAU}/user.py",
        ),
    ),
    "tau2-bench": FetchSource(
        what="tau2-bench's retail and airline domains: tasks, policies, databases, and the words of tools and prompts",
        licence="MIT, (c) Sierra",
        size="about 20 MB",
        parts=(
            Git(
                "https://github.com/sierra-research/tau2-bench",
                "377cecff73b873e63430a0acfce00e0eff024855",
                (
                    *(f"{_TAU2}/domains/{domain}" for domain in ("retail", "airline")),
                    f"{_TAU2}/user_simulator",
                    *(f"src/tau2/domains/{domain}" for domain in ("retail", "airline")),
                    "src/tau2/agent",
                    "LICENSE",
                ),
            ),
        ),
        needs=(
            *(f"{_TAU2}/domains/*/{file}" for file in ("db.json", "tasks.json", "policy.md")),
            "src/tau2/domains/*/tools.py",
        ),
    ),
    "appworld": FetchSource(
        what="AppWorld's package; its data is unpacked by its own program",
        licence="Apache-2.0; its apps, tasks and data must not be put online unpacked",
        size="0.6 MB",
        parts=(
            Archive(
                "https://files.pythonhosted.org/packages/py3/a/appworld/appworld-0.1.3.post1-py3-none-any.whl",
                "db77f8003982502383a50fa2974983894bd1c54f64e2fd3f7e1540d5edd037eb",
                625_317,
            ),
        ),
        needs=("data/api_docs/standard/*.json", "data/datasets/*.txt", "data/tasks/*/specs.json"),
        then=(
            "python3 -m venv appworld-env\n"
            "appworld-env/bin/pip install {to}/appworld-0.1.3.post1-py3-none-any.whl\n"
            "appworld-env/bin/appworld install\n"
            "appworld-env/bin/appworld download data --root {to}\n"
            "appworld-env/bin/appworld serve environment --root {to} --port 8000"
        ),
    ),
    "stabletoolbench": FetchSource(
        what="StableToolBench's cache of recorded responses",
        licence="Apache-2.0 (StableToolBench); the file itself states none",
        size="236 MB to download, about 0.5 GB unpacked",
        parts=(
            Archive(
                "https://huggingface.co/datasets/stabletoolbench/Cache/resolve/"
                "c6aca0c1cda74d54915eccabb60984dc083fb14c/server_cache.zip",
                "a3ed72052c2dc961d8e9b71860374d90ded6d475ca6f6449c78fb248cb82a5b2",
                235_732_308,
                folder="tool_response_cache",
            ),
        ),
        needs=("tool_response_cache/*/*/*.json",),
    ),
}
