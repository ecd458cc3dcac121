"""Notes on what an endpoint failed in survive a crash in the middle of one."""

from outcome_monitors_study._ledger import append_failure, read_failures, requests_sent_again


def test_a_torn_line_is_passed_over_and_the_next_stands_by_itself(tmp_path):
    path = tmp_path / "failures.jsonl"
    assert read_failures(path) == []
    append_failure(path, {"episode": "a", "error": "x"})
    with path.open("ab") as file:
        file.write(b'{"episode": "torn')
    append_failure(path, {"episode": "b", "error": "y"})
    append_failure(path, {"episode": "c", "sent again": 2})
    assert [record["episode"] for record in read_failures(path)] == ["a", "b"]
    assert requests_sent_again(path) == 2
    assert path.read_bytes().count(b"\n") == 4
