"""Files that cannot be read, and YAML that is not what it seems."""

from pathlib import Path

import pytest

from outcome_monitors.contracts.sources import (
    read_appworld,
    read_json_schema,
    read_mcp_tools,
    read_openapi,
)
from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import read_json, read_json_or_yaml

READERS = {
    "appworld": read_appworld,
    "json-schema": lambda path: read_json_schema(path, "get"),
    "mcp": read_mcp_tools,
    "openapi": read_openapi,
}
BAD_JSON = [
    (b"", "line 1, column 1: the file is empty"),
    (b'\xef\xbb\xbf{"a": 1}', "line 1, column 1: a byte order mark; save it as UTF-8 without one"),
    (b'{"a": 1,\n "b" 2}', r"line 2, column 6: not JSON \(Expecting ':' delimiter\)"),
    (b'{"a":\n "\xc3\xa9\xff"}', "line 2, column 4: not UTF-8"),
    (b'{"a": NaN}', "is not JSON: NaN is no JSON number"),
    (b"1" * 5_000, "is not JSON: "),
    (b"[" * 100_000, "is nested too deeply to be read"),
]
BAD_YAML = [
    (b"a: 1\nb: [1", r"line 2, column 6: not YAML \("),
    (b"a: 1\nb: c: d", r"line 2, column 5: not YAML \(mapping values are not allowed here\)"),
    (b"a: 1\n<<: [1]", r"line 2, column 5: not YAML \(only mappings can be merged\)"),
    (b"a: !!python/object:os.system {}", "line 1, column 4: not YAML"),
    (b"[" * 5_000, "is nested too deeply to be read"),
]


BAD = [*((read_json, *bad) for bad in BAD_JSON), *((read_json_or_yaml, *bad) for bad in BAD_YAML)]


@pytest.mark.parametrize(("read", "content", "message"), BAD)
def test_a_bad_file_is_named_with_its_place(tmp_path: Path, read, content: bytes, message: str):
    file = tmp_path / ("api.json" if read is read_json else "api.yaml")
    file.write_bytes(content)
    with pytest.raises(SourceError, match=message) as caught:
        read(file)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize("name", sorted(READERS))
def test_no_reader_raises_anything_else(tmp_path: Path, name: str):
    with pytest.raises(SourceError, match="cannot read .*nothing.json: No such file"):
        READERS[name](tmp_path / "nothing.json")
    for content, _ in BAD_JSON:
        (tmp_path / "a.json").write_bytes(content)
        with pytest.raises(SourceError):
            READERS[name](tmp_path / "a.json")
    (tmp_path / "a.json").write_text('"text"')
    with pytest.raises(SourceError, match=r"a\.json is not"):
        READERS[name](tmp_path / "a.json")


def test_yaml_has_the_types_of_json_and_keys_as_written(tmp_path: Path):
    file = tmp_path / "api.YML"
    file.write_text(
        "200: on\nyes: 2020-01-01\nno: [true, ~, null, 12, -1.5, 1e3, 0o7, 1_000, 12:30, =]\n"
        "base: &base {a: 1, b: 2}\nmore: &more {b: 3, c: 4}\nmerged: {b: 9, <<: [*base, *more]}\n<<: text\nempty:\n"
    )
    assert read_json_or_yaml(file) == {
        "200": "on",
        "yes": "2020-01-01",
        "no": [True, None, None, 12, -1.5, 1000.0, "0o7", "1_000", "12:30", "="],
        "base": {"a": 1, "b": 2},
        "more": {"b": 3, "c": 4},
        "merged": {"a": 1, "b": 9, "c": 4},
        "<<": "text",
        "empty": None,
    }
