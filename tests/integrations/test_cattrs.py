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
    errors = caught.value.exceptions
    assert all(isinstance(each, abnforge.Rejected) for each in errors)
    assert cattrs.transform_error(caught.value, format_exception=format_exception) == [
        f"{error.rejection.message} @ $.{name}" for error, name in zip(errors, ("url", "port"), strict=True)
    ]
    assert format_exception(KeyError("x"), None) == "required field missing"
