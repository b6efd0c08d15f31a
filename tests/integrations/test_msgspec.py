"""msgspec: hooks for URIs and texts of a rule."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge import uri

msgspec = pytest.importorskip("msgspec")

from abnforge.integrations.msgspec import dec_hook, enc_hook, schema_hook, text_type  # noqa: E402

Port = text_type("Port", "rfc3986:port")
Link = text_type("Link", "rfc3986:URI")


class Row(msgspec.Struct):  # type: ignore[misc]
    url: uri.URI
    port: Port  # type: ignore[valid-type]
    links: list[Link] = []  # type: ignore[valid-type]  # noqa: RUF012 (msgspec copies it)


def decoded(text: bytes) -> Row:
    found: Row = msgspec.json.decode(text, type=Row, dec_hook=dec_hook)
    return found


def test_there_and_back() -> None:
    row = decoded(b'{"url":"http://H/","port":"80","links":["a:"]}')
    assert row == Row(uri.parse("http://H/", "URI"), Port("80"), [Link("a:")])
    assert msgspec.json.encode(row, enc_hook=enc_hook) == b'{"url":"http://H/","port":"80","links":["a:"]}'


@pytest.mark.parametrize(
    "text",
    [
        b'{"url":"http://h:80x/","port":""}',
        b'{"url":"a:","port":"","links":["a:","b"]}',
        b'{"url":3,"port":""}',
        b'{"url":"a:","port":3}',
    ],
)
def test_errors_have_their_path_and_reason(text: bytes, snapshot: SnapshotAssertion) -> None:
    with pytest.raises((msgspec.ValidationError, TypeError)) as caught:
        decoded(text)
    assert str(caught.value) == snapshot


def test_schemas() -> None:
    found = msgspec.json.schema(Row, schema_hook=schema_hook)["$defs"]["Row"]["properties"]
    assert found["url"] == {"type": "string", "format": "uri"}
    assert found["port"] == {"type": "string"}
    assert found["links"]["items"] == {"type": "string", "format": "uri"}
    assert schema_hook(uri.RelativeRef) == {"type": "string"}


def test_other_types_are_left_to_others() -> None:
    for hook in (lambda: dec_hook(complex, "1"), lambda: enc_hook(1j), lambda: schema_hook(complex)):
        with pytest.raises(NotImplementedError):
            hook()
    assert abnforge.rule("rfc3986:port") == Port.rule
