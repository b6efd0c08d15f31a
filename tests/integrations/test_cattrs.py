"""cattrs: URIs and texts of a rule, structured and unstructured."""

from __future__ import annotations

import pytest

import abnforge
from abnforge import uri

attrs = pytest.importorskip("attrs")
cattrs = pytest.importorskip("cattrs")

from abnforge.integrations.cattrs import format_exception, register, text_type  # noqa: E402

Port = text_type("Port", "rfc3986:port")


@attrs.define
class Row:
    url: uri.URI
    port: Port  # type: ignore[valid-type]
    ref: uri.RelativeRef | None = None


def test_there_and_back() -> None:
    converter = register(cattrs.Converter())
    row = converter.structure({"url": "http://H/", "port": "80", "ref": "b"}, Row)
    assert row == Row(uri.parse("http://H/", "URI"), Port("80"), uri.parse("b", "relative-ref"))
    assert isinstance(row.port, str)
    assert converter.unstructure(row) == {"url": "http://H/", "port": "80", "ref": "b"}
    assert converter.structure("a:", uri.URI) == uri.parse("a:", "URI")


def test_errors_have_their_path_and_reason() -> None:
    converter = register(cattrs.Converter())
    with pytest.raises(cattrs.ClassValidationError) as caught:
        converter.structure({"url": "http://h:80x/", "port": "8x"}, Row)
    rejections = []
    for each in caught.value.exceptions:
        assert isinstance(each, abnforge.Rejected)
        rejections.append(each.rejection)
    assert cattrs.transform_error(caught.value, format_exception=format_exception) == [
        f"{rejection.message_with_position} @ $.{name}"
        for rejection, name in zip(rejections, ("url", "port"), strict=True)
    ]
    assert format_exception(KeyError("x"), None) == "required field missing"
