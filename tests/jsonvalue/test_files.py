import os
import stat
from pathlib import Path

import pytest

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import replacing, write_atomically


def test_an_existing_file_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_text("old")
    target.chmod(0o640)
    write_atomically(target, "new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_an_error_midway_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_text("old")

    def half_a_file() -> None:
        with replacing(target) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half_a_file()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_a_pipe_is_written_to_not_replaced(tmp_path: Path) -> None:
    # A pipe of our own, never a real device: a fault in the code, run as root, would replace that for the whole machine.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, "through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("place", ["missing/a", "folder", "file/a"])
def test_a_place_that_cannot_be_written_is_named_in_one_sentence(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(OutcomeMonitorsError, match=rf"^cannot write .*{place}: [^\n]+$"):
        write_atomically(tmp_path / place, "x")
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder"}
