"""Events of an SSE stream keep all but their data."""

from outcome_monitors.mcp.framing import with_data


def test_data_is_changed_in_its_place():
    event = b": hi\r\nid: 7\r\nevent: message\r\ndata: {\r\ndata:}\r\nretry: 5\r\n\r\n"
    assert with_data(event, lambda data: data) is event
    seen = []

    def change(data):
        seen.append(data)
        return b'{"a": 1}'

    after = with_data(event, change)
    assert seen == [b"{\n}"]
    assert after == b': hi\r\nid: 7\r\nevent: message\r\ndata: {"a": 1}\r\nretry: 5\r\n\r\n'
    assert with_data(b": ping\n\n", lambda _: b"x") == b": ping\n\n"
    assert with_data(b"data\n\n", lambda _: b"a\nb") == b"data: a\ndata: b\n\n"
