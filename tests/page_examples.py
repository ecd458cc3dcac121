"""The examples of a page, run one after the other in one folder: Python, sessions of Python, and calls of the command."""

import contextlib
import doctest
import io
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from outcome_monitors.cli import commands
from tests.pages import keep
from tests.places import DOCS

__all__ = ["holds"]

PAIR = re.compile(r"```python\n(?P<code>[^`]*)```\n\n```(?P<form>json|text)\n.*?```\n", re.DOTALL)
EXAMPLE = re.compile(
    r"```pycon\n(?P<session>.*?)```\n"
    rf"|{PAIR.pattern}"
    r"|```console\n\$ outcome-monitors (?P<arguments>[^\n]*)\n.*?```\n",
    re.DOTALL,
)


def holds(page: Path, folder: Path) -> None:
    """Assert that a page's examples give what it says, run in a copy of docs/examples."""
    shutil.copytree(DOCS / "examples", folder, dirs_exist_ok=True)
    with contextlib.chdir(folder):
        text, examples = _ran(page)
    assert examples
    assert examples == len(re.findall(r"^```pycon$|^```console$", text, re.MULTILINE)) + len(
        PAIR.findall(text)
    )
    keep(page, text)


def _ran(page: Path) -> tuple[str, int]:
    """Return the text of a page with what its examples really give, and how many there are."""
    names: dict[str, Any] = {}

    def run(example: re.Match[str]) -> str:
        if example["session"] is not None:
            return f"```pycon\n{_session(example['session'], names)}```\n"
        if example["arguments"] is not None:
            return f"```console\n$ outcome-monitors {example['arguments']}\n{_command(example['arguments'])}\n```\n"
        return f"```python\n{example['code']}```\n\n```{example['form']}\n{_printed(example['code'], names)}```\n"

    return EXAMPLE.subn(run, page.read_text(encoding="utf-8"))


class _Terminal(CliRunner):
    """Mixes what is printed and what is warned of line by line, as a terminal shows it."""

    @contextlib.contextmanager
    def isolation(self, *args: Any, **options: Any) -> Iterator[Any]:
        with super().isolation(*args, **options) as streams:
            for stream in (sys.stdout, sys.stderr):
                assert isinstance(stream, io.TextIOWrapper)
                stream.reconfigure(line_buffering=True)
            yield streams


def _command(arguments: str) -> str:
    done = _Terminal().invoke(commands, arguments.split(), prog_name="outcome-monitors")
    assert done.exit_code in {0, 1, 2}, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.output.rstrip()


def _printed(code: str, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<page>", "exec"), names)
    return printed.getvalue()


class _Given(doctest.DocTestRunner):
    """Keeps what each example that differs gave."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.gave: dict[int, str] = {}

    def report_failure(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:
        self.gave[example.lineno] = got

    def report_unexpected_exception(
        self, out: Any, test: Any, example: doctest.Example, exc_info: Any
    ) -> None:
        raise exc_info[1]


def _session(text: str, names: dict[str, Any]) -> str:
    test = doctest.DocTestParser().get_doctest(text, {}, "page", None, 0)
    test.globs = names  # what one session defines, the next one uses
    runner = _Given()
    runner.run(test, out=lambda _: None, clear_globs=False)
    lines = text.splitlines(keepends=True)
    for example in reversed(test.examples):
        if example.lineno in runner.gave:
            start = example.lineno + example.source.count("\n")
            lines[start : start + example.want.count("\n")] = [runner.gave[example.lineno]]
    return "".join(lines)
